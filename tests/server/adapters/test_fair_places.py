"""Whoever asks a thousand questions at once waits for them; who asks one waits for one of another's."""

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.adapters.workers.fair_places import FairPlaces
from server.ports.asking_user import ASKING_USER


async def served(asked: list[str]) -> list[str]:
    """The order in which these users' tasks, which all wait already, get the one place."""
    fair, order = FairPlaces(1), list[str]()

    async def one(user: str) -> None:
        ASKING_USER.set(user)
        async with fair.place():
            order.append(user)
            await anyio.lowlevel.checkpoint()

    async with anyio.create_task_group() as tasks, fair.place():
        for user in asked:
            tasks.start_soon(one, user)
        with anyio.fail_after(20):
            while fair.waiting < len(asked):
                await anyio.lowlevel.checkpoint()
    assert fair.waiting == 0
    return order


async def test_one_question_waits_for_one_of_another_users() -> None:
    order = await served(["anna"] * 1_000 + ["ben"])
    assert order.index("ben") == 1


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=40))
def test_users_take_turns_and_everyone_is_served(asked: list[str]) -> None:
    order = anyio.run(served, asked)
    assert sorted(order) == sorted(asked)
    for end in range(1, len(order) + 1):
        had = {user: order[:end].count(user) for user in set(asked)}
        unserved = [user for user in had if had[user] < asked.count(user)]
        assert all(had[user] >= max(had.values()) - 1 for user in unserved)


@pytest.mark.parametrize("is_given", [False, True], ids=["still waiting", "just given"])
async def test_who_gives_up_waiting_costs_no_place(is_given: bool) -> None:
    fair = FairPlaces(1)
    async with anyio.create_task_group() as tasks:
        async with fair.place():
            tasks.start_soon(_take_and_leave, fair)
            with anyio.fail_after(20):
                while not fair.waiting:
                    await anyio.lowlevel.checkpoint()
            if not is_given:
                tasks.cancel_scope.cancel()
        tasks.cancel_scope.cancel()
    with anyio.fail_after(20):
        async with fair.place():
            assert fair.waiting == 0


async def _take_and_leave(fair: FairPlaces) -> None:
    async with fair.place():
        pass
