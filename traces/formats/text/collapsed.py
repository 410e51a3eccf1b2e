"""Collapsed stacks: one `outer;inner weight` a line (stackcollapse-*.pl, py-spy, perf and async-profiler exports).

Two weights a line, `outer;inner 10 20`, are two profiles, before and after: the form that difffolded.pl writes
(https://github.com/brendangregg/FlameGraph/blob/master/difffolded.pl).
"""

from dataclasses import replace

import numpy as np

from traces.bounds import DETECTION_BYTES, MAX_STACK_DEPTH
from traces.builder import TraceBuilder
from traces.formats.stack_lines import are_pairs, lines_of_stacks, split_pair
from traces.kernels.library import NotReadable
from traces.kernels.lines import Lines, scan_lines
from traces.stacks import with_frames
from traces.values import Counts, Unit, ValueType

PART = 1 << 16
"""Weights that are looked at at once: a column of their own would be as large."""


def read(content: memoryview, builder: TraceBuilder) -> None:
    """Feed the one profile, or two; lines that are no stack are counted, comments (`#`) are not samples."""
    head = bytes(content[:DETECTION_BYTES]).decode("utf-8", "replace")
    try:
        if are_pairs(lines_of_stacks(head, cut=len(content) > DETECTION_BYTES)):
            _read_pairs(content, builder)
        else:
            lines = scan_lines(content, MAX_STACK_DEPTH, builder.progress.counter)
            builder.warn("skipped_lines", "lines without a stack and a weight were skipped", lines.skipped)
            _add(lines, builder.name, builder)
    except NotReadable as error:
        raise builder.damaged("a weight is out of range.") from error


def _read_pairs(content: memoryview, builder: TraceBuilder) -> None:
    """A profile a column; what has a weight in one of them only is in that one."""
    rows = [split_pair(line) for line in lines_of_stacks(bytes(content).decode("latin-1"), cut=False)]
    builder.warn("skipped_lines", "lines without a stack and two weights were skipped", rows.count(None))
    for column, called in ((1, "before"), (2, "after")):
        text = "\n".join(f"{row[0]} {row[column]}" for row in rows if row is not None and row[column].strip("0."))
        _add(scan_lines(text.encode("latin-1"), MAX_STACK_DEPTH), f"{builder.name} ({called})", builder)


def _add(lines: Lines, name: str, builder: TraceBuilder) -> None:
    paths = with_frames(lines.paths, builder.frames(lines.names))
    parts = (lines.weight[first : first + PART] for first in range(0, len(lines.weight), PART))
    is_count = all((np.floor(part) == part).all() for part in parts)
    facts = builder.facts if is_count else replace(builder.facts, counts=Counts.NONE, count_value=None)
    value = ValueType("samples" if is_count else "weight", Unit.COUNT)
    builder.add_sampled(name, paths, paths.leaf, [lines.weight], values=(value,), facts=facts)
