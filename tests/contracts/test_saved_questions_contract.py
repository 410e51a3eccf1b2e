"""Questions that an account keeps: over every adapter of rows."""

from dataclasses import replace

import pytest

from server.errors import BadRequest, NotFound
from server.ports.saved_questions import MOST_CHARACTERS, MOST_QUESTIONS
from tests.plugins.worlds import World, new_uuid

NIGHTLY = {"form": "series", "measure": {"kind": "function", "name": "read"}, "runs": {"last": 20}}
SQL = {"form": "sql", "sql": "select '\u202e<b>' from lib.traces -- '\\N"}


async def test_what_is_saved_is_listed_by_name_changed_and_removed(world: World) -> None:
    caller = await world.user()
    second = await world.saved_questions.save(caller, new_uuid(), "nightly\x00", NIGHTLY)
    first = await world.saved_questions.save(caller, new_uuid(), "B" + "x" * (MOST_CHARACTERS - 1), SQL)
    assert (second.name, second.question, first.question) == ("nightly\ufffd", NIGHTLY, SQL)
    assert await world.saved_questions.all(caller) == [first, second]
    renamed = await world.saved_questions.change(caller, second.question_id, name="a")
    assert (renamed.name, renamed.question, renamed.created_at) == ("a", NIGHTLY, second.created_at)
    changed = await world.saved_questions.change(caller, second.question_id, question=SQL)
    assert (changed.name, changed.question) == ("a", SQL)
    assert changed.updated_at >= renamed.updated_at
    assert await world.saved_questions.all(caller) == [changed, first]
    await world.saved_questions.remove(caller, second.question_id)
    assert await world.saved_questions.all(caller) == [first]
    for gone in (second.question_id, new_uuid(), "no-uuid"):
        with pytest.raises(NotFound):
            await world.saved_questions.change(caller, gone, name="a")
        with pytest.raises(NotFound):
            await world.saved_questions.remove(caller, gone)


async def test_members_share_them_and_nobody_else_sees_or_changes_them(world: World) -> None:
    caller, stranger = await world.user(), await world.user()
    member = await world.member(caller)
    saved = await world.saved_questions.save(caller, new_uuid(), "nightly", NIGHTLY)
    assert await world.saved_questions.all(member) == [saved]
    assert (await world.saved_questions.change(member, saved.question_id, name="ours")).name == "ours"
    for who in (stranger, replace(stranger, account_id=caller.account_id)):
        assert await world.saved_questions.all(who) == []
        for attempt in (
            world.saved_questions.change(who, saved.question_id, name="theirs"),
            world.saved_questions.remove(who, saved.question_id),
        ):
            with pytest.raises(NotFound):
                await attempt
    with pytest.raises(NotFound):
        await world.saved_questions.save(replace(stranger, account_id=caller.account_id), new_uuid(), "theirs", NIGHTLY)
    assert [one.name for one in await world.saved_questions.all(caller)] == ["ours"]


async def test_an_account_keeps_so_many_and_no_two_of_one_id(world: World) -> None:
    caller, other = await world.user(), await world.user()
    saved = [await world.saved_questions.save(caller, new_uuid(), "q", SQL) for _ in range(MOST_QUESTIONS)]
    with pytest.raises(BadRequest, match="as many as can be kept"):
        await world.saved_questions.save(caller, new_uuid(), "one more", SQL)
    with pytest.raises(BadRequest, match="id exists already"):
        await world.saved_questions.save(other, saved[0].question_id, "same", SQL)
    await world.saved_questions.remove(caller, saved[0].question_id)
    await world.saved_questions.save(caller, new_uuid(), "room again", SQL)
