"""What the analyst asks a trace in SQL, read from `queries.toml`."""

import tomllib
from functools import cache
from pathlib import Path

TABLE = Path(__file__).with_name("queries.toml")


@cache
def _table() -> dict[str, str]:
    return tomllib.loads(TABLE.read_text(encoding="utf-8"))


def query(name: str) -> str:
    """One of them, in a line."""
    return " ".join(_table()[name].split())
