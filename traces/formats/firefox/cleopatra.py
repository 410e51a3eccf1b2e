"""Profiles of Cleopatra, the page that showed Firefox's profiles until 2018: stacks of numbers and a table of symbols.

Format: `profileJSONWithSymbolicationTable,1`, as profiler.firefox.com upgrades it (src/profile-logic of
https://github.com/firefox-devtools/profiler, old-profile-upgrades). A sample names its frames, outermost first, by
their number in the table or by text, and its moment in milliseconds; it lasts until the next one.
"""

from typing import Any

import msgspec
import numpy as np

from traces.builder import TraceBuilder
from traces.formats.samples_in_order import order_of_time
from traces.formats.time_units import nanoseconds
from traces.stacks import StackTable

NS_PER_MS = 1_000_000
ROOT = "(root)"


class ExtraInfo(msgspec.Struct):
    time: float | None = None


class Sample(msgspec.Struct):
    frames: list[int | str | dict[str, Any]] = []
    info: ExtraInfo | None = msgspec.field(name="extraInfo", default=None)
    time: float | None = None


class Thread(msgspec.Struct):
    samples: list[Sample] = []
    name: str | None = None
    tid: int | str | None = None


class Threads(msgspec.Struct):
    threads: list[Thread] = []


class File(msgspec.Struct):
    profile: list[Sample] | Threads = msgspec.field(name="profileJSON")
    symbols: dict[str, str] = msgspec.field(name="symbolicationTable", default_factory=dict)


def read(content: memoryview, builder: TraceBuilder) -> None:
    """Feed a profile a thread; the first form has one alone. Raises DamagedTrace."""
    file = msgspec.json.decode(content, type=File)
    threads = [Thread(file.profile)] if isinstance(file.profile, list) else file.profile.threads
    frames: dict[int | str, int] = {}
    for thread in threads:
        if thread.samples:
            _add(thread, file.symbols, frames, builder)


def _add(thread: Thread, symbols: dict[str, str], frames: dict[int | str, int], builder: TraceBuilder) -> None:
    moments = [sample.time if sample.info is None else sample.info.time for sample in thread.samples]
    timed = [row for row, moment in enumerate(moments) if moment is not None]
    builder.warn("no_time", "samples without a time were dropped", len(moments) - len(timed))
    if not timed:
        return
    try:
        times = nanoseconds([moments[row] for row in timed], NS_PER_MS)
    except ValueError as error:
        raise builder.damaged(f"{error}.") from error
    order = order_of_time(times, builder)
    stacks = StackTable()
    leaves = stacks.leaves(_path(thread.samples[timed[at]], symbols, frames, builder) for at in order.tolist())
    times = times[order]
    lasting = np.diff(times)
    weights = np.append(lasting, np.median(lasting).astype(np.int64) if len(lasting) else 0)
    name = thread.name or "GeckoMain"
    tid = "" if thread.tid is None else str(thread.tid)
    builder.add_sampled(name, stacks, leaves, [weights], time=times, tid=tid)


def _path(sample: Sample, symbols: dict[str, str], frames: dict[int | str, int], builder: TraceBuilder) -> list[int]:
    """Outermost first, without the root, which is no function."""
    path = []
    for written in sample.frames:
        key = written.get("location", "") if isinstance(written, dict) else written
        if not isinstance(key, int | str):
            key = ""
        known = frames.get(key)
        if known is None:
            name = symbols.get(str(key)) or (str(key) if key != "" else "(unknown)")
            known = frames[key] = -1 if name == ROOT else builder.frame(name)
        if known >= 0:
            path.append(known)
    return path
