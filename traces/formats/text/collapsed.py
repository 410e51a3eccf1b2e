"""Collapsed stacks: one `outer;inner weight` a line (stackcollapse-*.pl, py-spy, perf and async-profiler exports)."""

import numpy as np

from traces.bounds import MAX_STACK_DEPTH
from traces.builder import TraceBuilder
from traces.kernels.library import NotReadable
from traces.kernels.lines import scan_lines
from traces.stacks import with_frames
from traces.values import Unit, ValueType


def read(content: memoryview, builder: TraceBuilder) -> None:
    """Feed the one profile; lines that are no stack are counted, comments (`#`) are not samples."""
    try:
        lines = scan_lines(content, MAX_STACK_DEPTH, builder.progress.counter)
    except NotReadable as error:
        raise builder.damaged("a weight is out of range.") from error
    builder.warn("skipped_lines", "lines without a stack and a weight were skipped", lines.skipped)
    frames = np.array([builder.frame(name.decode("utf-8", "replace")) for name in lines.names], np.int32)
    paths = with_frames(lines.paths, frames)
    weights = lines.weight.astype(np.float64)
    builder.add_sampled(builder.name, paths, paths.leaf, [weights], values=(ValueType("samples", Unit.COUNT),))
