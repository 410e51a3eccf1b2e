"""A format: what its importer knows of it before a file is read. `detection.FORMATS` holds all there are."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from traces.builder import TraceBuilder
from traces.formats.head import Head
from traces.values import Clock, Counts, Facts, Order, Waits

CUT = "the file breaks off; what came before was read"
"""The warning `cut`, to which the reader adds how much that was."""
SAMPLED = Facts(Order.TIME, Counts.SAMPLES, Waits.BOTH, Clock.TRACE)
"""Samples by the clock on the wall."""
RUNNING = Facts(Order.TIME, Counts.SAMPLES, Waits.WORK, Clock.TRACE)
"""Samples while code ran on a processor."""
CALLS = Facts(Order.TIME, Counts.CALLS, Waits.BOTH, Clock.TRACE)
"""Single calls, which last while they wait."""


def sums(counts: Counts = Counts.NONE, waits: Waits = Waits.UNKNOWN, *, count_value: int | None = None) -> Facts:
    """Sums per call path, or samples without times; `count_value` is the index of the value that holds the counts."""
    return Facts(Order.NONE, counts, waits, Clock.NONE, count_value)


def break_off(builder: TraceBuilder, kept: int) -> None:
    """Note that the file breaks off behind so many bytes: errors of the builder say it from then on."""
    builder.breaks_off = f"it breaks off after {kept:,} bytes, and what stands before cannot be read: "


@dataclass(frozen=True, slots=True)
class Format:
    """`looks_like` decides on a file's head. The module of the format's name in the package `family` reads it, unless
    `reader` names another; it is imported for a file of it only, so that reading one trace does not wait for the
    readers of all others.

    `facts` are what its profiles may be: first those of a sampled profile whose importer knows no better, then the
    others that it gives. `threads` says whether threads are profiles of their own, `lines` whether functions have line
    numbers, `arguments` whether those of single calls can be read.
    """

    name: str
    label: str
    looks_like: Callable[[Head], bool]
    family: str
    facts: tuple[Facts, ...]
    threads: bool = False
    lines: bool = False
    arguments: bool = False
    reader: str | None = None

    @property
    def module(self) -> str:
        """Where the reader is."""
        return f"{self.family}.{self.reader or self.name.replace('-', '_')}"

    @property
    def read(self) -> Callable[[memoryview, TraceBuilder], None]:
        """Feeds the builder with a file's decompressed content."""
        read: Callable[[memoryview, TraceBuilder], None] = import_module(self.module).read
        return read
