"""The statements of `sql/*.sql`, by name."""

import re
from functools import cache
from pathlib import Path
from typing import LiteralString

HEAD = re.compile(r"^-- name: (\w+)\n-- \S.*\n", re.MULTILINE)


@cache
def statements() -> dict[str, LiteralString]:
    """All statements. Literal to the type checker, since they come from our own file: an f-string would not pass.

    Raises ValueError for a block that has no reason under its name, and for a name that is given twice.
    """
    files = sorted((Path(__file__).parent / "sql").glob("*.sql"))
    text = "\n".join(file.read_text(encoding="utf-8") for file in files)
    heads = list(HEAD.finditer(text))
    if len(heads) != text.count("-- name:"):
        raise ValueError("sql/*.sql: each `-- name: xyz` is followed by a line `-- reason`")
    if len({head[1] for head in heads}) != len(heads):
        raise ValueError("sql/*.sql: a name is given twice")
    ends = [head.start() for head in heads[1:]] + [len(text)]
    return {head[1]: text[head.end() : end].strip() for head, end in zip(heads, ends, strict=True)}


def statement(name: str) -> LiteralString:
    """One statement. Raises KeyError."""
    return statements()[name]
