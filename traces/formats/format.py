"""A format: what its importer says of it before a file is read."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from traces.builder import TraceBuilder
from traces.formats.head import Head


@dataclass(frozen=True, slots=True)
class Format:
    """`looks_like` decides on a file's head. The module of the format's name in the package `family` reads it; it is
    imported for a file of it only, so that reading one trace does not wait for the readers of all others.
    """

    name: str
    label: str
    looks_like: Callable[[Head], bool]
    family: str

    @property
    def module(self) -> str:
        """Where the reader is."""
        return f"{self.family}.{self.name.replace('-', '_')}"

    @property
    def read(self) -> Callable[[memoryview, TraceBuilder], None]:
        """Feeds the builder with a file's decompressed content."""
        read: Callable[[memoryview, TraceBuilder], None] = import_module(self.module).read
        return read
