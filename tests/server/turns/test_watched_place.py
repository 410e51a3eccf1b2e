"""A watched folder: what is new becomes traces, what is none is refused, and what has no room waits."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from server.adapters.fleet.sources import FolderSource
from server.adapters.in_process.clock import SystemClock
from server.errors import Busy, DatabaseUnavailable
from server.ports.identity import Caller
from server.ports.run_labels import RunLabels
from server.ports.traces import TraceRow
from server.testing.watched_files import MemoryWatchedFiles
from server.turns.watched_place import WatchedPlace
from tests.plugins.worlds import a_trace_of
from traces.errors import UnrecognisedTrace

ANNA = Caller(user_id="5b6a1d1e-0000-4000-8000-000000000001", account_id="5b6a1d1e-0000-4000-8000-000000000002")


@dataclass
class Library:
    """Takes what begins like a trace; `fails` are raised first, in order."""

    fails: list[Exception] = field(default_factory=list)
    added: list[tuple[str, str, str | None]] = field(default_factory=list)

    async def add(
        self, caller: Caller, upload: Path, *, name: str, sha256: str, run: RunLabels | None = None
    ) -> TraceRow:
        if self.fails:
            raise self.fails.pop(0)
        if not upload.read_bytes().startswith(b"main"):
            raise UnrecognisedTrace("It is a photograph.")
        self.added.append((caller.user_id, name, run.program if run else None))
        return a_trace_of(caller)


@dataclass
class Watched:
    place: WatchedPlace
    library: Library
    files: MemoryWatchedFiles


@pytest.fixture
def watched(tmp_path: Path) -> Watched:
    library, files = Library(), MemoryWatchedFiles(SystemClock())
    (tmp_path / "in").mkdir()

    async def anna() -> Caller:
        return ANNA

    async def no_pause() -> None:
        raise AssertionError("a look is not followed by another here")

    place = WatchedPlace(
        "in",
        FolderSource(tmp_path / "in"),
        owner=anna,
        uploads=library,
        files=files,
        scratch=tmp_path,
        pause=no_pause,
        max_bytes=1_000,
    )
    return Watched(place, library, files)


def put(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / "in" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


async def test_what_is_new_is_taken_in_once_under_its_program(watched: Watched, tmp_path: Path) -> None:
    put(tmp_path, "shop/night/a.txt", b"main;checkout 1")
    put(tmp_path, "plain.txt", b"main 1")
    assert await watched.place.look() == 2
    assert await watched.place.look() == 0
    put(tmp_path, "shop/night/a.txt", b"main;checkout 17")
    assert await watched.place.look() == 1
    assert sorted(watched.library.added) == [
        (ANNA.user_id, "a.txt", "shop"),
        (ANNA.user_id, "a.txt", "shop"),
        (ANNA.user_id, "plain.txt", None),
    ]


async def test_what_is_no_trace_or_too_large_is_refused_with_its_reason_and_stops_nothing(
    watched: Watched, tmp_path: Path
) -> None:
    put(tmp_path, "a.jpg", b"\xff\xd8")
    put(tmp_path, "b.txt", b"main" * 1_000)
    put(tmp_path, "c.txt", b"main 1")
    assert await watched.place.look() == 3
    assert watched.files.outcomes["a.jpg"] == "It is a photograph."
    assert str(watched.files.outcomes["b.txt"]).startswith("It has 4,000 bytes")
    assert [name for _, name, _ in watched.library.added] == ["c.txt"]
    assert await watched.place.look() == 0


async def test_what_has_no_room_now_waits_for_a_later_look(watched: Watched, tmp_path: Path) -> None:
    put(tmp_path, "a.txt", b"main 1")
    put(tmp_path, "b.txt", b"main 2")
    watched.library.fails = [Busy("Later.", retry_after_s=1)]
    assert await watched.place.look() == 0
    assert await watched.place.look() == 2


async def test_a_file_whose_taking_in_broke_off_is_anybodys_again(watched: Watched, tmp_path: Path) -> None:
    put(tmp_path, "a.txt", b"main 1")
    watched.library.fails = [DatabaseUnavailable("Gone.")]
    with pytest.raises(DatabaseUnavailable):
        await watched.place.look()
    assert await watched.place.look() == 1
