"""Checks names against rules. With 1 every check builds its rules from their text again, with 0 they are built once."""

import fnmatch
import sys

RULES = [f"{kind}-*-{n:02}?" for kind in ("invoice", "offer", "letter") for n in range(14)]


def compile_rule(text: str) -> list[tuple[str, str]]:
    steps = []
    for character in text:
        steps.append(("any", "") if character in "*?" else ("one", character.casefold()))
    return sorted(steps, key=lambda step: step[0]) and steps


def matches(name: str, rule: list[tuple[str, str]]) -> bool:
    return sum(kind == "one" and character in name for kind, character in rule) > 9


def check_name(name: str, compiled: list[list[tuple[str, str]]] | None) -> int:
    rules = compiled if compiled is not None else [compile_rule(text) for text in RULES]
    return sum(matches(name, rule) for rule in rules)


def check_all(names: int, again: bool) -> int:
    compiled = None if again else [compile_rule(text) for text in RULES]
    return sum(check_name(f"invoice-{n}-{n % 14:02}x", compiled) for n in range(names))


check_all(14_000 if sys.argv[1] == "1" else 28_000, sys.argv[1] == "1")
fnmatch.fnmatch("a", "b")
