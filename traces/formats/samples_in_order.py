"""Samples in order of time: files that were put together, or written by several threads, have some that are not."""

import numpy as np
from numpy.typing import NDArray

from traces.builder import TraceBuilder


def order_of_time(times: NDArray[np.int64], builder: TraceBuilder) -> NDArray[np.int64]:
    """The places of samples in order of time, those of one moment as they came; how many were not in order is a
    warning of the trace.
    """
    backwards = int((np.diff(times) < 0).sum())
    if not backwards:
        return np.arange(len(times), dtype=np.int64)
    builder.warn("clock_backwards", "samples that came before those in front of them were put in order", backwards)
    return np.argsort(times, kind="stable")
