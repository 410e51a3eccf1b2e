"""pyinstrument's JSON: a tree of functions with the seconds spent in and below each.

Format: pyinstrument's renderers/jsonrenderer.py (https://github.com/joerick/pyinstrument). Its order is the time order
only if it was rendered as a timeline.
"""

import msgspec
import numpy as np

from traces.builder import TraceBuilder
from traces.formats.call_tree.callees_first import callees_first
from traces.formats.time_units import nanoseconds
from traces.stacks import StackTable
from traces.values import Unit, ValueType

SELF = "[self]"
"""pyinstrument's own name for the part of a function that is none of its callees'."""
NOISE_SECONDS = 1e-5
"""Callees may exceed their caller by rounding, a microsecond each."""


class Frame(msgspec.Struct):
    function: str
    time: float
    file: str | None = msgspec.field(name="file_path", default=None)
    line: int | None = msgspec.field(name="line_no", default=None)
    children: list["Frame"] = []


class File(msgspec.Struct):
    root: Frame | None = msgspec.field(name="root_frame", default=None)
    target: str = msgspec.field(name="target_description", default="")
    began: float | None = msgspec.field(name="start_time", default=None)  # seconds since 1970


def read(content: memoryview, builder: TraceBuilder) -> None:
    """Feed the one profile with time. Raises DamagedTrace."""
    file = msgspec.json.decode(content, type=File)
    if file.root is None:
        return
    builder.recorded(int(file.began * 1e9) if file.began is not None else None)
    stacks = StackTable()
    leaves: list[int] = []
    seconds: list[float] = []
    excess = 0
    roots = [file.root]
    for frame, leaf in callees_first(
        roots, _callees, lambda f: builder.frame(f.function, f.file or None, f.line), stacks
    ):
        own = frame.time - sum(callee.time for callee in _callees(frame))
        excess += own < -NOISE_SECONDS * (1 + len(frame.children))
        if own > 0:
            leaves.append(leaf)
            seconds.append(own)
    builder.warn(
        "callees_exceed", "functions whose callees took longer than they did have no time of their own", excess
    )
    try:
        time = nanoseconds(np.array(seconds, np.float64), 1_000_000_000)
    except ValueError as error:
        raise builder.damaged(f"{error}.") from error
    values = (ValueType("time", Unit.NANOSECONDS),)
    builder.add_sampled(file.target or builder.name, stacks, leaves, [time], values=values)


def _callees(frame: Frame) -> list[Frame]:
    return [child for child in frame.children if child.function != SELF]
