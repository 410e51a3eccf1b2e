"""Expired traces go with everything that hangs on them; months begin: over every adapter of rows."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio
import pytest

from server.adapters.in_process.workers import InlineTraceWorkers
from server.errors import NotFound
from server.ports.conversations import NewMessage, Sender, TurnEnding, TurnStatus
from server.ports.identity import Caller
from server.ports.objects import PICTURES_BUCKET, TRACES_BUCKET
from server.ports.traces import TraceRow
from server.testing.manual_clock import ManualClock
from server.testing.objects import MemoryObjects
from server.turns.retention import Retention
from tests.plugins.worlds import Talk, World, a_trace_of, new_uuid

DAY = timedelta(days=1)


class Shelf:
    """A world with objects, and a clock of its own that begins now."""

    def __init__(self, world: World, folder: Path) -> None:
        self.world = world
        self._folder = folder
        self.objects = MemoryObjects()
        self.workers = InlineTraceWorkers()
        self.clock = ManualClock(datetime.now(UTC))
        self.retention = Retention(
            records=world.traces,
            conversations=world.conversations,
            plans=world.plans,
            objects=self.objects,
            workers=self.workers,
            clock=self.clock,
        )

    async def keep(
        self, caller: Caller, *, days: int | None, content: bytes = b"main;parse;read 700\nmain;parse 200\n"
    ) -> TraceRow:
        """Store a trace that is kept for so many days."""
        upload = self._folder / new_uuid()
        upload.write_bytes(content)
        opened = await self.workers.read(upload, name="t", key=new_uuid().replace("-", "") * 2)
        expires_at = None if days is None else self.clock.now() + days * DAY
        row = replace(a_trace_of(caller), sha256=opened.key, expires_at=expires_at)
        await self.world.traces.insert(row)
        await self.objects.put(TRACES_BUCKET, row.object_path, content)
        return row

    async def pass_days(self, days: int) -> None:
        self.clock.advance(days * 86_400)
        await self.retention.sweep()

    async def is_kept(self, bucket: str, path: str) -> bool:
        try:
            await self.objects.get(bucket, path)
        except NotFound:
            return False
        return True


@pytest.fixture
def shelf(world: World, tmp_path: Path) -> Shelf:
    return Shelf(world, tmp_path)


async def test_an_expired_trace_goes_with_its_object_its_columns_its_conversations_and_their_pictures(
    shelf: Shelf,
) -> None:
    caller = await shelf.world.user()
    row, picture, turn_id = await shelf.keep(caller, days=3), f"{caller.account_id}/t/p.png", new_uuid()
    talk = Talk(shelf.world, caller, row.trace_id)
    await talk.ask(turn_id)
    await shelf.objects.put(PICTURES_BUCKET, picture, b"png")
    seen = NewMessage(message_id=new_uuid(), sender=Sender.TOOL_RESULT, text="seen", image_path=picture)
    await shelf.world.conversations.end_turn(turn_id, TurnEnding(status=TurnStatus.COMPLETED, messages=(seen,)))
    await shelf.pass_days(2)
    assert (await shelf.world.traces.get(caller, row.trace_id)).name == row.name
    assert await shelf.is_kept(TRACES_BUCKET, row.object_path)
    await shelf.pass_days(1)
    for gone in (
        shelf.world.traces.get(caller, row.trace_id),
        shelf.world.conversations.session(caller, talk.session_id),
    ):
        with pytest.raises(NotFound):
            await gone
    assert not await shelf.is_kept(TRACES_BUCKET, row.object_path)
    assert not await shelf.is_kept(PICTURES_BUCKET, picture)
    assert await shelf.workers.cached(row.sha256) is None


async def test_what_does_not_expire_stays(shelf: Shelf) -> None:
    caller = await shelf.world.user()
    row = await shelf.keep(caller, days=None)
    await shelf.pass_days(36_000)
    assert (await shelf.world.traces.get(caller, row.trace_id)).trace_id == row.trace_id
    assert await shelf.is_kept(TRACES_BUCKET, row.object_path)
    assert await shelf.workers.cached(row.sha256) is not None


async def test_a_trace_that_is_being_answered_about_waits_for_the_answer(shelf: Shelf) -> None:
    caller = await shelf.world.user()
    row, turn_id = await shelf.keep(caller, days=1), new_uuid()
    talk = Talk(shelf.world, caller, row.trace_id)
    await talk.ask(turn_id)
    await shelf.pass_days(2)
    assert await talk.end(turn_id, TurnStatus.COMPLETED, "because") is not None
    await shelf.pass_days(0)
    with pytest.raises(NotFound):
        await shelf.world.traces.get(caller, row.trace_id)


async def test_columns_that_another_trace_shares_stay(shelf: Shelf) -> None:
    caller = await shelf.world.user()
    brief = await shelf.keep(caller, days=1)
    other = replace(a_trace_of(caller), sha256=brief.sha256)
    await shelf.world.traces.insert(other)
    await shelf.pass_days(1)
    assert await shelf.workers.cached(brief.sha256) is not None


async def test_a_sweep_that_broke_off_is_finished_by_the_next(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    caller = await shelf.world.user()
    row = await shelf.keep(caller, days=1)

    async def away(*_: object) -> None:
        raise ConnectionError

    with monkeypatch.context() as broken:
        broken.setattr(shelf.world.traces, "delete_expired", away)
        with pytest.raises(ConnectionError):
            await shelf.pass_days(1)
    await shelf.pass_days(0)
    with pytest.raises(NotFound):
        await shelf.world.traces.get(caller, row.trace_id)
    assert not await shelf.is_kept(TRACES_BUCKET, row.object_path)


async def test_pictures_that_no_message_can_come_to_hold_are_removed_and_others_stay(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.turns.retention.PICTURES_AT_ONCE", 2)
    caller = await shelf.world.user()
    talk, ended, running = await Talk.begin(shelf.world, caller), new_uuid(), new_uuid()
    names = {
        "held": f"{caller.account_id}/{ended}/held.png",
        "redrawn": f"{caller.account_id}/{ended}/redrawn.png",
        "to come": f"{caller.account_id}/{running}/call.png",
        "of a turn that is gone": f"{caller.account_id}/{new_uuid()}/call.png",
        "somebody's": "put-here-by-hand.png",
        "somebody else's": "a/b/c.png",
    }
    for path in names.values():
        await shelf.objects.put(PICTURES_BUCKET, path, b"png")
    await talk.ask(ended)
    seen = NewMessage(message_id=new_uuid(), sender=Sender.TOOL_RESULT, text="seen", image_path=names["held"])
    await shelf.world.conversations.end_turn(ended, TurnEnding(status=TurnStatus.FAILED, messages=(seen,)))
    await talk.ask(running)
    assert await shelf.retention.tidy_pictures() == 2
    kept = {name for name, path in names.items() if await shelf.is_kept(PICTURES_BUCKET, path)}
    assert kept == {"held", "to come", "somebody's", "somebody else's"}
    await talk.end(running, TurnStatus.CANCELLED)
    assert await shelf.retention.tidy_pictures() == 1
    assert not await shelf.is_kept(PICTURES_BUCKET, names["to come"])


async def test_pictures_are_looked_through_when_a_server_starts(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    looked = anyio.Event()

    async def tidy(_: Retention) -> int:
        looked.set()
        return 0

    monkeypatch.setattr(Retention, "tidy_pictures", tidy)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(shelf.retention.run)
        with anyio.fail_after(60):
            await looked.wait()
        tasks.cancel_scope.cancel()
