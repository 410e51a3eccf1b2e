"""Collapsed stacks: one `outer;inner weight` a line (stackcollapse-*.pl, py-spy, perf and async-profiler exports)."""

import re

import numpy as np

from traces.builder import TraceBuilder
from traces.importers.head import Head
from traces.stacks import StackTable
from traces.values import Unit, ValueType

LINE = re.compile(r"^(.+) (\d+)$")


def looks_like(head: Head) -> bool:
    """Text of which most lines end in a weight, and most of these have a stack."""
    if head.text is None or head.json is not None:
        return False
    lines = [line for line in head.text.splitlines() if line.strip() and not line.startswith("#")]
    if len(head.data) > 1000 and len(lines) > 1:
        lines = lines[:-1]  # the last line may be cut
    stacks = [match[1] for line in lines if (match := LINE.match(line))]
    deep = sum(";" in stack for stack in stacks)
    return deep > 0 and len(stacks) * 2 >= len(lines) and deep * 2 >= len(stacks)


def read(content: memoryview, builder: TraceBuilder) -> None:
    """Feed the one profile; lines that are no stack are counted, comments (`#`) are not samples."""
    stacks = StackTable()
    frames: dict[str, int] = {}
    frame = builder.frame
    paths: list[list[int]] = []
    weights: list[int] = []
    skipped = 0
    for line in str(content, "utf-8", "replace").split("\n"):
        stack, _, weight = line.rstrip("\r").rpartition(" ")
        if not (weight.isascii() and weight.isdigit()) or line[0] == "#":
            skipped += bool(line.strip()) and line[0] != "#"
            continue
        if len(weight) > 15:
            raise builder.damaged("a weight is out of range.")
        value = int(weight)
        if value == 0:
            skipped += 1
            continue
        path = []
        for name in stack.split(";") if stack else ():  # py-spy writes samples without Python code as " 12"
            index = frames.get(name)
            if index is None:
                index = frames[name] = frame(name)
            path.append(index)
        paths.append(path)
        weights.append(value)
    builder.warn("skipped_lines", "lines without a stack and a weight were skipped", skipped)
    column = np.array(weights, np.float64)
    leaves = np.array(stacks.leaves(paths), np.int32)
    builder.add_sampled(builder.name, stacks, leaves, [column], values=(ValueType("samples", Unit.COUNT),))
