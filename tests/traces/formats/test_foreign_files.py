"""Files that are no traces are called what they are, with a next step; damaged ones of ours are known all the same."""

import io
import json
import stat
import struct
import tarfile
import zipfile
from collections.abc import Callable
from contextlib import suppress
from itertools import islice
from pathlib import Path

import pytest

from bench.damaged_files import damaged, recordings
from bench.detection import LEAST_KNOWN, misread, print_detection, unknown
from bench.foreign_files import KINDS, written
from traces.errors import TraceError, UnrecognisedTrace
from traces.reader import read_arguments, read_trace

Pack = Callable[..., bytes]
SPANS = {"traceId": "a", "id": "b", "name": "get", "timestamp": 1, "duration": 2}
ELF = b"\x7fELF\x02\x01\x01" + bytes(9)

CALLED = {
    "PNG": (b"\x89PNG\r\n\x1a\n" + bytes(40), "a picture (PNG)"),
    "JPEG": (b"\xff\xd8\xff\xe0" + bytes(40), "a picture (JPEG)"),
    "program": (ELF + struct.pack("<H", 2) + bytes(90), "a program or a library (ELF)"),
    "core": (ELF + struct.pack("<H", 4) + bytes(90), "a core dump"),
    "Mach-O": (b"\xcf\xfa\xed\xfe\x07\0\0\1" + bytes(90), "macOS (Mach-O)"),
    "class": (b"\xca\xfe\xba\xbe\0\0\0\x41" + bytes(90), "compiled Java"),
    "SQLite": (b"SQLite format 3\0" + bytes(90), "a database (SQLite)"),
    "PDF": (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n\0", "a document (PDF)"),
    "xz": (b"\xfd7zXZ\0\0\4" + bytes(40), "packed with xz"),
    "hprof": (b"JAVA PROFILE 1.0.2\0" + bytes(40), "a heap dump of Java"),
    "Go": (b"go 1.22 trace\0\0\0" + bytes(40), "an execution trace of Go"),
    "noise": (bytes(range(200, 0, -1)), "of a kind that is not known here"),
    "HAR": (b'{"log": {"version": "1.2", "creator": {}, "entries": []}}', "requests (HAR)"),
    "heap": (b'{"snapshot": {"meta": {"node_fields": []}}, "nodes": [], "edges": []}', "a heap snapshot"),
    "OTLP": (b'{"resourceSpans": []}', "a distributed trace (OpenTelemetry)"),
    "Jaeger": (b'{"data": [{"traceID": "a", "spans": []}]}', "(Jaeger)"),
    "Zipkin": (json.dumps([SPANS]).encode(), "(Zipkin)"),
    "other JSON": (b'{"a": [1, 2, 3]}', "JSON, but not of a trace"),
    "page": (b"<!DOCTYPE html>\n<html><body>x</body></html>", "a page (HTML)"),
    "SVG": (b'<?xml version="1.0"?>\n<svg><g id="frames"></g></svg>', "a flame graph as a picture"),
    "trace in JSON": (b'{"result": {"traceEvents": [{"ph": "X"}]}}', "JSON with a trace inside"),
    "Pyroscope": (b'{"version": 1, "flamebearer": {"names": []}}', "a flame graph of Pyroscope"),
    "d3": (b'{"name": "root", "value": 9, "children": []}', "the tree of a flame graph"),
    "Scalene": (b'{"elapsed_time_sec": 1.0, "files": {}}', "a report of Scalene"),
    "tail of JSON": (b'e": 5}, ' + b'{"name": "a", "ts": 5, "dur": 7},\n' * 9, "without its beginning"),
    "Git LFS": (b"version https://git-lfs.github.com/spec/v1\noid sha256:aa\nsize 5\n", "a pointer of Git LFS"),
    "base64": ((b"QUJD" * 19 + b"\n") * 9, "a file in base64"),
    "data": (b"data:application/json;base64,QUJD", "an address that holds a file"),
    "sample": (b"Analysis of sampling app (pid 1)\n\nCall graph:\n    100 start\n", "`sample` of macOS prints"),
    "spindump": (b"Date/Time: 2026\nOS Version: x\nHeaviest stack for the main thread\n", "spindump"),
    "pprof -traces": (b"Type: cpu\n-----------+-----------\n 10ms main\n", "`go tool pprof -traces` prints"),
    "Graphviz": (b'digraph "app" {\nN1 [label="main"]\n}\n', "Graphviz"),
    "py-spy dump": (b'Process 12: python\n\nThread 12 (active): "M"\n    main (a.py:3)\n', "`py-spy dump` prints"),
    "perf annotate": (b" Percent |      Source code\n---------\n 1.00 : 401000: push\n", "`perf annotate` prints"),
    "uftrace": (b"# DURATION     TID     FUNCTION\n   1.2 us [ 18] | a();\n", "`uftrace replay` prints"),
    "strace -c": (b"% time     seconds  usecs/call     calls\n", "`strace -c` prints"),
    "heaptrack": (b"v 10500 3\nx /usr/bin/app\n+ 1 2\n", "a recording of heaptrack"),
    "quoted stacks": (b"> main;a 1\n> main;b 2\n> main;a;c 3\n", "with a mark or a number before each line"),
    "changed stacks": (b"+main;a 1\n+main;b 2\n+main;a;c 3\n", "with a mark or a number before each line"),
    "numbered stacks": (b"    1\tmain;a 1\n    2\tmain;b 2\n    3\tmain;a 3\n", "before each line"),
    "stacks of grep": (b"a.txt:1:main;a 1\na.txt:2:main;b 2\na.txt:7:main;a 3\n", "before each line"),
    "CSV": (b"id,name,ms\n1,a,3\n2,b,4\n", "a table (CSV)"),
    "access log": (b'1.2.3.4 - - [22/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 5\n' * 4, "a server's requests"),
    "log": (b"2026-11-22 10:00:00 INFO started\n2026-11-22 10:00:01 INFO done 5\n", "a log"),
    "source": (b"import os\n\n\ndef main():\n    return 1\n", "a program's source"),
    "traceback": (b'Traceback (most recent call last):\n  File "a.py", line 3\nValueError: 5\n', "a stack trace"),
    "SQL": (b"INSERT INTO a VALUES (1);\nINSERT INTO a VALUES (2);\n", "(SQL)"),
    "settings": (b"[server]\nport = 80\nhost = a\n", "settings"),
    "cProfile's print": (b"   3 function calls in 0.001 seconds\n\n ncalls  tottime  percall\n", "cProfile prints"),
    "bpftrace": (b"Attaching 1 probe...\n\n@[\n    do_syscall_64+59\n, bash]: 12\n", "what bpftrace prints of stacks"),
    "Xdebug as text": (b"TRACE START [2026-11-27 10:18:23.7]\n    0.0002  394688   -> {main}() a.php:0\n", "by Xdebug"),
    "Xdebug in columns": (
        b"Version: 3.2.0\nFile format: 4\nTRACE START [2026-11-27 10:18:24.8]\n1\t0\t0\t0.0001\t394688\t{main}\t1\n",
        "choose the file cachegrind.out.PID",
    ),
    "perf script without threads": (
        b"bash     0.02: cpu-clock: \n\t     96152 _int_free\n\n" * 9,
        "`perf script` prints",
    ),
    "perf script without times": (
        b"bash  5555 \n\t     96152 _int_free\n\t  7ff main\n\n" * 9,
        "-F comm,pid,tid,time,event,ip,sym,dso",
    ),
    "DTrace": (
        b"\n    libc.so.1`_write+0x15\n    a.out`main+0x20\n    a.out`_start+0x83\n     12\n",
        "what DTrace prints",
    ),
    "perf without times": (
        b"a 7 cycles: \n\t  7f01 copy+0x1 (/a)\n\t  55d0 main+0x2 (/a)\n\n" * 3,
        "without the times",
    ),
    "blank": (b"\n  \n", "blank"),
}


@pytest.mark.parametrize(("content", "called"), CALLED.values(), ids=CALLED)
def test_a_file_that_is_no_trace_is_called_what_it_is(content: bytes, called: str) -> None:
    with pytest.raises(UnrecognisedTrace) as caught:
        read_trace(content, name="file")
    text = str(caught.value)
    assert text.startswith("file: this is ")
    assert called in text
    assert len(text) < 260
    assert "\n" not in text


def test_a_file_is_called_so_inside_a_package_and_by_its_name_where_its_bytes_say_nothing() -> None:
    with pytest.raises(UnrecognisedTrace, match="ETW"):
        read_trace(bytes(64) + b"\1", name="boot.etl")


@pytest.mark.parametrize("kind", KINDS)
def test_one_foreign_file_of_each_kind_is_not_misread(kind: str) -> None:
    files = [file for file in written(5 * len(KINDS)) if file[0].rpartition(" ")[0] == kind]
    assert len(files) == 5
    assert misread(files) == []


def test_small_recordings_that_were_damaged_are_known(fixtures: Path) -> None:
    ours = [(name, content) for name, content in recordings(fixtures) if len(content) < 80_000]
    formats = {name: read_trace(content, name=name).format for name, content in ours}
    files = [(name, *each) for name, content in ours for each in islice(damaged(name, content), 3, 20, 4)]
    lost, opened = unknown(files, formats)
    assert len(files) > 30
    assert len(lost) <= 1, lost
    assert opened > len(files) / 2


@pytest.mark.long
@pytest.mark.timeout(600)
def test_four_hundred_foreign_and_four_hundred_damaged_files(
    fixtures: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert print_detection(fixtures), capsys.readouterr().out
    assert LEAST_KNOWN >= 0.98


EVENTS = json.dumps({"traceEvents": [{"ph": "X", "name": "a", "ts": 1, "dur": 2, "args": {"q": 1}}] * 9}).encode()


def test_lines_that_were_printed_before_the_json_are_counted_and_arguments_are_found_behind_them() -> None:
    content = b"Saving trace ...\n[log] 3 threads\n" + EVENTS
    trace = read_trace(content, name="trace.json")
    assert [(each.code, each.count) for each in trace.warnings] == [("remarks", 2)]
    assert read_arguments(content, trace, ["s0"]) == {"s0": {"q": 1}}


def test_a_document_that_quotes_json_is_no_trace() -> None:
    with pytest.raises(UnrecognisedTrace, match="a document"):
        read_trace(b"# Title\n\n" + b"- a point\n" * 12 + EVENTS, name="notes.md")


def zipped(members: dict[str, bytes], *, link: str | None = None) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
        if link is not None:
            info = zipfile.ZipInfo(link)
            info.external_attr = (stat.S_IFLNK | 0o777) << 16
            archive.writestr(info, "/etc/passwd")
    return out.getvalue()


def tarred(members: dict[str, bytes], *, link: str | None = None) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
        if link is not None:
            info = tarfile.TarInfo(link)
            info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
            archive.addfile(info)
    return out.getvalue()


@pytest.mark.parametrize("pack", [zipped, tarred], ids=["zip", "tar"])
class TestAnArchive:
    def test_the_one_trace_among_other_files_is_opened(self, pack: Pack) -> None:
        packed = pack({"readme.txt": b"hello", "run/trace.json": EVENTS, "__MACOSX/._a": b"x", ".DS_Store": b"x"})
        assert read_trace(packed, name="x").format == "trace-event"

    def test_several_traces_are_named(self, pack: Pack) -> None:
        packed = pack({"a/one.json": EVENTS, "two.folded": b"main;a 1\nmain;b 2\n", "c.txt": b"x"})
        with pytest.raises(UnrecognisedTrace, match=r"3 files, 2 traces: a/one\.json, two\.folded\. Unpack"):
            read_trace(packed, name="x")

    def test_none_is_a_trace(self, pack: Pack) -> None:
        packed = pack({f"{number}.txt": b"hello" for number in range(9)})
        with pytest.raises(UnrecognisedTrace, match=r"9 files, none of which is a trace .*: 0\.txt, .* and 4 more"):
            read_trace(packed, name="x")

    @pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "a/../../b", "C:\\x"])
    def test_a_name_that_leads_out_of_it_is_refused(self, pack: Pack, name: str) -> None:
        packed = pack({name: EVENTS})
        with pytest.raises(UnrecognisedTrace, match="outside of its own folder"):
            read_trace(packed, name="x")

    def test_links_are_not_followed(self, pack: Pack) -> None:
        with pytest.raises(UnrecognisedTrace, match="links, no files"):
            read_trace(pack({}, link="trace.json"), name="x")
        assert read_trace(pack({"t.json": EVENTS}, link="l"), name="x").format == "trace-event"

    def test_ten_thousand_files_are_too_many(self, pack: Pack) -> None:
        packed = pack({f"{number}.json": b"" for number in range(10_000)})
        with pytest.raises(UnrecognisedTrace, match="more than 200 files"):
            read_trace(packed, name="x")

    def test_a_broken_archive_is_refused_in_words(self, pack: Pack) -> None:
        packed = pack({"a.json": EVENTS, "b.json": EVENTS})
        for size in range(1, len(packed), max(1, len(packed) // 60)):
            with suppress(TraceError):
                assert read_trace(packed[:size], name="x").format == "trace-event"


def test_an_archive_that_holds_archives_is_looked_into_once() -> None:
    inner = zipped({"a.json": EVENTS, "b.json": EVENTS})
    with pytest.raises(UnrecognisedTrace, match="2 files, none of which is a trace"):
        read_trace(zipped({"one.zip": inner, "two.zip": inner}), name="x")
