"""Whether lines are collapsed stacks, `outer;inner weight`, and not a log, a list or prose that ends in numbers.

Nothing in such a file says what it is, so that all of it has to agree: nearly every line is a stack and a weight,
stacks have callers in common, and no more than a few look like what other programs write.
"""

import re
from collections import Counter
from itertools import pairwise

from traces.lazy_regex import lazy_regex

WEIGHT = lazy_regex(r"\d+(?:\.\d*)?")
"""What flamegraph.pl takes: https://github.com/brendangregg/FlameGraph/blob/master/flamegraph.pl."""
IDLE = lazy_regex(r"[ \t]+\d+\s*")
"""An empty stack."""
SPACE = " \t\r"
BRACKETED = lazy_regex(r"[\[{<(].*[\]})>]")
ODD = lazy_regex(
    r"""
    ;[ \t](?!\w+\])                             # prose, user agents, comments; not `[u8; 32]`
  | ^[ \t]*; | ;; | ;$                          # comments of INI files and Lisp, empty cells
  | (?:^|;)[\w.-]+[ ]?=[ ]?[^;=>(\s]            # keys with values
  | (?:^|;)["'\[(]?(?:\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.]\d{2,4}|\d\d?:\d\d)(?!\w)  # dates and times
  | (?:^|;)(?:\d{1,3}\.){3}\d{1,3}(?!\w)        # addresses
  | (?:^|;)"[^";]*"(?:;|$)                      # quoted cells
  | ^[\d.,;+-]+$ | ^[\d.,]+;                    # rows of numbers, numbered rows
  | (?:^|;)\W?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL)\b
  | HTTP/\d | &(?:[a-z]{2,8}|\#\w{1,6}); | \x1b # logs, markup, colours of a terminal
  | (?:(?<!\S)[^\W\d_]{2,}[,.]?[ ]){4}          # sentences
    """,
    re.VERBOSE,
)
"""What hardly any function is called, and what lines of other files are full of."""
UNLIKELY = lazy_regex(r"(?:^|;)(?:/|(?:[^\s;]+\s+){3})")
"""Of a stack that stands alone: a path, or words in a row."""
MOST_ODD = 0.25
ENOUGH = 64
"""Stacks, from all of the head, of which a part says as much as all."""
FIRST_CHARACTERS = 400
"""Of a stack; no line of another file is much longer."""
MOST_OTHER = 0.05
"""The part of lines that may be no stacks: what was printed between them, and bytes that broke."""
BEFORE, BEHIND = 5, 3
"""Lines that a program may have printed before and behind the stacks."""
LEAST_DEEP = 0.25
LEAST_SHARED = 1 / 3
QUOTED = lazy_regex(r"> |[+|](?=[^\s+|])|(?:[^;\s]+:)?[ ]{0,9}(\d{1,9})(?:\t|:(?!:))")
"""What other programs put before each line of a file."""
YEAR = lazy_regex(r"1[789]\d\d|20\d\d")
FEW = 3
"""So many lines that all end in a year are prose or a list."""


def are_stacks(lines: list[str], *, named: bool) -> bool:
    """Whether the lines of a text, without comments and blank ones, are stacks. A file that is `named` as one needs no
    callers."""
    lines = [line for line in lines if not IDLE.fullmatch(line)]
    splits = [split_weight(line) for line in lines]
    rows = [split[0] if split else None for split in splits]
    first, last = _stacks_between(rows)
    stacks = [row for row in rows[first : last + 1] if row is not None]
    others = last + 1 - first - len(stacks)
    if not stacks or others > max(1, MOST_OTHER * len(stacks)) or others + first >= len(stacks):
        return False
    if are_quoted(stacks):
        return False
    if named:
        return True
    some = stacks[:: 1 + len(stacks) // ENOUGH]
    if sum(ODD.search(stack, 0, FIRST_CHARACTERS) is not None for stack in some) > MOST_ODD * len(some):
        return False
    if len(stacks) >= FEW and all(split is None or YEAR.fullmatch(split[1]) for split in splits):
        return False
    if len(stacks) == 1:
        return len(lines) == 1 and ";" in stacks[0] and not UNLIKELY.search(stacks[0])
    return _have_callers(stacks) and not _has_header(lines[:first], stacks)


def are_quoted(lines: list[str]) -> bool:
    """Whether each line has a mark before it, as in mail or a list of changes, or its number, as of `grep -n` and
    `cat -n`: they would be parts of the first function's name."""
    marks = [QUOTED.match(line) for line in lines[:ENOUGH]]
    if len(marks) < FEW or not all(marks):
        return False
    numbers = [int(mark[1]) for mark in marks if mark is not None and mark[1]]
    return len(numbers) in (0, len(marks)) and all(one < two for one, two in pairwise(numbers))


def _stacks_between(rows: list[str | None]) -> tuple[int, int]:
    """The first and the last row that count: a few before and behind the stacks may be anything."""
    first = next((at for at, row in enumerate(rows[: BEFORE + 1]) if row is not None), 0)
    behind = next((at for at, row in enumerate(rows[: -BEHIND - 2 : -1]) if row is not None), 0)
    return first, len(rows) - 1 - behind


def _have_callers(stacks: list[str]) -> bool:
    """Some are deeper than one function, and most begin with one that another begins with, or with one in brackets, as
    `[kernel]`."""
    deep = {stack.partition(";")[0] for stack in stacks if ";" in stack}
    depths = sum(";" in stack for stack in stacks)
    roots = Counter(stack.partition(";")[0] for stack in stacks)
    shared = sum(count for root, count in roots.items() if root in deep and (count > 1 or BRACKETED.fullmatch(root)))
    return depths >= LEAST_DEEP * len(stacks) and shared >= LEAST_SHARED * len(stacks)


def _has_header(before: list[str], stacks: list[str]) -> bool:
    """Whether a line before the stacks names columns, of which each of them has as many: a table."""
    cells = {stack.count(";") for stack in stacks}
    return len(cells) == 1 and any(line.count(";") in cells for line in before) and 0 not in cells


def are_pairs(lines: list[str]) -> bool:
    """Whether lines that are stacks have two weights each, before and after: then no stack is there twice."""
    stacks = [split[0] for line in lines if (split := split_pair(line))]
    others = len(lines) - len(stacks)
    return bool(stacks) and others <= MOST_OTHER * len(stacks) and len(set(stacks)) == len(stacks)


def split_weight(line: str) -> tuple[str, str] | None:
    """A stack and its weight; None where a line is no such thing."""
    text = line.rstrip(SPACE)
    at = max(text.rfind(" "), text.rfind("\t"))
    stack = text[: max(at, 0)].rstrip(SPACE)
    return (stack, text[at + 1 :]) if stack.strip() and WEIGHT.fullmatch(text, at + 1) else None


def split_pair(line: str) -> tuple[str, str, str] | None:
    """A stack and its two weights."""
    last = split_weight(line)
    first = split_weight(last[0]) if last else None
    return (*first, last[1]) if first and last else None


def lines_of_stacks(text: str, *, cut: bool) -> list[str]:
    """The lines of a text without comments and blank ones; of one that is `cut`, without the last."""
    lines = [line for line in text.split("\n") if line.strip() and not line.startswith("#")]
    return lines[:-1] if cut and len(lines) > 1 else lines
