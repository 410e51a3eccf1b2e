"""Every TraceWorkers: the in-process twin and real worker processes; then what only processes can do."""

import hashlib
import io
import os
import signal
import stat
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import anyio
import pytest

from server.adapters.in_process.workers import InlineTraceWorkers
from server.errors import WorkerFailed
from server.ports.traces import OpenTrace, SqlRefused, TraceWorkers
from tests.process_workers import process_workers
from traces.analysis.functions import top_functions
from traces.errors import DamagedTrace, EmptyTrace, TraceError, UnknownHandle, UnrecognisedTrace
from traces.model import Trace

pytestmark = pytest.mark.usefixtures("one_loop")

STACKS = b"main;parse;read 700\nmain;parse 200\nmain;render;paint 80\nmain 20\n"


@pytest.fixture(params=["inline", "processes"])
def workers(request: pytest.FixtureRequest, tmp_path: Path) -> TraceWorkers:
    return InlineTraceWorkers() if request.param == "inline" else process_workers(tmp_path / "cache")


async def read(workers: TraceWorkers, tmp_path: Path, content: bytes = STACKS, name: str = "stacks.txt") -> OpenTrace:
    upload = tmp_path / "upload"
    upload.write_bytes(content)
    with anyio.fail_after(60):
        return await workers.read(upload, name=name, key=hashlib.sha256(content).hexdigest())


def frame_count(trace: Trace) -> int:
    return len(trace.frames)


def refuse(trace: Trace, *, text: str) -> None:
    raise UnknownHandle(text)


async def test_a_trace_that_was_read_answers_questions(workers: TraceWorkers, tmp_path: Path) -> None:
    opened = await read(workers, tmp_path)
    assert await workers.ask(opened, frame_count) == 5
    table = await workers.ask(opened, top_functions, sort_by="self", limit=1)
    assert [(row.name, row.self_value) for row in table.rows] == [("read", 700)]


async def test_what_was_read_is_cached_until_it_is_forgotten(workers: TraceWorkers, tmp_path: Path) -> None:
    sha256 = hashlib.sha256(STACKS).hexdigest()
    assert await workers.cached(sha256) is None
    opened = await read(workers, tmp_path)
    cached = await workers.cached(sha256)
    assert cached is not None
    assert await workers.ask(cached, frame_count) == 5
    assert (await workers.read(tmp_path / "gone", name="x", key=sha256)).key == opened.key
    await workers.forget(sha256)
    await workers.forget(sha256)
    assert await workers.cached(sha256) is None


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"", EmptyTrace),
        (b"just words; no numbers\n" * 99, UnrecognisedTrace),
        (b"\x1f\x8b\x08\x00broken", DamagedTrace),
    ],
)
async def test_a_bad_file_is_refused_with_its_own_error(
    workers: TraceWorkers, tmp_path: Path, content: bytes, kind: type[TraceError]
) -> None:
    with pytest.raises(kind, match=r"bad\.txt"):
        await read(workers, tmp_path, content, "bad.txt")
    assert await workers.cached(hashlib.sha256(content).hexdigest()) is None


