"""Traces as they reach people: other line ends and codings, comments before them, lines of JSON, next to a README."""

import gzip
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from traces.analysis.functions import top_functions
from traces.bounds import DETECTION_BYTES
from traces.decompression import unwrapped
from traces.errors import UnrecognisedTrace
from traces.formats.detection import is_trace
from traces.formats.trace_event.json_lines import as_array
from traces.model import Trace
from traces.reader import read_arguments, read_trace

FIXTURES = Path(__file__).parents[2] / "fixtures"
STACKS = (FIXTURES / "error-groups.pyspy.collapsed.txt").read_bytes()
EVENT = {"name": "parse", "ph": "X", "dur": 50, "pid": 1, "tid": 2}
LINES = [json.dumps(EVENT | {"ts": 100 * number, "args": {"at": {"row": number}}}) for number in range(40)]


def read(content: bytes) -> Trace:
    return read_trace(content, name="unknown")


def top(trace: Trace) -> list[tuple[str, float]]:
    """What the heaviest functions are, and how heavy."""
    return [(row.name, row.self_value) for row in top_functions(trace).rows]


def warned(trace: Trace) -> set[str]:
    return {warning.code for warning in trace.warnings}


def in_coding(coding: str, mark: str = "") -> Callable[[bytes], bytes]:
    return lambda text: (mark + text.decode()).encode(coding)


WAYS: dict[str, Callable[[bytes], bytes]] = {
    "UTF-16": in_coding("utf-16-le"),
    "UTF-16, big": in_coding("utf-16-be"),
    "UTF-32 with a mark": in_coding("utf-32-le", "\ufeff"),
    "UTF-32 with a mark, big": in_coding("utf-32-be", "\ufeff"),
    "lines that end in CR": lambda text: text.replace(b"\n", b"\r"),
    "blank lines": lambda text: b"\n" * 2 * DETECTION_BYTES + text,
    "many comments": lambda text: b"# a comment; of 5\n" * DETECTION_BYTES + text,
    "a long comment": lambda text: b"# " + b"x" * 2 * DETECTION_BYTES + b"\n" + text,
}


@pytest.mark.parametrize("way", WAYS)
def test_stacks_are_read_in_whichever_way_they_come(way: str) -> None:
    trace, plain = read(WAYS[way](STACKS)), read(STACKS)
    assert (trace.format, trace.warnings, top(trace)) == ("collapsed", (), top(plain))


@pytest.mark.parametrize(
    "name", ["thumbnails.linux-perf.txt.gz", "thumbnails.callgrind.out.gz", "search-index.v8.log.gz"]
)
def test_blank_lines_and_comments_before_text_are_skipped(name: str) -> None:
    text = gzip.decompress((FIXTURES / name).read_bytes())
    plain = read(text)
    for before in (b"\n" * 30, b"# one\n" * 20):
        trace = read(before + text)
        assert (trace.format, top(trace)) == (plain.format, top(plain))


def test_comments_before_json_are_counted() -> None:
    trace = read(b"# one\n" * 30 + b"[" + ",".join(LINES).encode() + b"]")
    assert trace.format == "trace-event"
    assert [(warning.code, warning.count) for warning in trace.warnings] == [("remarks", 30)]


@pytest.mark.parametrize("between", ["\n", ",\n", "\r\n", "\n\n"])
def test_events_a_line_each_are_read_with_their_arguments(between: str) -> None:
    content = (between.join(LINES) + between).encode()
    trace = read(content)
    spans = trace.profiles[0].spans
    assert (trace.format, trace.warnings) == ("trace-event", ())
    assert spans is not None
    assert len(spans.start) == len(LINES)
    assert read_arguments(content, trace, ["s3"]) == {"s3": {"at": {"row": 3}}}


@pytest.mark.parametrize("cut", [1, 2, 3, 9, 60])
def test_lines_that_break_off_are_read_as_far_as_they_go(cut: int) -> None:
    trace = read("\n".join(LINES).encode()[:-cut])
    assert warned(trace) == {"unterminated"}


@pytest.mark.parametrize("line", [{"ts": 1, "msg": "slow"}, {"ph": 7.2, "depth": 3}, {"name": "GET /", "dur": 5}])
def test_lines_of_other_json_are_no_events(line: dict[str, object]) -> None:
    content = memoryview((json.dumps(line) + "\n").encode() * 9)
    assert as_array(content) is content
    with pytest.raises(UnrecognisedTrace, match="JSON"):
        read(bytes(content))


def test_an_array_may_begin_with_an_empty_event() -> None:
    assert warned(read(b"[{}," + ",".join(LINES).encode() + b"]")) == {"not_drawn"}


@pytest.mark.parametrize(
    ("written", "count"),
    [
        ('{"traceEvents": [%s,]}', 1),
        ('{"traceEvents": [%s,\n], "displayTimeUnit": "ns", }', 2),
        ('{"traceEvents": [%s], "otherData": {"a": NaN, "b": -Infinity, "c": "NaN, Infinity,]"}}', 2),
    ],
)
def test_what_json_does_not_have_is_left_out(written: str, count: int) -> None:
    trace = read((written % ",".join(LINES)).encode())
    assert [(warning.code, warning.count) for warning in trace.warnings] == [("loose_json", count)]
    spans = trace.profiles[0].spans
    assert spans is not None
    assert len(spans.start) == len(LINES)


def test_an_event_whose_time_is_no_number_is_dropped() -> None:
    content = f"[{','.join(LINES)}]".replace('"ts": 100,', '"ts": NaN,').encode()
    assert warned(read(content)) == {"no_time", "loose_json"}


def packed(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


@pytest.mark.parametrize("name", ["README.md", "docs/README", "LICENSE.txt"])
def test_a_document_that_quotes_a_trace_is_not_the_trace_of_an_archive(name: str) -> None:
    content = packed({name: b"# Stacks\nmain;a 1\n", "stacks.txt": STACKS})
    assert unwrapped(memoryview(content), "a.zip", is_trace).content == STACKS


def test_a_zip_that_is_packed_otherwise_says_what_to_do() -> None:
    with pytest.raises(UnrecognisedTrace, match="Unpack it and choose the trace in it"):
        read(packed({"stacks.txt": STACKS}, zipfile.ZIP_BZIP2))
