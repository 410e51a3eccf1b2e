"""A trace's columns as a file: all of it comes back, and a file that is not as it was written is refused."""

import dataclasses
import zlib
from pathlib import Path

import numpy as np
import pytest

from tests.traces.insights.recorded import SHOP, request, timeline, values
from traces.cache import LINE_BYTES, PAGE_BYTES, PREFIX_BYTES, decode, encode
from traces.errors import DamagedTrace
from traces.invariants import check
from traces.model import Trace
from traces.reader import read_trace
from traces.values import Unit


def eventful() -> Trace:
    """Two threads with marks, readings, an interval and a request."""
    return timeline(
        [("RunTask", 0, 10), ("work", 1, 5), ("RunTask", 20, 30)],
        [("job", 3, 8)],
        names=["CrRendererMain", "worker"],
        instants=[("paint", 4.0)],
        counters=[("heap", 1.0, 5.0), ("heap", 2.0, 7.0)],
        intervals=[("fetch", 2.0, 9.0)],
        requests=[request(SHOP, 1, 2, size=7)],
    )


def heap() -> Trace:
    return values({"main;make": [3, 400], "main": [1, 8]}, [("objects", Unit.COUNT), ("space", Unit.BYTES)])


def plain(part: object) -> object:
    """Columns as lists, whatever they are inside of."""
    if isinstance(part, np.ndarray):
        return part.tolist()
    if isinstance(part, tuple) and not hasattr(part, "_fields"):
        return [plain(one) for one in part]
    if dataclasses.is_dataclass(part) and not isinstance(part, type):
        return {field.name: plain(getattr(part, field.name)) for field in dataclasses.fields(part)}
    return part


def same(first: Trace, second: Trace) -> None:
    mine, other = plain(first), plain(second)
    assert isinstance(mine, dict)
    assert len(mine["profiles"]) == len(first.profiles)
    assert mine == other


@pytest.mark.parametrize("make", [eventful, heap])
def test_a_trace_comes_back_as_it_was(make: object) -> None:
    trace = make()  # type: ignore[operator]
    again = decode(b"".join(encode(trace)))
    check(again)
    same(again, trace)


@pytest.mark.parametrize("name", ["redact-documents.viztracer.json.gz", "redact-documents.cprofile.prof"])
def test_a_recorded_trace_comes_back_as_it_was(name: str, fixtures: Path) -> None:
    trace = read_trace((fixtures / name).read_bytes(), name="calls")
    again = decode(b"".join(encode(trace)))
    check(again)
    same(again, trace)


def test_columns_are_aligned_and_large_ones_to_a_page() -> None:
    trace = timeline([("work", k, k + 1) for k in range(2_000)])
    parts = encode(trace)
    sizes = np.cumsum([0, *(len(part) for part in parts)])
    starts = {int(at): len(part) for at, part in zip(sizes, parts, strict=False)}
    large = [at for at, size in starts.items() if size >= 2_000 * 4]
    assert len(large) > 5
    assert all(at % PAGE_BYTES == 0 for at in large)
    assert sum(at % LINE_BYTES == 0 for at in starts) > len(starts) // 2


def test_a_file_that_is_cut_longer_or_changed_is_refused() -> None:
    content = b"".join(encode(eventful()))
    for bad in (content[:-1], content + b"\0", content[:100], content[:PREFIX_BYTES], b"", b"X" + content[1:]):
        with pytest.raises(DamagedTrace):
            decode(bad)
    flipped = bytearray(content)
    flipped[PREFIX_BYTES + 5] ^= 1
    with pytest.raises(DamagedTrace, match="its header is broken"):
        decode(bytes(flipped))


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (b'"default_profile":0', b'"default_profile":9', "its default profile does not exist"),
        (b'"frames.name":["i4"', b'"frames.name":["i8"', "its column frames.name is missing or of another kind"),
        (b'"engine":"', b'"engine":"other ', "it was made by engine other"),
    ],
)
def test_a_header_that_does_not_fit_its_columns_is_refused(old: bytes, new: bytes, reason: str) -> None:
    content = b"".join(encode(eventful()))
    size = int.from_bytes(content[8:12], "little")
    text = content[PREFIX_BYTES : PREFIX_BYTES + size].replace(old, new, 1)
    assert text != content[PREFIX_BYTES : PREFIX_BYTES + size]
    prefix = content[:8] + len(text).to_bytes(4, "little") + zlib.crc32(text).to_bytes(4, "little")
    with pytest.raises(DamagedTrace, match=reason):
        decode(prefix + text + content[PREFIX_BYTES + len(text) :])
