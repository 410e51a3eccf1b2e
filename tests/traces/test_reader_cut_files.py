"""Files that break off, as a recorder that died or a halted copy leaves them: what is complete is read, and it is said
how much that is."""

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from traces.errors import DamagedTrace, TraceError
from traces.formats.json_repair import repairs
from traces.invariants import check
from traces.kernels.json_levels import Levels, scan_levels, scan_levels_reference
from traces.kernels.library import NotReadable
from traces.model import Trace
from traces.reader import read_arguments, read_trace

EVENTS = [{"ph": "X", "name": f"f{n}", "ts": n * 10, "dur": 5, "pid": 1, "tid": 1} for n in range(400)]
SPEEDSCOPE = {
    "$schema": "https://www.speedscope.app/file-format-schema.json",
    "shared": {"frames": [{"name": f"f{number}"} for number in range(4)]},
    "profiles": [
        {
            "type": "sampled",
            "name": name,
            "unit": "milliseconds",
            "startValue": 0,
            "endValue": 900,
            "samples": [[0, 1], [0, 2], [0, 3]] * 300,
            "weights": [1] * 900,
        }
        for name in ("first", "second")
    ],
}


def only(trace: Trace, code: str) -> str:
    (warning,) = [each for each in trace.warnings if each.code == code]
    return warning.text


@pytest.mark.parametrize("before", [{}, {"otherData": {"version": "1"}, "deviceProperties": []}], ids=["", "more"])
@pytest.mark.parametrize("part", [0.2, 0.5, 0.99, 0.9999])
def test_an_object_of_trace_events_is_read_as_far_as_it_goes(before: dict[str, object], part: float) -> None:
    document = json.dumps(before | {"traceEvents": EVENTS, "displayTimeUnit": "ms"}).encode()
    cut = document[: int(len(document) * part)]
    trace = read_trace(cut, name="cut.json")
    check(trace)
    expected = min(cut.count(b'"tid": 1}'), len(EVENTS))
    assert [len(profile.spans or ()) for profile in trace.profiles] == [expected]
    found = re.fullmatch(
        r"the file breaks off: ([\d,]+) of its ([\d,]+) bytes were read, .+ of the recording",
        only(trace, "unterminated"),
    )
    assert found is not None
    kept, size = (int(number.replace(",", "")) for number in found.groups())
    assert size == len(cut)
    assert size - kept < 200


def test_the_list_of_events_alone_says_how_much_was_read_too() -> None:
    trace = read_trace(json.dumps(EVENTS).encode()[:-40], name="cut.json")
    assert re.search(r"breaks off.*: [\d,]+ bytes, 3\.98.* of the recording", only(trace, "unterminated"))


def test_arguments_of_a_file_that_breaks_off_are_found() -> None:
    events = [event | {"args": {"n": number}} for number, event in enumerate(EVENTS)]
    cut = json.dumps({"traceEvents": events}).encode()[:-300]
    assert read_arguments(cut, read_trace(cut, name="cut.json"), ["s7"]) == {"s7": {"n": 7}}


def test_a_profile_of_speedscope_without_its_weights_is_left_out() -> None:
    document = json.dumps(SPEEDSCOPE).encode()
    for part, profiles, samples in ((0.7, 1, 900), (0.98, 2, 1_000)):
        trace = read_trace(document[: int(len(document) * part)], name="cut.speedscope.json")
        check(trace)
        assert len(trace.profiles) == profiles
        assert sum(len(profile.samples or ()) for profile in trace.profiles) >= samples
        assert "of its" in only(trace, "unterminated")


def test_calls_of_speedscope_that_are_open_end_with_the_file() -> None:
    calls = [("O", 0), ("O", 1), ("C", 1), ("O", 2)]
    events = [{"type": kind, "frame": frame, "at": at} for at, (kind, frame) in enumerate(calls)]
    profile = {"type": "evented", "name": "p", "unit": "none", "startValue": 0, "endValue": 9, "events": events}
    document = json.dumps(SPEEDSCOPE | {"profiles": [profile]}).encode()
    trace = read_trace(document[: document.index(b"]}]}") + 1], name="cut.json")
    check(trace)
    assert [len(profile.spans or ()) for profile in trace.profiles] == [3]
    assert "of its" in only(trace, "unterminated")


def test_what_cannot_be_read_without_its_end_says_what_is_missing() -> None:
    document = json.dumps({"$schema": SPEEDSCOPE["$schema"], "profiles": SPEEDSCOPE["profiles"]}).encode()
    with pytest.raises(DamagedTrace, match=r"breaks off after [\d,]+ bytes.*the list of functions .* is missing"):
        read_trace(document[:-50], name="cut.json")


@pytest.mark.parametrize("padding", [b"\0" * 5_000, b"\0"])
def test_zeros_that_a_file_system_left_are_no_part_of_the_file(padding: bytes) -> None:
    document = json.dumps({"traceEvents": EVENTS}).encode()
    assert len(read_trace(document[:-100] + padding, name="x").profiles[0].spans or ()) == len(EVENTS) - 2
    assert only(read_trace(document + padding, name="x"), "trailing").startswith("bytes behind the end of the JSON")


