"""Files that are no traces: each is refused by name, with the reason."""

import gc
import gzip
import io
import json
import re
import zipfile
from collections.abc import Callable
from contextlib import suppress

import numpy as np
import pytest
import zstandard

from traces.bounds import MAX_UPLOAD_BYTES
from traces.errors import DamagedTrace, EmptyTrace, TraceError, TraceTooLarge, UnrecognisedTrace
from traces.reader import read_trace

COLLAPSED = b"main;parse 3\nmain;draw 4\n" * 200
SPEEDSCOPE = "https://www.speedscope.app/file-format-schema.json"


def refused(data: bytes, name: str = "notes.bin") -> TraceError:
    with pytest.raises(TraceError) as caught:
        read_trace(data, name=name)
    assert name in str(caught.value)
    return caught.value


def zipped(**members: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def test_an_empty_file_is_called_empty() -> None:
    assert isinstance(refused(b""), EmptyTrace)
    assert isinstance(refused(gzip.compress(b"")), EmptyTrace)


def test_a_trace_without_events_is_called_empty() -> None:
    assert isinstance(refused(b'{"traceEvents": []}'), EmptyTrace)


@pytest.mark.parametrize("searching", [True, False])
@pytest.mark.parametrize("data", [b"main;draw 4\n", b'[{"ph": "X", "ts": 1'])
def test_the_search_for_cycles_is_after_reading_as_it_was_before(data: bytes, searching: bool) -> None:
    was_searching = gc.isenabled()
    try:
        (gc.enable if searching else gc.disable)()
        with suppress(TraceError):
            read_trace(data, name="small")
        assert gc.isenabled() == searching
    finally:
        (gc.enable if was_searching else gc.disable)()


@pytest.mark.parametrize("cut", [3, 12])
def test_a_gzip_of_which_nothing_is_left_is_called_truncated(cut: int) -> None:
    error = refused(gzip.compress(COLLAPSED)[:cut])
    assert isinstance(error, DamagedTrace)
    assert "truncated" in str(error)


LINES = "".join(f"main;step_{number * 7919 % 1000};leaf_{number} {number + 3}\n" for number in range(2_000)).encode()


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress, lambda data: zipped(trace=data)])
@pytest.mark.parametrize("part", [0.5, 0.9, 0.999])
def test_what_a_package_holds_that_breaks_off_is_read_and_counted(pack: Callable[[bytes], bytes], part: float) -> None:
    packed = pack(LINES)
    cut = packed[: int(len(packed) * part)]
    if pack is zstandard.compress:  # one block: nothing is left of it
        assert "truncated" in str(refused(cut))
        return
    trace = read_trace(cut, name="cut.gz")
    assert trace.format == "collapsed"
    (warning,) = [each for each in trace.warnings if each.code == "cut_package"]
    assert re.search(r"file breaks off: [\d,]+ bytes could be unpacked", warning.text)
    read = sum(profile.tree.self_values[0].sum() for profile in trace.profiles)
    assert 0 < read <= sum(range(3, 2_003))


def test_members_of_a_gzip_follow_each_other_and_the_last_may_break_off() -> None:
    first, second = gzip.compress(LINES[:9_000]), gzip.compress(LINES[9_000:])
    assert len(read_trace(first + b"\0" * 9 + second, name="two.gz").frames) == len(
        read_trace(LINES, name="one").frames
    )
    cut = read_trace(first + second[:-100], name="two.gz")
    assert "cut_package" in {warning.code for warning in cut.warnings}
    assert len(cut.frames) > len(read_trace(LINES[:9_000], name="first").frames)


@pytest.mark.parametrize("cut", [20, -1])
def test_a_truncated_zstd_is_called_truncated(cut: int) -> None:
    assert "truncated" in str(refused(zstandard.compress(COLLAPSED)[:cut]))


def test_a_gzip_with_a_wrong_checksum_is_called_damaged() -> None:
    packed = bytearray(gzip.compress(COLLAPSED))
    packed[-6] ^= 255
    assert isinstance(refused(bytes(packed)), DamagedTrace)


