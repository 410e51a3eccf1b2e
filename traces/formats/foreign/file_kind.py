"""A kind of file, and the next step of who has one and wants to see where time goes."""

from typing import NamedTuple

RECORD = (
    "Record the program with a profiler, as `py-spy record`, `perf record -g` or the Performance panel of a browser do"
)
ORIGINAL = "Choose the recording that it was made from"
UNPACK = "Unpack it and choose the trace"


class Kind(NamedTuple):
    """`what` is said of the file ("a picture (PNG)"), `step` what to do instead; both without the last full stop."""

    what: str
    step: str
