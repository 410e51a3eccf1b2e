"""The system prompt as a file: `{{name}}` places are filled in by `setup`."""
