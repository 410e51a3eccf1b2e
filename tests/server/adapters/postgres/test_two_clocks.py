"""A server and a database whose clocks differ: what has a time limit is compared with one of them."""

from datetime import UTC, datetime, timedelta, tzinfo
from typing import ClassVar

import pytest

from server.adapters.postgres import interrupts
from server.adapters.postgres.pool import Database
from server.adapters.postgres.turn_rows import LATELY, overtaken_lately
from server.protocol.wire_values import AskedOfPage
from tests.plugins.postgres import FreshDatabase
from tests.plugins.worlds import Talk, new_uuid
from tests.plugins.worlds_on_postgres import postgres_world

PAGE_HAS = timedelta(seconds=20)


class Shifted(datetime):
    """A server's clock that differs from the database's."""

    by: ClassVar[timedelta] = timedelta()

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> "Shifted":
        return super().now(tz) + cls.by


@pytest.mark.parametrize("by_s", [-3600, -90, 90, 3600])
async def test_a_page_has_its_time_to_answer_and_no_more(
    database: FreshDatabase, monkeypatch: pytest.MonkeyPatch, by_s: float
) -> None:
    monkeypatch.setattr(Shifted, "by", timedelta(seconds=by_s))
    monkeypatch.setattr(interrupts, "datetime", Shifted)
    async with Database(database.server) as found:
        world = postgres_world(database.owner, found)
        talk, turn_id = await Talk.begin(world, await world.user()), new_uuid()
        await talk.ask(turn_id)
        await world.conversations.start_turn(turn_id, owner="a process")
        question = AskedOfPage(
            interrupt_id=new_uuid(),
            tool_call_id="call_1",
            tool_name="navigate",
            args={},
            expires_at=Shifted.now(UTC) + PAGE_HAS,
        )
        assert await world.conversations.interrupt_turn(turn_id, question, attempt=1)
        async with found.transaction() as connection:
            [row] = await (
                await connection.execute("select interrupt_expires_at - now() as left from chat_turns")
            ).fetchall()
        assert timedelta() < row["left"] <= PAGE_HAS


def test_how_often_a_turn_was_overtaken_is_counted_by_the_database_s_times_alone() -> None:
    first = datetime(2020, 1, 31, tzinfo=UTC)
    times = [first, *(first + LATELY + timedelta(seconds=after) for after in (-1, 0, 1))]
    assert overtaken_lately(times) == 3
    assert overtaken_lately([]) == 0
