"""The statements of `statements.sql`, by name."""

import re
from functools import cache
from pathlib import Path
from typing import LiteralString

HEAD = re.compile(r"^-- name: (\w+)\n-- \S.*\n", re.MULTILINE)


@cache
def statements() -> dict[str, LiteralString]:
    """All statements. Literal to the type checker, since they come from our own file: an f-string would not pass.

    Raises ValueError for a block that has no reason under its name.
    """
    text = (Path(__file__).parent / "statements.sql").read_text(encoding="utf-8")
    heads = list(HEAD.finditer(text))
    if len(heads) != text.count("-- name:"):
        raise ValueError("statements.sql: each `-- name: xyz` is followed by a line `-- reason`")
    ends = [head.start() for head in heads[1:]] + [len(text)]
    return {head[1]: text[head.end() : end].strip() for head, end in zip(heads, ends, strict=True)}


def statement(name: str) -> LiteralString:
    """One statement. Raises KeyError."""
    return statements()[name]