def test_a_line_behind_the_json_is_left_out() -> None:
    document = json.dumps(SPEEDSCOPE).encode()
    trace = read_trace(document + b"\nsaved to trace.json\n", name="x")
    assert [(each.code, each.count) for each in trace.warnings] == [("trailing", 21)]


def test_a_byte_that_is_no_character_costs_no_profile() -> None:
    document = json.dumps(SPEEDSCOPE).encode().replace(b'"f1"', b'"f\xe9"')
    trace = read_trace(document, name="x")
    assert "f?" in trace.frame_names
    assert [(each.code, each.count) for each in trace.warnings] == [("not_utf8", 1)]


def prefixes(document: bytes) -> Iterator[bytes]:
    yield from (document[:size] for size in range(1, len(document) + 1))


DOCUMENT = json.dumps({"a": [1, {"b": "x\\y", "c": [True, None]}, -2.5e3], "é": {}, "d": [[], [{}], ""]}).encode()


@pytest.mark.parametrize("document", [DOCUMENT, b" [1, 2]", b'[{"a": "\\ud83d\\ude00"}, {}]'])
def test_every_beginning_of_a_document_becomes_a_document(document: bytes) -> None:
    for start in prefixes(document):
        found = scan_levels(start)
        assert found == scan_levels_reference(start)
        for repaired in repairs(memoryview(start)):
            json.loads(bytes(repaired.content))
            assert bytes(repaired.content[: repaired.kept]) == start[: repaired.kept]
    assert scan_levels(document) == Levels((), len(document))


@pytest.mark.parametrize("broken", [b"[1 2", b'{"a" 1', b'{"a": }', b"[,1]", b"[tru]", b'["\x01"', b"{1", b"[" * 2_000])
def test_what_is_no_json_is_not_repaired(broken: bytes) -> None:
    for scan in (scan_levels, scan_levels_reference):
        with pytest.raises(NotReadable) as caught:
            scan(broken)
        assert caught.value.position <= len(broken)
    assert list(repairs(memoryview(broken))) == []


ORDERED = {"speedscope", "cpuprofile", "pprof", "jfr", "perf-data", "collapsed"}
"""Formats of which too short a beginning holds nothing to be read."""


def refusal(content: bytes, name: str) -> str | None:
    """Why a file is refused; None where it is read."""
    try:
        check(read_trace(content, name=name))
    except TraceError as error:
        return str(error)
    return None


@pytest.mark.long
@pytest.mark.timeout(300)
def test_every_fixture_is_read_or_refused_with_what_is_missing_wherever_it_is_cut(fixtures: Path) -> None:
    files = [path for path in sorted(fixtures.glob("*.*")) if path.name not in {"truth.json", "PROVENANCE.md"}]
    assert len(files) > 15
    for path in files:
        content = path.read_bytes()
        content = gzip.decompress(content) if path.suffix == ".gz" else content
        for part in (0.3, 0.5, 0.8, 0.95, 0.999):
            reason = refusal(content[: int(len(content) * part)], path.name)
            assert reason is None or any(name in reason for name in ORDERED), f"{path.name} at {part}: {reason}"


def test_raw_samples_of_stackprof_are_read_up_to_where_they_break_off() -> None:
    frames = {"1": {"name": "main"}, "2": {"name": "work"}}
    document = {"mode": "wall", "interval": 1_000, "samples": 3, "missed_samples": 0, "frames": frames}
    content = json.dumps(document | {"raw": [2, 1, 2, 1, 1, 1, 2], "raw_timestamp_deltas": [5, 5, 5]}).encode()
    complete = read_trace(content, name="x").profiles[0]
    assert len(complete.samples or ()) == 2
    cut = read_trace(content[: content.index(b'"raw_timestamp') - 5], name="x")
    check(cut)
    assert len(cut.profiles[0].samples or ()) == 1
    assert "of its" in only(cut, "unterminated")


CALLS = ",".join(f'{{"ph":"X","name":"work","ts":{at * 200},"dur":100,"pid":1,"tid":1}}' for at in range(3))
SAMPLED = (
    '{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"a"}]},"profiles":['
    '{"type":"sampled","name":"t","unit":"milliseconds","startValue":0,"endValue":2,"samples":[[0],[0],],"weights":[1,1]}'
)


def test_a_list_that_ends_with_a_comma_before_its_bracket_breaks_off_nowhere() -> None:
    for text in (f"[{CALLS},]", f"[{CALLS} , ]\n"):
        trace = read_trace(text.encode(), name="calls")
        assert [one.code for one in trace.warnings] == ["loose_json"]


@pytest.mark.parametrize("text", [SAMPLED, f'{{"traceEvents":[{CALLS},]', f'{{"a":[1,],"traceEvents":[{CALLS}]'])
def test_what_breaks_off_may_have_commas_too_many_before(text: str) -> None:
    trace = read_trace(text.encode(), name="cut")
    assert {one.code: one.count for one in trace.warnings} == {"unterminated": 1, "loose_json": 1}
    assert trace.profiles[0].tree.total_values[0].max() > 0
