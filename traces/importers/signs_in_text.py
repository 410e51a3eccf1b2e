"""What text formats look like, a function each, by the format's name. A sign imports no reader."""

import re

from traces.importers.head import Head
from traces.kernels.perf import frame_parts, header_parts

AUSTIN = re.compile(r"^P\d{1,9};T[^;\n]{0,200}(?:;[^\n]*)? -?\d+(?:,[01],-?\d+)?\r?$", re.MULTILINE)
CALLGRIND_EVENTS = re.compile(r"^events: *\S", re.MULTILINE)
CALLGRIND_FUNCTION = re.compile(r"^fn=", re.MULTILINE)
COLLAPSED = re.compile(r"^(.+) (\d+)$")
COLLAPSED_NAMES = (".collapsed", ".folded", ".collapsed.txt", ".folded.txt")
INSTRUMENTS_FIGURES = ("Weight", "Running Time", "Bytes Used")
INSTRUMENTS_SYMBOLS = ("Symbol Name", "Symbol Names")
PAPYRUS = re.compile(r"^\d{1,12}:(?:PUSH|POP):\d{1,18}:\d{1,9}:", re.MULTILINE)
PMCSTAT = re.compile(r"^@ \S+ \[\d+ samples\] *$", re.MULTILINE)


def instruments(head: Head) -> bool:
    """A text whose first line names columns: a figure and a symbol."""
    if head.text is None:
        return False
    columns = head.text.partition("\n")[0].rstrip("\r").split("\t")
    figures = any(name in columns for name in INSTRUMENTS_FIGURES)
    return figures and any(name in columns for name in INSTRUMENTS_SYMBOLS)


def async_profiler(head: Head) -> bool:
    """A page that names async-profiler and draws on a canvas."""
    return head.text is not None and head.json is None and "async-profiler" in head.text and "<canvas" in head.text


def papyrus(head: Head) -> bool:
    """Lines of pushes and pops."""
    return head.text is not None and head.json is None and PAPYRUS.search(head.text) is not None


def pmcstat(head: Head) -> bool:
    """Text with a title that counts samples."""
    return head.text is not None and head.json is None and PMCSTAT.search(head.text) is not None


def linux_perf(head: Head) -> bool:
    """A line with a time and an event, and a frame with an address and an object in the same line or the next."""
    if head.text is None or head.json is not None:
        return False
    lines = head.data.split(b"\n")
    for line, following in zip(lines, [*lines[1:], b""], strict=True):
        header = header_parts(line)
        if header is not None:
            return frame_parts(header.rest or following) is not None
    return False


def callgrind(head: Head) -> bool:
    """Text with a list of events and functions."""
    if head.text is None or head.json is not None:
        return False
    if head.text.startswith("# callgrind format"):
        return True
    return CALLGRIND_EVENTS.search(head.text) is not None and CALLGRIND_FUNCTION.search(head.text) is not None


def austin(head: Head) -> bool:
    """Lines that begin with a process and a thread."""
    return head.text is not None and head.json is None and AUSTIN.search(head.text) is not None


def collapsed(head: Head) -> bool:
    """Text of which most lines end in a weight, and half of these have a stack; or all do, and a quarter has."""
    if head.text is None or head.json is not None:
        return False
    lines = [line for line in head.text.splitlines() if line.strip() and not line.startswith("#")]
    if len(head.data) > 1000 and len(lines) > 1:
        lines = lines[:-1]  # the last line may be cut
    stacks = [match[1] for line in lines if (match := COLLAPSED.match(line))]
    if head.name.endswith(COLLAPSED_NAMES) and len(stacks) == len(lines) > 0:
        return True  # a stack may be one function deep
    deep = sum(";" in stack for stack in stacks)
    if deep == 0 or len(stacks) * 2 < len(lines):
        return False
    return deep * (4 if len(stacks) == len(lines) else 2) >= len(stacks)
