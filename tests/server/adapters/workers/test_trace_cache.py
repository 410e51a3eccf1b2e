"""Opened traces are found by content and by place, whoever kept them, and whatever became of the folder meanwhile."""

import os
import threading
from pathlib import Path

import pytest

from server.adapters.workers import local_files, trace_cache
from server.adapters.workers.local_files import LocalFiles
from server.adapters.workers.trace_cache import FileState, TraceCache
from tests.process_workers import process_workers
from traces.content_key import content_key
from traces.model import Trace
from traces.progress import Progress
from traces.reader import read_trace

STACKS = b"main;work 3\nmain;wait 4\nmain 2\n"


class Files:
    """Files read through a cache, and how often one was parsed."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(local_files, "SMALLEST_KEPT_BYTES", 1)
        monkeypatch.setattr(trace_cache, "SETTLED_S", -1)
        monkeypatch.setattr(local_files, "read_trace", self._parse)
        monkeypatch.setattr(local_files, "content_key", self._hash)
        self.cache = TraceCache(folder / "data" / "cache", 1 << 30)
        self.remarks: list[str] = []
        self.parsed = self.hashed = 0
        self.file = folder / "stacks.txt"
        self.file.write_bytes(STACKS)

    def read(self, file: Path | None = None) -> Trace:
        return self.command().read(file or self.file, (file or self.file).name, Progress())

    def command(self) -> LocalFiles:
        return LocalFiles(self.cache, self.remarks.append)

    def _parse(self, *args: object, **kwargs: object) -> Trace:
        self.parsed += 1
        return read_trace(*args, **kwargs)  # type: ignore[arg-type]

    def _hash(self, data: bytes) -> str:
        self.hashed += 1
        return content_key(data)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Files:
    return Files(tmp_path, monkeypatch)


def figures(trace: Trace) -> tuple[object, ...]:
    tree = trace.profiles[0].tree
    return trace.name, trace.profiles[0].name, trace.frame_names, tree.total_values[0].tolist(), trace.content_key


def test_a_file_that_did_not_change_is_neither_parsed_nor_hashed_again(files: Files) -> None:
    first = files.read()
    assert figures(files.read()) == figures(first)
    assert (files.parsed, files.hashed) == (1, 1)


def test_a_copy_is_found_by_its_content_under_its_own_name(files: Files) -> None:
    files.read()
    copy = files.file.with_name("copy.txt")
    copy.write_bytes(STACKS)
    trace = files.read(copy)
    assert (trace.name, trace.profiles[0].name) == ("copy.txt", "copy.txt")
    assert (files.parsed, files.hashed) == (1, 2)
    files.read(copy)
    assert files.hashed == 2
    assert files.read().profiles[0].name == "stacks.txt"


def test_a_file_that_changed_in_place_is_read_anew_though_size_and_time_are_as_before(files: Files) -> None:
    files.read()
    before = files.file.stat()
    files.file.write_bytes(STACKS.replace(b"work", b"play"))
    os.utime(files.file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert "play" in files.read().frame_names
    assert files.parsed == 2


def test_a_file_that_changed_just_now_is_found_by_its_content_alone(
    files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trace_cache, "SETTLED_S", 3_600)
    files.read()
    files.read()
    assert (files.parsed, files.hashed) == (1, 2)


def test_what_is_cut_damaged_or_foreign_is_made_again(files: Files) -> None:
    before = figures(files.read())
    (columns,) = files.cache.folder.rglob("*.columns")
    good = columns.read_bytes()
    for count, bad in enumerate(
        (b"", good[:-1], good[: len(good) // 2], good[:40] + b"\xff" + good[41:], b"x" * 9_000)
    ):
        columns.write_bytes(bad)
        assert figures(files.read()) == before
        assert files.parsed == count + 2
        assert columns.read_bytes() == good


def test_a_pointer_that_leads_elsewhere_is_not_followed(files: Files) -> None:
    files.read()
    (pointer,) = files.cache.folder.rglob("place-*.key")
    looks = FileState.of(files.file).looks
    for broken in ("", "/etc/passwd", f"../../stacks.txt {looks}", "\udcff" * 3):
        pointer.write_text(broken, encoding="utf-8", errors="surrogateescape")
        assert files.read().name == "stacks.txt"
    assert files.parsed == 1


@pytest.mark.parametrize("what", ["a file in its place", "no right to write"])
def test_without_a_folder_to_write_traces_are_read_and_it_is_said_once(
    files: Files, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    if what == "a file in its place":
        files.cache.folder.parent.write_bytes(b"")
    else:
        monkeypatch.setattr(files.cache, "_write", refuse)
    command = files.command()
    for _ in range(2):
        assert command.read(files.file, "stacks.txt", Progress()).frame_names == ("main", "work", "wait")
    assert files.parsed == 2
    assert len(files.remarks) == 1
    assert str(files.cache.folder) in files.remarks[0]


def refuse(file: Path, _: object) -> None:
    raise OSError(28, "No space left on device", str(file))


def test_commands_at_once_all_have_the_trace_and_leave_one_file(files: Files) -> None:
    found: list[tuple[object, ...]] = []
    commands = [threading.Thread(target=lambda: found.append(figures(files.read()))) for _ in range(8)]
    for command in commands:
        command.start()
    for command in commands:
        command.join(60)
    assert len(found) == 8
    assert len(set(map(repr, found))) == 1
    left = sorted(file.suffix for file in files.cache.folder.rglob("*.*"))
    assert left == [".columns", ".key"]


def test_a_bound_of_the_folder_counts_and_what_was_used_longest_ago_goes(files: Files) -> None:
    files.read()
    (columns,) = files.cache.folder.rglob("*.columns")
    os.utime(columns, ns=(1, columns.stat().st_mtime_ns))
    other = files.file.with_name("other.txt")
    other.write_bytes(b"other;one 1\n")
    files.cache.limit(columns.stat().st_size + 1)
    files.read(other)
    assert [one.name for one in files.cache.traces()] == ["other.txt"]
    assert TraceCache(files.cache.folder, 5).most_bytes == 5
    assert files.cache.clear() > 0
    assert list(files.cache.folder.rglob("*.*")) == []


async def test_a_server_takes_what_a_command_kept_and_a_command_what_a_server_kept(files: Files) -> None:
    trace = files.read()
    workers = process_workers(files.cache.folder)
    opened = await workers.read(files.file, name="stacks.txt", key="a" * 64)
    assert opened.columns == files.cache.columns(trace.content_key)
    other = files.file.with_name("other.txt")
    other.write_bytes(b"other;one 1\n")
    await workers.read(other, name="other.txt", key="b" * 64)
    assert files.read(other).frame_names == ("other", "one")
    assert files.parsed == 1
    assert await workers.cached("c" * 64) is None


def test_a_small_file_is_not_kept(files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_files, "SMALLEST_KEPT_BYTES", len(STACKS) + 1)
    files.read()
    assert not files.cache.folder.exists()
