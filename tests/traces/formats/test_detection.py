"""Every format knows its own files and no other's, whatever they are called."""

import gzip
from inspect import signature
from pathlib import Path

import pytest

from traces.bounds import DETECTION_BYTES
from traces.decompression import unwrapped
from traces.errors import TraceError, UnrecognisedTrace
from traces.formats.detection import FORMATS, advice_for, detect, is_trace
from traces.formats.format import Format
from traces.formats.head import TOKEN, Head, outline
from traces.reader import read_trace

FIXTURES = Path(__file__).parents[3] / "fixtures"
RECORDED = sorted(
    str(p.relative_to(FIXTURES))
    for p in FIXTURES.rglob("*")
    if p.is_file() and "programs" not in p.parts and p.suffix != ".md" and p.name != "truth.json"
)


def claimed_by(path: Path) -> list[str]:
    """The names of all formats that take the file for theirs."""
    head = Head.of(unwrapped(memoryview(path.read_bytes()), "unknown", is_trace).content[:DETECTION_BYTES], "unknown")
    return [known.name for known in FORMATS if known.looks_like(head)]


@pytest.mark.parametrize("known", FORMATS, ids=lambda known: known.name)
def test_every_format_has_a_reader_of_its_name(known: Format) -> None:
    assert list(signature(known.read).parameters) == ["content", "builder"]


@pytest.mark.parametrize("file", RECORDED)
def test_at_most_one_format_claims_a_recorded_file(file: str) -> None:
    assert len(claimed_by(FIXTURES / file)) <= 1


def test_at_most_one_format_claims_a_sample(shared: Path) -> None:
    samples = [p for p in (shared / "conformance" / "samples").rglob("*") if p.is_file() and p.suffix != ".zip"]
    assert len(samples) > 40
    claims = {p.name: claimed_by(p) for p in samples}
    assert {name: formats for name, formats in claims.items() if len(formats) > 1} == {}


LARGE = {
    "austin-pylint.austin.txt.gz": "austin",
    "callgrind.cc1.out.gz": "callgrind",
    "callgrind.small-instr-cache.out.gz": "callgrind",
    "cprofile-pylint.prof.gz": "pstats",
    "go-compile-cpu.pb.gz": "pprof",
    "haskell-real.json.gz": "haskell",
    "memray-stats.json.gz": "memray",
    "node-time-lines.pb.gz": "pprof",
    "node-tsc.heapprofile.gz": "heap-profile",
    "perf-multi-pid.linux-perf.txt.gz": "linux-perf",
    "pyinstrument-pylint.json.gz": "pyinstrument",
    "pyspy-pylint.collapsed.txt.gz": "collapsed",
    "stackprof-object.json.gz": "stackprof",
    "stackprof-wall.json.gz": "stackprof",
    "torch-cpu-small.json.gz": "trace-event",
}


@pytest.mark.parametrize(("file", "name"), LARGE.items())
def test_a_real_recording_is_known_by_its_beginning(file: str, name: str, shared: Path) -> None:
    with gzip.open(shared / "traces" / file) as content:
        head = Head.of(content.read(DETECTION_BYTES), "unknown")
    assert next(known.name for known in FORMATS if known.looks_like(head)) == name


@pytest.mark.parametrize(
    "stacks", ["[unknown];main 3\n[kernel];irq 4\n", "main 5\nidle 4\nmain;draw 3\n", "{main};a 1\n"]
)
def test_stacks_whose_names_look_like_json_or_that_are_mostly_one_deep_are_stacks(stacks: str) -> None:
    assert read_trace(stacks.encode(), name="unknown").format == "collapsed"


@pytest.mark.parametrize("name", ["a.collapsed", "a.folded", "a.collapsed.txt.gz", "A.Folded.txt"])
def test_a_file_named_so_may_hold_functions_without_callers(name: str) -> None:
    assert read_trace(b"main 5\n", name=name).format == "collapsed"
    with pytest.raises(TraceError):
        read_trace(b"main 5\n", name="a.txt")


def test_a_name_never_costs_stacks_between_other_lines_their_format() -> None:
    for name in ("a.collapsed.txt", "a.txt"):
        assert read_trace(b"a remark\nmain;draw 3\nmain;load 2\n", name=name).format == "collapsed"


QUOTED = {
    "perf script": "app 12 1.5: cycles:\n\t1f f (o)\n",
    "Austin": "P1;T2;main (a.py);L3 5\n",
    "Papyrus": "10:PUSH:7:1:None:a..one\n",
    "pmcstat": "@ cycles [100 samples]\n60.00%  [60]  f\n",
    "callgrind": "events: Ir\nfn=main\n1 2\n",
}


@pytest.mark.parametrize("text", QUOTED.values(), ids=QUOTED)
def test_a_document_that_quotes_a_format_is_not_of_it(text: str) -> None:
    assert Head.of(text.encode(), "unknown").text is not None
    assert any(known.looks_like(Head.of(text.encode(), "unknown")) for known in FORMATS)
    document = "A heading\n=========\n\nWhat the tool prints,\nline by line, is this:\n\n" + text + "\nMore below.\n"
    assert not any(known.looks_like(Head.of(document.encode(), "unknown")) for known in FORMATS)


