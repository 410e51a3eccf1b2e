"""Turns in memory that wait for the page: nobody runs them, and they go on once."""

from datetime import timedelta

import pytest

from server.errors import NotFound
from server.protocol.mounted import NOBODY_THERE
from tests.plugins.worlds import new_uuid
from tests.server.turns.test_page_answers import Waiting

DECLINED = {"status": "declined"}


async def test_a_turn_that_waits_has_no_owner_and_its_attempt_was_handed_over() -> None:
    waiting = await Waiting.begin()
    row = await waiting.rows.turn(waiting.anna, waiting.job.turn_id)
    assert (row.waits_for_page, row.owner, row.handed_over, row.attempt) == (True, None, 1, 1)
    assert row.interrupt is not None
    assert row.interrupt.interrupt_id == waiting.interrupt_id
    assert await waiting.rows.waiting_turn(waiting.anna, waiting.job.session_id) == row
    assert await waiting.rows.waiting_turn(waiting.ben, waiting.job.session_id) is None


async def test_only_the_newest_attempt_that_runs_may_wait() -> None:
    waiting = await Waiting.begin()
    row = await waiting.rows.turn(waiting.anna, waiting.job.turn_id)
    assert row.interrupt is not None
    assert not await waiting.rows.interrupt_turn(row.turn_id, row.interrupt, attempt=1), "nobody runs it"
    await waiting.rows.resume_turn(waiting.anna, waiting.interrupt_id, DECLINED)
    await waiting.rows.start_turn(row.turn_id, owner="another")
    assert not await waiting.rows.interrupt_turn(row.turn_id, row.interrupt, attempt=1), "an attempt of before"
    assert not await waiting.rows.interrupt_turn(new_uuid(), row.interrupt, attempt=2), "no such turn"
    assert await waiting.rows.interrupt_turn(row.turn_id, row.interrupt, attempt=2)


async def test_an_answer_comes_once_in_time_and_from_who_asked() -> None:
    waiting = await Waiting.begin()
    assert await waiting.rows.resume_turn(waiting.ben, waiting.interrupt_id, DECLINED) is None
    with pytest.raises(NotFound):
        await waiting.rows.turn_of_interrupt(waiting.ben, waiting.interrupt_id)
    row = await waiting.rows.resume_turn(waiting.anna, waiting.interrupt_id, DECLINED, context={"view": "left_heavy"})
    assert row is not None
    assert (row.interrupt_result, row.context) == (DECLINED, {"view": "left_heavy"})
    assert await waiting.rows.resume_turn(waiting.anna, waiting.interrupt_id, DECLINED) is None
    assert await waiting.rows.waiting_turn(waiting.anna, waiting.job.session_id) is None


async def test_what_nobody_answered_in_time_goes_on_with_that() -> None:
    waiting = await Waiting.begin()
    assert await waiting.rows.expire_interrupts() == []
    waiting.clock.advance(timedelta(minutes=5).total_seconds())
    (row,) = await waiting.rows.expire_interrupts()
    assert (row.turn_id, row.interrupt_result) == (waiting.job.turn_id, NOBODY_THERE)
    assert await waiting.rows.expire_interrupts() == []


async def test_a_turn_that_shall_stop_does_not_wait() -> None:
    waiting = await Waiting.begin()
    await waiting.rows.request_cancel(waiting.anna, waiting.job.turn_id)
    assert await waiting.rows.waiting_turn(waiting.anna, waiting.job.session_id) is None
    assert await waiting.rows.resume_turn(waiting.anna, waiting.interrupt_id, DECLINED) is None
