"""Prompts in the words of other tools, or of another language, put into those that the examples have."""

import re
import tomllib
from functools import cache
from pathlib import Path

TABLE = Path(__file__).with_name("other_words.toml")


def in_known_words(text: str) -> str:
    """The prompt with what it says in other words; as it is where it has none of these."""
    for way, means in _table():
        text = way.sub(means, text)
    return text


@cache
def _table() -> tuple[tuple[re.Pattern[str], str], ...]:
    rows = tomllib.loads(TABLE.read_text(encoding="utf-8"))["said"]
    return tuple((re.compile(row["way"], re.IGNORECASE), row["means"]) for row in rows)
