"""How prompts are read, to the letter: `questions/<module>.txt` has those of a module, two lines each: `first: prompt`
of a first one or `after: prompt` of one that goes on, and what is read of it where that is not usual.

`python -m tests.server.analyst.written_questions` writes all of them anew; look at what changed before it is kept.
"""

import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from server.analyst.question import Intent, Question
from server.analyst.spoken_of import SpokenOf
from server.analyst.understanding import understood

GOLDEN = Path(__file__).parent / "questions"
SPOKEN = SpokenOf(
    "f7",
    "[`parse`](#f7)",
    "what about `parse`?",
    threads=("p2", "p4"),
    listed=("f7", "f8", "f9"),
    ranked=("f7", "f8", "f9"),
)
OPENINGS = ("**The busiest [200 ms](#q3.c1) is from [1.20 s](#q3.c2) to [1.40 s](#q3.c3)**: [`parse`](#f7).",)
CONTEXTS: dict[str, tuple[SpokenOf | None, tuple[str, ...]]] = {"first": (None, ()), "after": (SPOKEN, OPENINGS)}
USUAL = Question(intent=Intent.OVERVIEW, text="")


def written(module: str) -> dict[tuple[str, str], str]:
    """By its place in a conversation and prompt what is read."""
    lines = (GOLDEN / f"{module}.txt").read_text(encoding="utf-8").splitlines()
    asked = (line.partition(": ") for line in lines[::2])
    return {(context, prompt): read for (context, _, prompt), read in zip(asked, lines[1::2], strict=True)}


def prompts_of(module: str) -> list[Any]:
    """The prompts of a module, as parameters of its test."""
    return [pytest.param(module, context, prompt, id=f"{context}: {prompt}") for context, prompt in written(module)]


def read_as(context: str, prompt: str) -> str:
    question = understood(prompt, {}, [], *CONTEXTS[context])
    parts = [
        f"{one.name}={getattr(question, one.name)!r}"
        for one in fields(question)
        if one.name != "text" and getattr(question, one.name) != getattr(USUAL, one.name)
    ]
    return "  " + " ".join([f"intent={question.intent.name}", *(part for part in parts if "intent=" not in part)])


def assert_read(module: str, context: str, prompt: str) -> None:
    assert read_as(context, prompt) == written(module)[context, prompt]


def main() -> int:
    for path in sorted(GOLDEN.glob("*.txt")):
        lines = [
            line
            for context, prompt in written(path.stem)
            for line in (f"{context}: {prompt}", read_as(context, prompt))
        ]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
