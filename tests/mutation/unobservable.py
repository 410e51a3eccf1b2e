"""Mutants that change nothing a caller, a user or an operator could observe, each with its reason: at most one in
twenty of those drawn. Keys: the path, its line, the text that is replaced, and what takes its place."""

UNOBSERVABLE: dict[tuple[str, str, str, str], str] = {}
