"""Which files of watched places were taken in: over every adapter of rows."""

from server.ports.watched_files import READING_S, WatchedFile
from server.testing.manual_clock import ManualClock
from server.testing.watched_files import MemoryWatchedFiles
from tests.plugins.worlds import World, new_uuid


def a_file(version: str = "1") -> WatchedFile:
    return WatchedFile("s3://profiles", f"{new_uuid()}/a\0 \udc80.pb.gz", version)


async def test_a_file_is_one_servers_and_is_taken_in_once(world: World) -> None:
    caller = await world.user()
    file = a_file()
    assert await world.watched_files.claim(file, caller.user_id)
    assert not await world.watched_files.claim(file, caller.user_id)
    await world.watched_files.end(file, trace_id=await world.trace(caller))
    assert not await world.watched_files.claim(file, caller.user_id)
    assert await world.watched_files.claim(WatchedFile(file.place, file.name, "2"), caller.user_id)
    assert await world.watched_files.claim(WatchedFile("/another", file.name, file.version), caller.user_id)


async def test_what_was_refused_stays_so_and_what_was_released_does_not(world: World) -> None:
    caller = await world.user()
    refused, released = a_file(), a_file()
    for file in (refused, released):
        assert await world.watched_files.claim(file, caller.user_id)
    await world.watched_files.end(refused, reason="It is no trace: \0 \udc80" + "x" * 900)
    await world.watched_files.release(released)
    await world.watched_files.release(refused)
    assert not await world.watched_files.claim(refused, caller.user_id)
    assert await world.watched_files.claim(released, caller.user_id)


async def test_a_trace_that_is_deleted_is_not_taken_in_again(world: World) -> None:
    caller = await world.user()
    file, trace_id = a_file(), await world.trace(caller)
    assert await world.watched_files.claim(file, caller.user_id)
    await world.watched_files.end(file, trace_id=trace_id)
    await world.traces.delete(caller, trace_id)
    assert not await world.watched_files.claim(file, caller.user_id)


async def test_the_file_of_a_server_that_is_gone_is_taken_up() -> None:
    clock, file = ManualClock(), a_file()
    files = MemoryWatchedFiles(clock)
    assert await files.claim(file, new_uuid())
    clock.advance(READING_S + 1)
    assert await files.claim(file, new_uuid())
