"""Recordings of a folder and of a bucket, each measured once. The bucket is a stand-in (s3_server.py)."""

import errno
import gzip
import io
import json
import subprocess
import sys
import zipfile
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import pytest
import zstandard

from server.adapters.fleet.batch import Batch
from server.adapters.fleet.local_reading import LocalReading
from server.adapters.fleet.sources import BucketSource, FoundFile, source_of
from server.adapters.fleet.tables import FileRow, FleetTables, quiet_database
from server.adapters.fleet.unusual_names import SignedRequests
from server.adapters.workers.jobs import MeasuredFile
from server.adapters.workers.sql_sandbox import opened
from server.errors import Busy, ConfigError, NotFound, ServiceUnavailable
from server.ports.fleet import BatchDone
from tests.cloud.s3_server import S3Server, s3_server
from traces.content_key import content_key
from traces.gate.run_history import (
    FindingFigures,
    FunctionFigures,
    RunFigure,
    RunHistory,
    history_columns,
    run_history,
)
from traces.reader import read_trace

HOT = {"shop": "checkout", "index": "tokenize"}


@dataclass(slots=True)
class InThisProcess:
    """Measures without a process of its own; `names` are those that it was given."""

    names: list[str] = field(default_factory=list)

    async def measure(self, source: Path, name: str) -> MeasuredFile:
        self.names.append(name)
        data = source.read_bytes()
        trace = read_trace(data, name=name)
        return MeasuredFile(content_key(data), trace.format, history_columns(run_history(trace)))


def collapsed(function: str, samples: int) -> bytes:
    return f"main;{function} {samples}\nmain;other 1\n".encode()


def fleet(folder: Path) -> dict[str, bytes]:
    """Two programs, one recording twice, one damaged, one foreign, one empty."""
    files = {
        "shop/a.txt": collapsed("checkout", 90),
        "shop/b.txt": collapsed("checkout", 30),
        "shop/deep/copy of a.txt": collapsed("checkout", 90),
        "index/o'clock \"é\n%2F.txt": collapsed("tokenize", 7),
        "index/cut.json": b'{"traceEvents": [{"ph": "X", "na',
        "index/photo.jpg": b"\xff\xd8\xff\xe0 no recording at all",
        "index/empty": b"",
    }
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return files


def batch(source: str, tables: str, program: str | None = None) -> tuple[Batch, InThisProcess]:
    workers, found = InThisProcess(), source_of(source)
    reading = LocalReading(found, workers)
    made = Batch(source=found, tables=FleetTables(tables), reading=reading, at_once=2, program=program)
    return made, workers


def rows(tables: Path, sql: str) -> list[tuple[Any, ...]]:
    views = "".join(
        f"create view {name} as select * from read_parquet('{tables}/{name}/**/*.parquet', hive_partitioning=true);"
        for name in ("functions", "measures")
    )
    with duckdb.connect() as database:
        database.execute(f"{views} create view files as select * from read_parquet('{tables}/files/*.parquet')")
        return database.execute(sql).fetchall()


def check_tables(tables: Path) -> None:
    """Every file once in the list, every content once in the figures."""
    assert rows(tables, "select outcome, count(*) from files group by 1 order by 1") == [
        ("read", 3),
        ("refused", 3),
        ("same", 1),
    ]
    assert all(reason for (reason,) in rows(tables, "select reason from files where outcome = 'refused'"))
    found = rows(tables, "select program, name, sum(self_value) from functions where name != 'other' group by all")
    assert {one for one in found if one[1] != "main"} == {("shop", "checkout", 120.0), ("index", "tokenize", 7.0)}
    assert rows(tables, "select count(*), count(distinct key) from measures where measure = 'total'") == [(3, 3)]


async def test_each_recording_of_a_folder_is_measured_once_and_what_is_refused_has_its_reason(tmp_path: Path) -> None:
    files = fleet(tmp_path / "in")
    (tmp_path / "in" / "link").symlink_to("/etc/hostname")
    first, _ = batch(str(tmp_path / "in"), str(tmp_path / "out"))
    assert await first.run() == BatchDone(read=3, same=1, refused=3)
    check_tables(tmp_path / "out")
    again, workers = batch(str(tmp_path / "in"), str(tmp_path / "out"))
    assert await again.run() == BatchDone(known=len(files))
    assert workers.names == []
    (tmp_path / "in" / "shop" / "c.txt").write_bytes(collapsed("checkout", 1))
    (tmp_path / "in" / "shop" / "twice.txt").write_bytes(files["shop/b.txt"])
    more, workers = batch(str(tmp_path / "in"), str(tmp_path / "out"))
    assert await more.run() == BatchDone(read=1, same=1, known=len(files))
    assert sorted(workers.names) == ["c.txt", "twice.txt"]
    assert {name: (tmp_path / "in" / name).read_bytes() for name in files} == files, "the source is as it was"


