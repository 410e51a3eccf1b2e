"""How the work of a recording divides between programs."""

from typing import Any

from server.analyst.wording import amount, coded, joined, share

PROGRAM = 0.05
"""Part of all work from which a program is named."""


def by_program(listed: dict[str, Any], asked: tuple[str, ...] = ()) -> str:
    """How the work divides between programs, where there are several: those asked for, or those that weigh."""
    named = [one.casefold() for one in asked]
    rows = [
        row
        for row in listed["processes"]
        if row["name"].casefold() in named or row["name"].casefold().rstrip("0123456789.") in named
    ]
    if rows:
        each = [
            f"{coded(row['name'])} takes {share(row['share'])} ({amount(row['busy'], 'nanoseconds')})" for row in rows
        ]
        return f"**Of all that was recorded {joined(each)}.**"
    rows = [row for row in listed["processes"] if row["share"] >= PROGRAM]
    if len(rows) < 2:
        return ""
    said = joined(
        [f"{coded(row['name'])} {share(row['share'])} ({amount(row['busy'], 'nanoseconds')})" for row in rows]
    )
    return f"**By program the work divides into {said}.**"
