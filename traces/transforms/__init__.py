"""Other call trees of the same recording: focus on a function, drop or merge it, collapse recursion, invert."""