async def test_what_a_run_that_was_killed_has_left_is_read_again_and_counted_once(tmp_path: Path) -> None:
    fleet(tmp_path / "in")
    killed, _ = batch(str(tmp_path / "in"), str(tmp_path / "out"))
    await killed.run()
    for listed in (tmp_path / "out" / "files").iterdir():
        listed.unlink()  # the last thing that is written
    (tmp_path / "in" / "shop" / "0 first.txt").write_bytes(collapsed("checkout", 5))
    again, _ = batch(str(tmp_path / "in"), str(tmp_path / "out"))
    assert (await again.run()).read == 4
    assert rows(tmp_path / "out", "select sum(self_value) from functions where name = 'checkout'") == [(125.0,)]


@pytest.mark.parametrize("program", ["a/b", "../../up", "100 %", "q\"u'o", "é=;\n", "." * 3])
async def test_a_program_is_no_path(tmp_path: Path, program: str) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_bytes(collapsed("f", 3))
    made, _ = batch(str(tmp_path / "in"), str(tmp_path / "below" / "out"), program)
    await made.run()
    assert rows(tmp_path / "below" / "out", "select distinct program from functions") == [(program,)]
    assert rows(tmp_path / "below" / "out", "select distinct program from files") == [(program,)]
    assert {one.name for one in tmp_path.iterdir()} == {"in", "below"}
    assert {one.name for one in (tmp_path / "below" / "out").iterdir()} <= {
        ".lock", "files", "findings", "functions", "measures",
    }  # fmt: skip


async def test_two_batches_do_not_write_to_one_folder(tmp_path: Path) -> None:
    fleet(tmp_path / "in")
    with FleetTables(str(tmp_path / "out")).alone():
        second, _ = batch(str(tmp_path / "in"), str(tmp_path / "out"))
        with pytest.raises(Busy, match="Another batch"):
            await second.run()


