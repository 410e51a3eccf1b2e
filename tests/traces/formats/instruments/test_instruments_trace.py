"""Zips of folders that Instruments saves, small ones written here and real ones."""

import io
import plistlib
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any

import pytest

from traces.errors import DamagedTrace, TraceError, TraceTooLarge, UnrecognisedTrace
from traces.formats.instruments.instruments_trace import TIME_PROFILER
from traces.invariants import check
from traces.model import Trace
from traces.reader import read_trace

CORE = "run.trace/corespace/run1/core/"
STORE = CORE + "stores/indexed-store-0/"
UNIQUER = CORE + "uniquing/arrayUniquer/integeruniquer"
MAIN, DRAW, BARE = 0x4000, 0x5000, 0x77


def archived(instrument: str = TIME_PROFILER, runs: tuple[int, ...] = (1,)) -> bytes:
    """A template as NSKeyedArchiver writes it: objects in a list, references by number."""
    objects: list[Any] = ["$null"]

    def put(value: Any) -> plistlib.UID:
        objects.append(value)
        return plistlib.UID(len(objects) - 1)

    def symbol(name: str | None, path: str, *addresses: int) -> plistlib.UID:
        places = {f"${5 + 2 * i}": address for i, address in enumerate(addresses)}
        lines = {f"${6 + 2 * i}": 0 for i in range(len(addresses))}
        text = put({"NS.string": name}) if name else plistlib.UID(0)
        return put({"$0": text, "$1": put(path), "$2": 0, "$3": 860504081, "$4": 2, **places, **lines})

    symbols = put({"$0": "9", "$4": 3, "$5": symbol("main", "main.c", MAIN), "$6": symbol("draw", "", DRAW, DRAW + 8)})
    processes = put({"$0": 1, "$1": 26200, "$2": symbols})
    data = put({"NS.keys": [put("symbolsByPid")], "NS.objects": [processes]})
    numbers = [put(run) for run in runs]
    run_data = put({"NS.keys": numbers, "NS.objects": [data] * len(runs)})
    top = {
        "$1": put(instrument),
        "com.apple.xray.run.data": put({"$0": put({"NS.objects": numbers}), "$1": run_data}),
        "com.apple.xray.owner.template": put({"NS.key.0": put("_selectedRunNumber"), "NS.object.0": runs[-1]}),
    }
    root = {"$version": 100_000, "$archiver": "NSKeyedArchiver", "$top": top, "$objects": objects}
    return plistlib.dumps(root, fmt=plistlib.FMT_BINARY)


def bulkstore(*rows: tuple[int, int, int]) -> bytes:
    """Rows of time, thread and stack, then empty ones."""
    packed = b"".join(
        struct.pack("<Q", time)[:6] + struct.pack("<I", thread) + b"??" + struct.pack("<I", stack)
        for time, thread, stack in rows
    )
    return struct.pack("<5I", 0, 0, 0, 24, 16) + b"\0" * 4 + packed + b"\0" * 64


def uniquer(*arrays: list[int]) -> dict[str, bytes]:
    data, index = b"\0" * 32, b"\0" * 32 + struct.pack("<2I", 0, 0)
    for array in arrays:
        index += struct.pack("<2I", len(data), 0)
        data += struct.pack("<I", len(array)) + struct.pack(f"<{len(array)}Q", *array)
    return {UNIQUER + ".index": index, UNIQUER + ".data": data}


def folder(**changes: bytes | None) -> dict[str, bytes]:
    files = {
        "run.trace/form.template": archived(),
        STORE + "schema.xml": b'<schema name="time-profile"/>',
        STORE + "bulkstore": bulkstore((5_000, 4, 0), (7_000, 4, 1), (8_000, 9, 0), (10_000, 4, 1)),
        # Stack 1 is stack 0 below two frames of its own; addresses come innermost first.
        **uniquer([MAIN], [BARE, DRAW, 0]),
    }
    files.update({path.replace("|", "/"): content for path, content in changes.items() if content is not None})
    return {path: content for path, content in files.items() if path not in changes or changes[path] is not None}


