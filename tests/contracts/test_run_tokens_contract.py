"""Tokens of runs: over every adapter of rows."""

import pytest

from server.errors import NotFound
from server.ports.executor import run_id_of
from server.ports.run_tokens import RunHolder, new_run_token, token_hash_of
from tests.plugins.worlds import Talk, World, new_uuid


async def a_turn(world: World) -> str:
    turn_id = new_uuid()
    talk = await Talk.begin(world, await world.user())
    assert (await talk.ask(turn_id)).allowed
    return turn_id


async def test_a_token_opens_the_run_that_it_was_made_for_and_no_other(world: World) -> None:
    mine, theirs = await a_turn(world), await a_turn(world)
    hashes = {turn_id: token_hash_of(new_run_token()) for turn_id in (mine, theirs)}
    for turn_id, token_hash in hashes.items():
        await world.run_tokens.issue(run_id_of(turn_id, 1), RunHolder(turn_id, 1), token_hash)
    assert await world.run_tokens.holder(run_id_of(mine, 1), hashes[mine]) == RunHolder(mine, 1)
    assert await world.run_tokens.holder(run_id_of(mine, 1), hashes[theirs]) is None
    assert await world.run_tokens.holder(run_id_of(theirs, 1), hashes[mine]) is None
    for no_run in ("", "../x", new_uuid()):
        assert await world.run_tokens.holder(no_run, hashes[mine]) is None


async def test_a_later_attempt_takes_the_place_of_an_earlier_one(world: World) -> None:
    turn_id, first, second = await a_turn(world), token_hash_of("a"), token_hash_of("b")
    await world.run_tokens.issue(run_id_of(turn_id, 1), RunHolder(turn_id, 1), first)
    await world.run_tokens.issue(run_id_of(turn_id, 2), RunHolder(turn_id, 2), second)
    assert await world.run_tokens.holder(run_id_of(turn_id, 1), first) is None
    assert await world.run_tokens.holder(run_id_of(turn_id, 2), second) == RunHolder(turn_id, 2)
    with pytest.raises(NotFound):  # an attempt that was overtaken
        await world.run_tokens.issue(run_id_of(turn_id, 1), RunHolder(turn_id, 1), first)
    assert await world.run_tokens.holder(run_id_of(turn_id, 2), second) == RunHolder(turn_id, 2)


@pytest.mark.parametrize("turn_id", ["00000000-0000-4000-8000-00000000abcd", "no id"])
async def test_there_is_none_for_a_turn_that_is_not_there(world: World, turn_id: str) -> None:
    with pytest.raises(NotFound):
        await world.run_tokens.issue(run_id_of(turn_id, 1), RunHolder(turn_id, 1), token_hash_of("a"))


def test_tokens_are_random_and_their_hashes_say_nothing_of_them() -> None:
    tokens = {new_run_token() for _ in range(100)}
    assert len(tokens) == 100
    assert all(len(token) >= 43 and token not in token_hash_of(token) for token in tokens)