@pytest.fixture
async def s3(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[S3Server]:
    async with s3_server() as server:
        for name, value in server.settings().items():
            monkeypatch.setenv(name, value)
        yield server


def address(s3: S3Server, prefix: str) -> str:
    return s3.settings(f"/{prefix}")["FLAMECHAT_OBJECTS"]


async def test_a_bucket_is_read_into_a_bucket_and_an_object_that_vanished_is_in_the_list(
    s3: S3Server, tmp_path: Path
) -> None:
    for name, content in fleet(tmp_path / "in").items():
        s3.objects[f"team/in/{name}".replace("\n", " ")] = content
    made, _ = batch(address(s3, "team/in"), address(s3, "team/out"))
    assert await made.run() == BatchDone(read=3, same=1, refused=3)
    for key, content in s3.objects.items():
        if key.startswith("team/out/"):
            path = tmp_path / "copy" / key.removeprefix("team/out/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    check_tables(tmp_path / "copy")
    again, _ = batch(address(s3, "team/in"), address(s3, "team/out"))
    assert await again.run() == BatchDone(known=7)

    class Vanishing(BucketSource):
        async def files(self) -> AsyncIterator[FoundFile]:
            async for file in super().files():
                yield file
            s3.objects.pop("team/in/new.txt", None)

    s3.objects["team/in/new.txt"] = b"f 1\n"
    vanishing = Vanishing(address(s3, "team/in"))
    reading = LocalReading(vanishing, InThisProcess())
    gone = Batch(source=vanishing, tables=FleetTables(address(s3, "team/out")), reading=reading, at_once=1)
    assert await gone.run() == BatchDone(refused=1, known=7)


HOSTILE = (
    "/etc/passwd",
    "../../up",
    "a\nb",
    "b//c",
    "c/../../d",
    "d/.",
    "e\x1b[2Je",
    "f%2F%00",
    "g+h i&j=k<l>",
    "h\u202etxt.exe",
    "shop/" + "x" * 900,
    "-rf",
)


async def test_names_of_any_kind_are_read_and_listed_once(s3: S3Server, tmp_path: Path) -> None:
    names = sorted({*HOSTILE, *(f"{before}ordinary" for before in ("", "a/", "c/", "z/"))})
    for samples, name in enumerate(names, 1):
        s3.objects[f"team/in/{name}"] = collapsed("f", samples)
    s3.objects["team/in/empty folder//"] = b""
    s3.objects["team/other/secret"] = collapsed("of_another", 1)
    made, workers = batch(address(s3, "team/in"), str(tmp_path / "out"))
    assert await made.run() == BatchDone(read=len(names))
    assert sorted(rows(tmp_path / "out", "select name from files")) == [(name,) for name in names]
    figures = rows(tmp_path / "out", "select self_value from functions where name = 'f' order by 1")
    assert figures == [(float(samples),) for samples in range(1, len(names) + 1)]
    assert all("/" not in name for name in workers.names)
    again, _ = batch(address(s3, "team/in"), str(tmp_path / "out"))
    assert await again.run() == BatchDone(known=len(names))
    assert {one.name for one in tmp_path.iterdir()} == {"out"}


async def test_a_name_that_cannot_be_listed_is_said_and_no_secret(
    s3: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    s3.objects["team/in/a\nb"] = b"f 1\n"
    made, _ = batch(address(s3, "team/in"), str(tmp_path / "out"))
    monkeypatch.setattr(SignedRequests, "of", lambda _: None)  # keys that are not in the environment
    with pytest.raises(ServiceUnavailable, match="control characters") as refused:
        await made.run()
    assert "secret" not in str(refused.value)


async def test_an_object_that_grows_while_it_is_read_is_for_the_next_run(s3: S3Server, tmp_path: Path) -> None:
    s3.objects["team/in/a"] = collapsed("f", 1)

    class Growing(BucketSource):
        async def files(self) -> AsyncIterator[FoundFile]:
            async for file in super().files():
                s3.objects["team/in/a"] = collapsed("f", 1) * 1000
                yield file

    source, tables = Growing(address(s3, "team/in")), FleetTables(str(tmp_path / "out"))
    growing = Batch(source=source, tables=tables, reading=LocalReading(source, InThisProcess()), at_once=1)
    assert await growing.run() == BatchDone(refused=1)
    more, _ = batch(address(s3, "team/in"), str(tmp_path / "out"))
    assert await more.run() == BatchDone(read=1)


async def test_a_file_that_became_a_link_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a").write_bytes(collapsed("f", 1))
    (tmp_path / "of another").write_bytes(collapsed("secret", 1))
    source = source_of(str(tmp_path / "in"))
    (file,) = [one async for one in source.files()]
    (tmp_path / "in" / "a").unlink()
    (tmp_path / "in" / "a").symlink_to(tmp_path / "of another")
    with pytest.raises(NotFound):
        await source.fetch(file, tmp_path)


async def test_credentials_that_end_in_the_middle_keep_what_was_read(s3: S3Server, tmp_path: Path) -> None:
    for number in range(6):
        s3.objects[f"team/in/shop/{number}.txt"] = collapsed("checkout", number + 1)

    class Ending(InThisProcess):
        async def measure(self, source: Path, name: str) -> MeasuredFile:
            found = await InThisProcess.measure(self, source, name)
            if len(self.names) == 2:
                s3.always = "AccessDenied"
            return found

    tables = FleetTables(str(tmp_path / "out"))
    ending = source_of(address(s3, "team/in"))
    broken = Batch(source=ending, tables=tables, reading=LocalReading(ending, Ending()), at_once=1)
    with pytest.raises(ServiceUnavailable, match="cannot be read"):
        await broken.run()
    s3.always = None
    more, workers = batch(address(s3, "team/in"), str(tmp_path / "out"))
    done = await more.run()
    assert done.read + done.known == 6
    assert done.known >= 2
    assert len(workers.names) == done.read
    assert rows(tmp_path / "out", "select sum(self_value) from functions where name = 'checkout'") == [(21.0,)]


async def test_a_full_disk_ends_the_run_and_refuses_no_file(tmp_path: Path) -> None:
    fleet(tmp_path / "in")
    made, _ = batch(str(tmp_path / "in"), str(tmp_path / "out"))

    class Full(InThisProcess):
        async def measure(self, source: Path, name: str) -> MeasuredFile:
            if len(self.names) == 2:
                raise OSError(errno.ENOSPC, "No space left on device")
            return await InThisProcess.measure(self, source, name)

    full = replace(made, reading=LocalReading(made.source, Full()))
    with pytest.raises(ServiceUnavailable, match="No space left on device"):
        await full.run()
    assert (await made.run()).known >= 1
    check_tables(tmp_path / "out")


async def test_what_unpacks_without_an_end_is_refused_with_the_reason_and_the_rest_is_read(
    s3: S3Server, tmp_path: Path
) -> None:
    """Members and frames one after the other are one stream: half a gigabyte each, of which 64 MB are unpacked."""
    zeros = bytes(16 << 20)
    member, frame = gzip.compress(zeros), zstandard.compress(zeros)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("trace.json", zeros * 5)
    bombs = {
        "p/bomb.json.gz": member * 32,
        "p/twice.json.gz": gzip.compress(member * 32, 1),
        "p/bomb.json.zst": frame * 32,
        "p/bomb.zip": packed.getvalue(),
    }
    for name, content in (bombs | {"p/after.txt": collapsed("checkout", 3)}).items():
        s3.objects[f"team/in/{name}"] = content
    made, _ = batch(address(s3, "team/in"), str(tmp_path / "out"))
    assert await made.run() == BatchDone(read=1, refused=len(bombs))
    found = rows(tmp_path / "out", "select name, reason from files where outcome = 'refused'")
    assert {name for name, _ in found} == set(bombs)
    assert all("decompresses to more than 400 times its size" in reason for _, reason in found)


def test_a_place_that_is_none_is_said() -> None:
    for where in ("/no/such folder", "nothing://x"):
        with pytest.raises(ConfigError):
            source_of(where)


@pytest.mark.long
def test_the_command_measures_in_processes_and_says_what_it_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLAMECHAT_DATA", str(tmp_path / "data"))
    fleet(tmp_path / "in")
    arguments = ["batch", str(tmp_path / "in"), "--out", str(tmp_path / "out"), "--workers", "2", "--json"]
    command = [sys.executable, "-c", "from server.app import main; main()", *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout) == {"read": 3, "same": 1, "refused": 3, "known": 0}
    check_tables(tmp_path / "out")


def test_what_a_part_has_is_in_its_tables_as_it_was_measured(tmp_path: Path) -> None:
    """Values that come late in a part, and that are not there, are of the same type as the first."""
    many = 1500
    file = FileRow(
        name="a", version="1", size=1 << 40, key="k", outcome="read", reason=None, format="chrome", program="p",
        day=date(2026, 2, 2),
    )  # fmt: skip
    functions = [FunctionFigures(f"f{n}", None, float(n), 1.5, 0.25, 0.5, None) for n in range(many)]
    odd = FunctionFigures("half \ud800 \0", "é\n'.py", 1e300, 0.0, 0.0, 0.0, 1 << 40)
    figures = (RunFigure("total", 3.0, "count"), RunFigure("counter:x", float("nan"), "level"))
    history = RunHistory((*functions, odd), (FindingFigures("late", "high", None),), figures)
    FleetTables(str(tmp_path)).add([file], [(file, history_columns(history))])
    found = rows(
        tmp_path, "select name, file, self_value, calls, key, program from functions order by calls, self_value"
    )
    assert found[0] == ("half ? \ufffd", "é\n'.py", 1e300, 1 << 40, "k", "p")
    assert found[1:] == [(f"f{n}", None, float(n), None, "k", "p") for n in range(many)]
    assert rows(tmp_path, "select measure, value, unit, day from measures") == [
        ("total", 3.0, "count", date(2026, 2, 2))
    ]
    assert rows(tmp_path, "select size, reason, day from files") == [(1 << 40, None, date(2026, 2, 2))]


@pytest.mark.parametrize("database", [quiet_database, opened])
def test_no_progress_bar_stands_before_an_answer_in_stdout(database: Callable[[], duckdb.DuckDBPyConnection]) -> None:
    with database() as connection:
        assert connection.execute("select current_setting('enable_progress_bar')").fetchall() == [(False,)]
