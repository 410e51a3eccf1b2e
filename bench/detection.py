"""How many foreign files are taken for traces, and how many damaged ones of ours are known."""

from collections.abc import Iterable
from pathlib import Path

from bench.damaged_files import damaged, recordings
from bench.foreign_files import of_packages, written
from traces.errors import DamagedTrace, EmptyTrace, TraceError, UnrecognisedTrace
from traces.reader import read_trace

WRITTEN, OF_PACKAGES = 240, 160
LEAST_KNOWN = 0.98


def misread(files: Iterable[tuple[str, bytes]]) -> list[str]:
    """The foreign files that are taken for a trace, each with its format or with the error of its importer."""
    found = []
    for name, content in files:
        try:
            found.append(f"{name}: read as {read_trace(content, name=name).format}")
        except UnrecognisedTrace:
            continue
        except EmptyTrace as error:
            if "the file is empty" not in str(error):
                found.append(str(error))
        except TraceError as error:
            found.append(str(error))
    return found


def unknown(files: Iterable[tuple[str, str, bytes]], formats: dict[str, str]) -> tuple[list[str], int]:
    """The damaged files that neither open as what they were nor are refused as a damaged file of that format; and how
    many open. `files` are a recording's name, what was done to it, and its content."""
    found, opened = [], 0
    for name, damage, content in files:
        try:
            trace = read_trace(content, name=name)
        except (DamagedTrace, EmptyTrace) as error:
            if f"this {formats[name]} file" not in str(error).replace("trace-event", "chrome").replace(
                "chrome", formats[name]
            ):
                found.append(f"{name} {damage}: {error}")
        except TraceError as error:
            found.append(f"{name} {damage}: {error}")
        else:
            opened += 1
            if {trace.format, formats[name]} not in ({formats[name]}, {"chrome", "trace-event"}):
                found.append(f"{name} {damage}: read as {trace.format}")
    return found, opened


def print_detection(fixtures: Path) -> bool:
    """Both figures and every failure; whether both are as they have to be."""
    foreign = [*written(WRITTEN), *of_packages(OF_PACKAGES)]
    wrong = misread(foreign)
    print(f"foreign files misread: {len(wrong)} of {len(foreign)}", *wrong, sep="\n  ")
    ours = recordings(fixtures)
    formats = {name: read_trace(content, name=name).format for name, content in ours}
    files = [(name, *each) for name, content in ours for each in damaged(name, content)]
    lost, opened = unknown(files, formats)
    share = 1 - len(lost) / len(files)
    print(f"damaged files recognised: {share:.1%} of {len(files)}; {opened} open", *lost, sep="\n  ")
    return not wrong and share >= LEAST_KNOWN
