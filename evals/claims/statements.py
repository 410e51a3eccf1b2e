"""The statements as they are stored."""

import json
from dataclasses import dataclass
from pathlib import Path

STATEMENTS = Path(__file__).parent / "statements.jsonl"


@dataclass(frozen=True, slots=True)
class Statement:
    """`is_decidable`: whether the trace alone decides it, as its writer meant. `is_unseen`: the rules were written
    without it. `figure` is its figure as it is written; the address `claimed` is of what the statement says that it is,
    `source` of what it is."""

    trace: str
    language: str
    kind: str
    is_true: bool
    is_decidable: bool
    is_unseen: bool
    text: str
    figure: str | None = None
    claimed: str | None = None
    source: str | None = None


def read_statements() -> tuple[Statement, ...]:
    """All of them, in the order of the file."""
    lines = STATEMENTS.read_text(encoding="utf-8").splitlines()
    return tuple(Statement(**json.loads(line)) for line in lines)
