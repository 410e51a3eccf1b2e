"""Instruments: deep copies as text, and zipped traces."""

from traces.formats.format import RUNNING, Format, sums
from traces.formats.head import Head

INSTRUMENTS_FIGURES = ("Weight", "Running Time", "Bytes Used")
INSTRUMENTS_SYMBOLS = ("Symbol Name", "Symbol Names")


def looks_like_instruments(head: Head) -> bool:
    """A text whose first line names columns: a figure and a symbol."""
    if head.text is None:
        return False
    columns = head.text.partition("\n")[0].rstrip("\r").split("\t")
    figures = any(name in columns for name in INSTRUMENTS_FIGURES)
    return figures and any(name in columns for name in INSTRUMENTS_SYMBOLS)


def looks_like_instruments_trace(head: Head) -> bool:
    """A zip whose first names are those of a folder something.trace."""
    return head.data[:4] == b"PK\x03\x04" and b".trace/" in head.data[:300]


INSTRUMENTS = Format("instruments", "Instruments deep copies and traces", looks_like_instruments, __name__, (sums(),))
INSTRUMENTS_TRACE = Format(
    "instruments-trace",
    "Instruments traces (.trace.zip)",
    looks_like_instruments_trace,
    __name__,
    (RUNNING,),
    threads=True,
)
