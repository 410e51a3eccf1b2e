"""The shared recordings of Java 7 to 11 against the stacks that Java Mission Control's own tests expect of them."""

import gzip
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from traces.builder import TraceBuilder
from traces.formats.jfr.jfr import Paths
from traces.formats.jfr.jfr_chunk import chunks
from traces.invariants import check
from traces.reader import read_trace

pytestmark = pytest.mark.long

METHOD = re.compile(r"( *)(?:\S+ )?(\S+)\.([^.(]+|\(unknown\))\(.*\) \((\d+)\)")
Stack = tuple[str, ...]


def stacks_expected(text: str) -> Counter[Stack]:
    """How often each stack stands in the text, innermost first: blocks of lines, and deeper ones that go on."""
    found: Counter[Stack] = Counter()
    blocks: list[tuple[int, Stack]] = []
    after_blank = True
    for line in text.splitlines():
        match = METHOD.fullmatch(line.replace("null (", "(unknown).(unknown)() ("))
        if match is None:
            after_blank = True
            continue
        name = match[3] if match[3] == match[2] else f"{match[2]}:{match[3]}"
        indent, count = len(match[1]), int(match[4])
        if blocks and indent == blocks[-1][0] and not after_blank:
            outer = blocks.pop()[1]
            found[outer] -= count
        else:
            while blocks and blocks[-1][0] >= indent:
                blocks.pop()
            outer = blocks[-1][1] if blocks else ()
            if outer:
                found[outer] -= count
        blocks.append((indent, (*outer, name)))
        found[*outer, name] += count
        after_blank = False
    return +found


class NamingBuilder(TraceBuilder):
    """Knows what its frames are called."""

    def __init__(self, name: str, format_name: str) -> None:
        super().__init__(name, format_name)
        self.names: dict[int, str] = {}

    def frame(self, name: str, *place: Any, **more: Any) -> int:
        index = super().frame(name, *place, **more)
        self.names[index] = name
        return index


def stacks_read(data: bytes) -> Counter[Stack]:
    """The stacks of every event that has one."""
    builder = NamingBuilder("sample", "jfr")
    found: Counter[Stack] = Counter()
    for chunk in chunks(data):
        paths = Paths(chunk, builder)
        for _, event in chunk.events(None):
            path = paths.of(event.get("stackTrace"))
            if path:
                found[tuple(builder.names[frame] for frame in reversed(path))] += 1
    return found


@pytest.mark.parametrize("name", ["8u40", "9u0", "metadata_new"])
def test_every_stack_is_one_that_mission_control_reads(name: str, shared: Path) -> None:
    folder = shared / "samples"
    text = gzip.decompress((folder / f"jfr.jmc-{name}.truth.stacktraces.txt.gz").read_bytes()).decode()
    expected = stacks_expected(text)
    assert sum(expected.values()) > 300
    assert stacks_read(gzip.decompress((folder / f"jfr.jmc-{name}.jfr.gz").read_bytes())) == expected


@pytest.mark.parametrize(
    ("name", "first", "total", "profiles"),
    [
        ("8u40", "Without native calls", 19, 15),
        ("9u0", "Allocations of thread-local buffers and beside them", 2_948_040, 9),
        ("allocation-fixed", "Without native calls", 738, 4),
        ("full-gc-g1", "Garbage collections", 7_622_674_968, 2),
        ("metadata_new", "Without native calls", 5_073, 11),
        ("wldf", "Without native calls", 1_676, 46),
    ],
)
def test_every_recording_opens(name: str, first: str, total: float, profiles: int, shared: Path) -> None:
    trace = read_trace((shared / "samples" / f"jfr.jmc-{name}.jfr.gz").read_bytes(), name=name)
    check(trace)
    shown = trace.profiles[trace.default_profile]
    assert (shown.name, float(shown.tree.self_values[0].sum()), len(trace.profiles)) == (first, total, profiles)