@pytest.mark.parametrize(
    "wrap", [gzip.compress, zstandard.compress, lambda data: zipped(trace=data)], ids=["gzip", "zstd", "zip"]
)
def test_a_bomb_is_refused_before_it_is_unpacked(
    wrap: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("traces.compression.EXPANSION_GRACE_BYTES", 1 << 20)
    error = refused(wrap(bytes(3 << 20)))
    assert isinstance(error, TraceTooLarge)
    assert "400 times" in str(error)


def test_a_file_over_the_bound_is_refused_with_the_bound() -> None:
    sparse = np.zeros(1, np.uint8)
    view = np.lib.stride_tricks.as_strided(sparse, (MAX_UPLOAD_BYTES + 1,), (0,))
    with pytest.raises(TraceTooLarge, match=r"big\.json.*GB is the limit"):
        read_trace(view.data, name="big.json")


def test_a_zip_of_two_files_asks_for_one() -> None:
    assert "2 files" in str(refused(zipped(a=COLLAPSED, b=COLLAPSED)))


@pytest.mark.parametrize(
    "text",
    [
        "Lorem ipsum dolor sit amet, consectetur adipiscing elit.\n" * 200,
        "\n".join(f"on day {day} we saw birds, in all {day * 7}" for day in range(300)),
        "One; two 2\n" + "".join(f"line {i} has {i}\n" for i in range(200)),
        "id;name;age\n" + "".join(f"{i};person {i};{i % 90}\n" for i in range(900)),
        "Hello\n\nWorld",
        "# interval: 200\n# duration: 59482447\n",
    ],
    ids=["prose", "prose ending in numbers", "numbered list", "csv", "two words", "comments"],
)
def test_text_is_never_taken_for_collapsed_stacks(text: str) -> None:
    error = refused(text.encode(), "notes.txt")
    assert isinstance(error, UnrecognisedTrace)
    assert "this is " in str(error)  # it says what the file is


@pytest.mark.parametrize(
    "data",
    [
        b"\x7fELF" + bytes(range(256)) * 40,
        b"\x89PNG\r\n\x1a\n" + bytes(5000),
        b"SQLite format 3\x00" + b";a 1\n" * 500,
        b"PERFILE2" + b"main;parse 3\n\x00" * 300,
        bytes(range(200, 0, -1)) * 40,
    ],
    ids=["program", "picture", "database", "perf.data", "noise"],
)
def test_binary_files_are_never_taken_for_text(data: bytes) -> None:
    assert isinstance(refused(data), UnrecognisedTrace)


@pytest.mark.parametrize("content", [{"name": "app", "version": 3}, [1, 2, 3], {"a": [{"b": 1}] * 5000}, [], {}])
def test_json_of_another_kind_is_not_recognised(content: object) -> None:
    error = refused(json.dumps(content).encode(), "package.json")
    assert isinstance(error, UnrecognisedTrace)
    assert "not of a trace" in str(error)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (
            '{"traceEvents": [{"ph": "X", "na',
            r"breaks off after \d+ bytes.*none of its slices",
        ),
        ('{"traceEvents": [{"ph": "X", "name": "a", "ts": 1, "dur": 2]}', "malformed"),
        ('{"traceEvents": {"ph": 1}}', "array"),
        ('{"traceEvents": [{"ph": "X", "name": "a", "ts": "noon", "pid": 1, "tid": 1}]}', "time|convert|float"),
        ('{"traceEvents": [{"ph": "X", "name": "a", "ts": 1e300, "pid": 1, "tid": 1}]}', "out of range"),
        ('{"nodes": [{"id": 1, "callFrame": {}}], "samples": [7], "timeDeltas": [1]}', "node that is not"),
        ('{"nodes": [{"id": 1, "callFrame": {}}], "samples": [1, 1], "timeDeltas": [1]}', "2 samples"),
        ('{"nodes": [{"id": 1, "parent": 1, "callFrame": {}}], "samples": [1], "timeDeltas": [1]}', "cycle"),
        ('{"nodes": [{"id": 1, "callFrame": {}}]}', "no samples"),
    ],
)
def test_broken_files_of_a_known_format_say_what_is_wrong(content: str, reason: str) -> None:
    with pytest.raises(DamagedTrace, match=rf"broken\.json.*({reason})"):
        read_trace(content.encode(), name="broken.json")


@pytest.mark.parametrize(
    ("profile", "reason"),
    [
        ({"type": "sampled", "samples": [[0], [5]], "weights": [1, 1]}, "frame that is not"),
        ({"type": "sampled", "samples": [[-1]], "weights": [1]}, "frame that is not"),
        ({"type": "sampled", "samples": [[0]], "weights": [1, 2]}, "2 weights"),
        ({"type": "sampled", "samples": [[0]], "weights": [-2]}, "negative"),
        (
            {"type": "evented", "events": [{"type": "O", "frame": 9, "at": 0}, {"type": "C", "frame": 9, "at": 1}]},
            "frame",
        ),
        ({"type": "evented", "events": [{"type": "C", "frame": 0, "at": 0}]}, "closes"),
        (
            {"type": "evented", "events": [{"type": "O", "frame": 0, "at": 5}, {"type": "C", "frame": 0, "at": 1}]},
            "order",
        ),
        ({"type": "square"}, "neither"),
    ],
)
def test_contradictions_in_speedscope_files_are_named(profile: dict[str, object], reason: str) -> None:
    file = {
        "$schema": SPEEDSCOPE,
        "shared": {"frames": [{"name": "a"}]},
        "profiles": [{"name": "p", "unit": "seconds", "startValue": 0, "endValue": 9, **profile}],
    }
    with pytest.raises(DamagedTrace, match=reason):
        read_trace(json.dumps(file).encode(), name="broken.json")


def test_no_error_quotes_the_contents_of_a_file() -> None:
    secret = "hunter2"
    for content in (
        f'{{"traceEvents": [{{"ph": "{secret}", "ts": "{secret}", "name": 1}}]}}',
        f'{{"nodes": "{secret}", "samples": [1], "timeDeltas": [1]}}',
        f"{secret} " * 2000,
    ):
        with pytest.raises(TraceError) as caught:
            read_trace(content.encode(), name="x.json")
        assert secret not in str(caught.value)