def packed(*members: zipfile.ZipInfo | str) -> bytes:
    """A zip of some members, each with the stacks in it."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for member in members:
            archive.writestr(member, STACKS)
    return out.getvalue()


def a_link() -> zipfile.ZipInfo:
    link = zipfile.ZipInfo("link")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    return link


@pytest.mark.parametrize(
    ("content", "called"),
    [
        (packed("../../../stacks.folded"), "outside of its own folder"),
        (packed(a_link()), "holds links, no files"),
        (packed(*(f"{k}.folded" for k in range(300))), "more than 200 files"),
        (packed("a.folded", "b.folded"), "2 traces: a.folded, b.folded"),
    ],
    ids=["traversal", "link", "many", "two"],
)
async def test_an_archive_that_is_not_one_trace_is_refused_and_leaves_nothing(
    workers: TraceWorkers, tmp_path: Path, content: bytes, called: str
) -> None:
    with pytest.raises(UnrecognisedTrace, match=called):
        await read(workers, tmp_path, content, "packed.zip")
    assert [file for file in tmp_path.rglob("*") if file.is_file()] == [tmp_path / "upload"]


async def test_what_a_question_raises_comes_back_as_itself(workers: TraceWorkers, tmp_path: Path) -> None:
    opened = await read(workers, tmp_path)
    with pytest.raises(UnknownHandle, match="no f99"):
        await workers.ask(opened, refuse, text="no f99")
    assert await workers.ask(opened, frame_count) == 5


async def test_many_questions_at_once_are_all_answered(workers: TraceWorkers, tmp_path: Path) -> None:
    opened = await read(workers, tmp_path)
    answers: list[int] = []

    async def one() -> None:
        answers.append(await workers.ask(opened, frame_count))

    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            for _ in range(12):
                tasks.start_soon(one)
    assert answers == [5] * 12


def die(trace: Trace) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def survive_ctrl_c(trace: Trace) -> str:
    os.kill(os.getpid(), signal.SIGINT)
    return "answered"


def spin(trace: Trace) -> None:
    while True:
        pass


def wait_for_ever(trace: Trace, *, started: Path | None = None) -> None:
    if started is not None:
        started.write_text("started")
    signal.pause()


def eat_memory(trace: Trace) -> int:
    return len(bytearray(3 << 30))


def process_of(trace: Trace) -> tuple[int, int]:
    return os.getpid(), os.nice(0)


async def test_a_worker_that_dies_fails_its_question_alone(tmp_path: Path) -> None:
    workers = process_workers(tmp_path / "cache")
    opened = await read(workers, tmp_path)
    with pytest.raises(WorkerFailed, match="memory or time"):
        await workers.ask(opened, die)
    assert await workers.ask(opened, frame_count) == 5


async def test_a_question_past_its_time_is_stopped_with_its_process(tmp_path: Path) -> None:
    patient, hasty = (process_workers(tmp_path / "cache", question_seconds=seconds) for seconds in (60, 1))
    opened = await read(patient, tmp_path)
    process, _ = await patient.ask(opened, process_of)
    with anyio.fail_after(60), pytest.raises(WorkerFailed, match="1 s"):
        await hasty.ask(opened, wait_for_ever)
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
    assert await patient.ask(opened, frame_count) == 5


async def test_a_question_past_its_processor_time_is_ended_by_the_system(tmp_path: Path) -> None:
    patient, hasty = (process_workers(tmp_path / "cache", question_seconds=seconds) for seconds in (60, 1))
    opened = await read(patient, tmp_path)
    with anyio.fail_after(60), pytest.raises(WorkerFailed):
        await hasty.ask(opened, spin)


async def test_a_question_past_its_memory_fails_and_the_server_lives(tmp_path: Path) -> None:
    workers = process_workers(tmp_path / "cache", worker_memory_bytes=2 << 30)
    opened = await read(workers, tmp_path)
    with pytest.raises(WorkerFailed, match=r"2\.0 GB"):
        await workers.ask(opened, eat_memory)
    assert await workers.ask(opened, frame_count) == 5


@contextmanager
def opened_at_once(pipe: Path) -> Iterator[int]:
    """A named pipe for reading, before anybody writes."""
    descriptor = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


async def test_an_abandoned_question_takes_its_process_along(tmp_path: Path) -> None:
    workers = process_workers(tmp_path / "cache", askers=1)
    opened = await read(workers, tmp_path)
    process, _ = await workers.ask(opened, process_of)
    started = tmp_path / "started"
    os.mkfifo(started)

    async def ask() -> None:
        await workers.ask(opened, wait_for_ever, started=started)

    with anyio.fail_after(60), opened_at_once(started) as pipe:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask)
            await anyio.wait_readable(pipe)
            tasks.cancel_scope.cancel()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


async def test_ctrl_c_in_a_terminal_is_for_the_server_not_for_its_workers(tmp_path: Path) -> None:
    workers = process_workers(tmp_path / "cache")
    opened = await read(workers, tmp_path)
    assert await workers.ask(opened, survive_ctrl_c) == "answered"


async def test_importing_is_nice_and_answering_is_not(tmp_path: Path) -> None:
    workers = process_workers(tmp_path / "cache", askers=1)
    opened = await read(workers, tmp_path)
    _, niceness = await workers.ask(opened, process_of)
    assert niceness == os.nice(0)


async def test_a_damaged_or_foreign_cache_file_is_no_cache(tmp_path: Path) -> None:
    workers = process_workers(tmp_path / "cache")
    opened = await read(workers, tmp_path)
    for damage in (b"", b"something else entirely" * 500, opened.columns.read_bytes()[:300]):
        opened.columns.write_bytes(damage)
        assert await workers.cached(opened.key) is None
        assert not opened.columns.exists()
        assert await workers.ask(await read(workers, tmp_path), frame_count) == 5


async def test_a_cache_that_is_lost_between_two_questions_is_said(tmp_path: Path) -> None:
    workers = process_workers(tmp_path / "cache")
    opened = await read(workers, tmp_path)
    opened.columns.unlink()
    with pytest.raises(WorkerFailed, match="Try again"):
        await workers.ask(opened, frame_count)


async def test_reading_leaves_nothing_but_the_columns_and_what_leads_there(tmp_path: Path) -> None:
    workers = process_workers(tmp_path / "cache")
    opened = await read(workers, tmp_path)
    with pytest.raises(TraceError):
        await read(workers, tmp_path, b"\x1f\x8b\x08\x00broken")
    left = sorted(file.suffix for file in opened.columns.parent.iterdir())
    assert left == [".columns", ".key"]


async def test_a_trace_that_was_read_answers_sql(workers: TraceWorkers, tmp_path: Path) -> None:
    opened = await read(workers, tmp_path)
    found = await workers.query(opened, "SELECT name, self_value FROM nodes ORDER BY self_value DESC LIMIT 1")
    assert (found.rows, found.more) == ((("read", 700),), False)
    with pytest.raises(SqlRefused, match="did you mean nodes"):
        await workers.query(opened, "SELECT * FROM node")
    await workers.forget(opened.key)
    with pytest.raises(WorkerFailed):
        await workers.query(opened, "SELECT 1")


async def test_sql_has_arguments_of_spans_where_the_upload_is_at_hand(workers: TraceWorkers, tmp_path: Path) -> None:
    call = b'{"ph":"X","name":"get","pid":1,"tid":1,"ts":0,"dur":5,"args":{"url":"/a"}}'
    opened = await read(workers, tmp_path, b'{"traceEvents":[' + call + b"]}", "calls.json")
    sql = "SELECT name, args['url'] FROM spans"
    assert (await workers.query(opened, sql, upload=tmp_path / "upload")).rows == (("get", "/a"),)
    without = await workers.query(opened, sql)
    assert (without.rows, "NULL" in (without.note or "")) == ((("get", None),), True)
    assert (await workers.query(opened, "SELECT name FROM spans")).note is None