def zipped(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("run.trace/", b"")
        for name, content in files.items():
            archive.writestr(name, content)
        archive.writestr("__MACOSX/run.trace/._form.template", b"x")
    return out.getvalue()


def read(files: dict[str, bytes]) -> Trace:
    trace = read_trace(zipped(files), name="run.trace.zip")
    check(trace)
    return trace


def test_a_thread_is_a_profile_and_stacks_share_their_outer_parts() -> None:
    trace = read(folder())
    busy, other = trace.profiles
    assert (trace.format, busy.name, other.name) == ("instruments-trace", "thread 4", "thread 9")
    assert busy.samples is not None
    assert busy.samples.weights[0].tolist() == [0, 2_000, 3_000]
    assert [trace.frame_names[frame] for frame in busy.tree.frame.tolist()] == ["main", "draw", "0x0000000000000077"]
    assert busy.tree.parent.tolist() == [-1, 0, 1]
    assert (trace.frame_file(0), trace.frame_file(1)) == ("main.c", None)
    assert busy.axis_start == 0


def test_the_selected_run_is_shown_first() -> None:
    files = folder()
    files["run.trace/form.template"] = archived(runs=(1, 2))
    files.update({path.replace("run1", "run2"): content for path, content in files.items() if "run1" in path})
    trace = read(files)
    assert [p.name for p in trace.profiles] == [
        "run 1, thread 4",
        "run 1, thread 9",
        "run 2, thread 4",
        "run 2, thread 9",
    ]
    assert trace.default_profile == 2


def test_files_of_newer_versions_are_compressed_once_more() -> None:
    files = {path: zlib.compress(content) if CORE in path else content for path, content in folder().items()}
    assert len(read(files).profiles) == 2


def test_another_instrument_is_refused_with_the_way_out() -> None:
    files = folder()
    files["run.trace/form.template"] = archived("com.apple.xray.instrument-type.oa")
    with pytest.raises(UnrecognisedTrace, match="Deep Copy"):
        read(files)


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("run.trace/form.template", b"bplist00 and then nothing"),
        ("run.trace/form.template", plistlib.dumps({"$archiver": "NSKeyedArchiver"}, fmt=plistlib.FMT_BINARY)),
        (STORE + "schema.xml", b'<schema name="something else"/>'),
        (STORE + "bulkstore", b"short"),
        (STORE + "bulkstore", struct.pack("<5I", 0, 0, 0, 9_999, 16)),
        (STORE + "bulkstore", struct.pack("<5I", 0, 0, 0, 20, 0)),
        (STORE + "bulkstore", bulkstore((9_000, 4, 0), (7_000, 4, 0))),
        (UNIQUER + ".data", b"\0" * 40),
        (UNIQUER + ".data", None),
        (UNIQUER + ".index", uniquer([1])[UNIQUER + ".index"] + struct.pack("<2I", 9, 4_000_000_000)),
    ],
)
def test_a_folder_that_lacks_something_is_refused(path: str, content: bytes | None) -> None:
    files = folder()
    del files[path]
    if content is not None:
        files[path] = content
    with pytest.raises(DamagedTrace, match=r"run\.trace\.zip"):
        read(files)


def test_a_stack_that_holds_itself_is_refused() -> None:
    with pytest.raises(DamagedTrace, match="holds itself"):
        read({**folder(), **uniquer([MAIN], [DRAW, 1])})


def test_a_file_of_the_folder_that_unpacks_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("traces.compression.EXPANSION_GRACE_BYTES", 1 << 20)
    with pytest.raises(TraceTooLarge):
        read({**folder(), STORE + "bulkstore": bytes(8 << 20)})


@pytest.mark.parametrize("cut", [40, 900, -20])
def test_a_cut_zip_is_refused(cut: int) -> None:
    with pytest.raises(TraceError):
        read_trace(zipped(folder())[:cut], name="run.trace.zip")


def test_recordings_of_two_versions_are_read_completely(shared: Path) -> None:
    for version, samples in (("8.3.3", 3290), ("9.3.1", 4646)):
        path = shared / "conformance" / "samples" / "Instruments" / version / "simple-time-profile.trace.zip"
        trace = read_trace(path.read_bytes(), name="unknown")
        check(trace)
        assert [len(p.samples or ()) for p in trace.profiles] == [samples]