def test_an_array_of_measurements_of_acidity_is_no_trace() -> None:
    with pytest.raises(TraceError, match="not of a trace"):
        read_trace(b'[{"ph": 7.1, "depth": 3}, {"ph": 6.9, "depth": 4}]', name="water.json")


@pytest.mark.parametrize("text", ["[]", "[1, 2]", "{}", "[", "Hello 5\nworld 6\n", "port 8080\n", "[[1], 2]"])
def test_what_only_begins_like_a_trace_is_refused(text: str) -> None:
    with pytest.raises(TraceError):
        read_trace(text.encode(), name="unknown")


def test_a_string_that_the_head_cuts_off_is_one_token() -> None:
    """Else it would be looked for again at each quote inside it, a megabyte of quotes for half a minute."""
    head = b'{"a": [1], "b": "' + rb"\"" * 500
    assert [match[0] for match in TOKEN.finditer(head)][-1] == b'"' + rb"\"" * 500
    assert [match[0] for match in TOKEN.finditer(b'{"cut\\')] == [b"{", b'"cut\\']
    found = outline(head)
    assert found is not None
    assert found.keys == {"a", "b"}


@pytest.mark.parametrize(
    ("start", "advice"),
    [
        (b"prefix memray\0", "memray's own recording. Run `memray flamegraph`"),
        (b"PERFFILE", "perf's own recording, old or of a big-endian machine. Run `perf script`"),
        (b"2ELIFREP", "perf's own recording, old or of a big-endian machine. Run `perf script`"),
        (b"\x04\x08{", "Ruby's own format. Write it as JSON"),
        (b"Nettrac\0", ""),
        (b"gmon\1\0\0\0", "gprof's recording. Record with `perf record -g` or callgrind instead"),
        (b"desc: --massif\ncmd: ls\ntime_unit: i\n", "massif's log of heap sizes. Record with callgrind instead"),
    ],
)
def test_what_only_its_own_tool_reads_is_named_with_what_to_do(start: bytes, advice: str) -> None:
    found = advice_for(Head.of(start + bytes(64), "recording"))
    assert (found or "").startswith(advice)
    assert (found is None) == (not advice)


JSON_STACKS = (
    b'{"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": [{"name": "main"}]}, '
    b'"profiles": [{"type": "sampled", "name": "a", "unit": "milliseconds", "startValue": 0, "endValue": 5, '
    b'"samples": [[0]], "weights": [5]}]}'
)
PERF = b"app 12 1.5: cycles:\n\t1f f (o)\n\n"


@pytest.mark.parametrize(
    ("content", "lines", "known"),
    [
        (JSON_STACKS, 1, "speedscope"),
        (JSON_STACKS, 4, "speedscope"),
        (JSON_STACKS, 10, "speedscope"),
        (JSON_STACKS, 11, None),
        (PERF, 1, "linux-perf"),
        (PERF, 3, "linux-perf"),
    ],
)
def test_what_a_program_printed_before_its_recording_is_passed_over(
    content: bytes, lines: int, known: str | None
) -> None:
    data = b"warming up\n" * lines + content
    if known is None:
        with pytest.raises(TraceError):
            read_trace(data, name="unknown")
    else:
        assert read_trace(data, name="unknown").format == known


PERF_LINES = "prog 7/7 10.5:  500 cycles:\n\t    63c inner+0x1a (/app/prog)\n\t    7ff run (/app/prog)\n\n"
PROGRAM = f'"""Tests."""\n\nimport this\n\nTEXT = """\n{PERF_LINES * 4}"""\n' + "assert TEXT\n" * 6
PROSE = "This is how a program is recorded:\n\nRun perf record, then perf script, and look at it.\n"


@pytest.mark.parametrize(
    "text",
    [
        PROSE * 6 + PERF_LINES * 4,
        PROSE * 6 + PERF_LINES * 4 + PROSE * 2,
        PROSE * 500 + PERF_LINES * 600 + PROSE * 100,
        PROGRAM,
        '"""Reads pages of `async-profiler`."""\n\nPAGE = "<canvas id=1>"\n',
        '"""Tests."""\n\nHEAD = "<html><title>memray - flamegraph report</title>"\n',
        '"""Tests."""\n\nTITLE = "Time and Allocation Profiling Report  (Final)"\n',
    ],
)
def test_documents_and_programs_that_quote_a_recording_are_none(text: str) -> None:
    with pytest.raises(UnrecognisedTrace):
        detect(memoryview(text.encode()), "README.md")


@pytest.mark.parametrize("before", ["", "Warning: no symbols\n", "# captured on: today\n" * 30])
def test_what_begins_with_a_sample_may_have_other_lines_behind_it(before: str) -> None:
    text = before + PERF_LINES * 4 + PROSE * 2
    assert detect(memoryview(text.encode()), "out.txt").format.name == "linux-perf"
