"""async-profiler's flame graph pages (`-f trace.html`), of version 2 and of today's packed form.

Format: src/flameGraph.cpp and src/res/flame.html of https://github.com/async-profiler/async-profiler. Today's pages
hold names once (each shares a beginning with the one before, of as many characters as its first one's code is above
32), then frames in preorder: `f(key, level, left, width)`, `u(key, width)` one level up, `n(key, width)` beside, where
a missing width is the one before; a key is the name's number times 8 and the frame's kind. Version 2 wrote
`f(level, left, width, kind, 'name')`. What async-profiler writes as collapsed stacks or JFR is read by these formats.
"""

import html
import re
from collections.abc import Iterator

import numpy as np

from traces.builder import TraceBuilder
from traces.model import NONE
from traces.stacks import StackTable
from traces.values import Unit, ValueType

KINDS = ("interpreted", "compiled", "inlined", "native", "vm", "kernel", "compiled")
POOL = "const cpool = ["
NAME = re.compile(r"'((?:[^'\\\n]|\\.)*+)('?)")
"""A name; without its end, which the second group is, all of its line."""
PACKED = re.compile(r"^([fun])\((\d{1,18}(?:,(?:\d{1,18}|U)?)*)\)", re.MULTILINE)
PLAIN = re.compile(r"^[ \t]*f\((\d{1,9}),(\d{1,18}),(\d{1,18}),(\d),'((?:[^'\\\n]|\\.)*+)'", re.MULTILINE)
ESCAPE = re.compile(r"\\(.)", re.DOTALL)
MAX_NAMES_CHARACTERS = 256 << 20
"""Of all names unpacked: a page repeats beginnings to stay small, and could grow without bound."""
Row = tuple[int, int, str, int]
"""Level, width, name, kind."""


def read(content: memoryview, builder: TraceBuilder) -> None:
    """Feed the one profile, a sample a path. Raises DamagedTrace."""
    text = str(content, "utf-8", "replace")
    begin = text.find(POOL)
    rows = _packed(text, begin, builder) if begin >= 0 else _plain(text)
    stacks = StackTable()
    path: list[tuple[int, int]] = []  # our node and its row, of each level
    leaves: list[int] = []
    own: list[int] = []
    for level, width, name, kind in rows:
        if level > len(path):
            raise builder.damaged("a frame has no frame below it.")
        del path[level:]
        if level > 0:
            own[path[-1][1]] -= width
        # The first level is `all`, which is no function.
        category = KINDS[kind] if kind < len(KINDS) else None
        node = stacks.child(path[-1][0], builder.frame(name, category=category)) if level > 0 else NONE
        path.append((node, len(own)))
        leaves.append(node)
        own.append(width)
    if min(own, default=0) < 0:
        raise builder.damaged("frames are wider than what lies below them.")
    kept = [i for i, width in enumerate(own) if width > 0]
    weights = [np.array([own[i] for i in kept], np.float64)]
    values = (ValueType("samples", Unit.COUNT),)
    builder.add_sampled(builder.name, stacks, [leaves[i] for i in kept], weights, values=values)


def _packed(text: str, begin: int, builder: TraceBuilder) -> Iterator[Row]:
    end = text.find("];", begin)
    if end < 0:
        raise builder.damaged("its names break off.")
    names: list[str] = []
    size = 0
    for match in NAME.finditer(text, begin, end):
        if not match[2]:
            continue
        name = ESCAPE.sub(r"\1", match[1])
        if names:
            name = names[-1][: max(0, ord(name[0]) - 32)] + name[1:] if name else ""
        size += len(name)
        if size > MAX_NAMES_CHARACTERS:
            raise builder.damaged("its names are too long.")
        names.append(name)
    level = width = 0
    for call, said in PACKED.findall(text, end):
        numbers = [int(number) if number not in {"", "U"} else 0 for number in said.split(",")]
        key = numbers[0]
        if call == "f":
            level = numbers[1] if len(numbers) > 1 else 0
        elif call == "u":
            level += 1
        at = 3 if call == "f" else 1
        width = (numbers[at] if len(numbers) > at else 0) or width
        if key >> 3 >= len(names):
            raise builder.damaged("a frame names what is not in its list.")
        yield level, width, names[key >> 3], key & 7


def _plain(text: str) -> Iterator[Row]:
    for level, _, width, kind, name in PLAIN.findall(text):
        yield int(level), int(width), html.unescape(ESCAPE.sub(r"\1", name)), int(kind)
