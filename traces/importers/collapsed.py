"""Collapsed stacks: one `outer;inner weight` a line (stackcollapse-*.pl, py-spy, perf and async-profiler exports)."""

import re

import numpy as np

from traces.bounds import MAX_STACK_DEPTH
from traces.builder import TraceBuilder
from traces.importers.head import Head
from traces.kernels.library import NotReadable
from traces.kernels.lines import scan_lines
from traces.stacks import with_frames
from traces.values import Unit, ValueType

LINE = re.compile(r"^(.+) (\d+)$")
NAMES = (".collapsed", ".folded", ".collapsed.txt", ".folded.txt")


def looks_like(head: Head) -> bool:
    """Text of which most lines end in a weight, and half of these have a stack; or all do, and a quarter has."""
    if head.text is None or head.json is not None:
        return False
    lines = [line for line in head.text.splitlines() if line.strip() and not line.startswith("#")]
    if len(head.data) > 1000 and len(lines) > 1:
        lines = lines[:-1]  # the last line may be cut
    stacks = [match[1] for line in lines if (match := LINE.match(line))]
    if head.name.endswith(NAMES):
        return len(stacks) == len(lines) > 0  # a stack may be one function deep
    deep = sum(";" in stack for stack in stacks)
    if deep == 0 or len(stacks) * 2 < len(lines):
        return False
    return deep * (4 if len(stacks) == len(lines) else 2) >= len(stacks)


def read(content: memoryview, builder: TraceBuilder) -> None:
    """Feed the one profile; lines that are no stack are counted, comments (`#`) are not samples."""
    try:
        lines = scan_lines(content, MAX_STACK_DEPTH)
    except NotReadable as error:
        raise builder.damaged("a weight is out of range.") from error
    builder.warn("skipped_lines", "lines without a stack and a weight were skipped", lines.skipped)
    frames = np.array([builder.frame(name.decode("utf-8", "replace")) for name in lines.names], np.int32)
    paths = with_frames(lines.paths, frames)
    weights = lines.weight.astype(np.float64)
    builder.add_sampled(builder.name, paths, paths.leaf, [weights], values=(ValueType("samples", Unit.COUNT),))
