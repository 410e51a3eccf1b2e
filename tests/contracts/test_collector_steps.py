"""A collector that is killed, wherever it is, is taken up once by another server: nothing it found is lost, no model is
asked twice for it, and no proposal is doubled."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from server.errors import BadRequest, DatabaseUnavailable, NotFound
from server.ports.conversations import TurnRow
from server.ports.core_memory import MOST_COLLECTED, CollectorStep, CoreMemory, NewProposal, Noticed, Proposal
from server.ports.executor import ModelCaller
from server.ports.identity import Caller
from server.turns.account_memory import AccountMemory
from server.turns.collector import Collector, StoredStep
from server.turns.collector_recovery import CollectorRecovery
from tests.plugins.worlds import Talk, World, new_uuid

PROMPT = "Our checkout must answer within 250 ms and we ship on Fridays, why is it slow?"
FOUND = (Noticed(text="the checkout must answer within 250 ms"), Noticed(text="we ship on Fridays"))
AT_MOST_S = 30


@dataclass
class Noticer:
    """Implements `FactNoticer`, in other words each time."""

    asked: int = 0
    waits: asyncio.Event = field(default_factory=asyncio.Event)

    async def notice(self, typed: str, facts: Sequence[str], caller: ModelCaller) -> list[Noticed]:
        self.asked += 1
        await self.waits.wait()
        return list(FOUND) if self.asked == 1 else [Noticed(text=f"{one.text}, why") for one in FOUND]


class Killed(BaseException):
    """The process has gone: nothing after it runs."""


@dataclass
class DyingMemory:
    """The store, until the process dies in front of the call that `at` names."""

    store: CoreMemory
    at: str

    def __getattr__(self, name: str) -> Any:
        if name == self.at:
            raise Killed
        return getattr(self.store, name)


def store_of(dying: DyingMemory) -> CoreMemory:
    return cast("CoreMemory", dying)


async def no_pieces(_: str) -> frozenset[str]:
    return frozenset()


def a_server(store: CoreMemory, noticer: Noticer) -> tuple[AccountMemory, Collector]:
    collector = Collector(noticer)
    return AccountMemory(store, collector=collector), collector


async def asked(world: World) -> tuple[Talk, TurnRow]:
    talk = await Talk.begin(world, await world.user())
    turn_id = new_uuid()
    assert (await talk.ask(turn_id, PROMPT)).allowed
    return talk, await world.conversations.turn(talk.caller, turn_id)


def begin(memory: AccountMemory, collector: Collector, store: CoreMemory, talk: Talk, turn: TurnRow) -> bool:
    """As a server that takes it up at once."""
    proposals = memory.of_turn(turn, talk.caller, no_pieces)
    assert proposals is not None
    of = ModelCaller(account_id=turn.account_id, user_id=turn.user_id)
    return collector.begin(turn.prompt, proposals, of, StoredStep(store, talk.caller, turn.turn_id, after_s=0))


@pytest.mark.parametrize("at", ["begin_collecting", "keep_noticed", "propose", "end_collecting"])
async def test_one_that_is_killed_is_taken_up_and_proposes_each_fact_once(world: World, at: str) -> None:
    talk, turn = await asked(world)
    noticer = Noticer()
    noticer.waits.set()
    dying = store_of(DyingMemory(world.memory, at))
    first, collector = a_server(dying, noticer)
    assert begin(first, collector, dying, talk, turn)
    (task,) = collector._running
    with pytest.raises(Killed):
        await asyncio.wait_for(task, AT_MOST_S)
    has_started = at != "begin_collecting"
    left = [turn_id for _, turn_id in await world.memory.left_collecting(1_000, after_s=0)]
    assert (turn.turn_id in left) is has_started

    second, collector = a_server(world.memory, noticer)
    assert begin(second, collector, world.memory, talk, turn)
    assert await collector.settled(AT_MOST_S) == 0
    made = [one.text for one in await world.memory.proposals(talk.caller, talk.session_id)]
    was_kept = at in {"propose", "end_collecting"}
    assert noticer.asked == (1 if was_kept or not has_started else 2)
    assert len(made) == len(FOUND)
    assert not was_kept or made == [one.text for one in FOUND]

    third, collector = a_server(world.memory, noticer)
    begin(third, collector, world.memory, talk, turn)
    assert await collector.settled(AT_MOST_S) == 0
    assert [one.text for one in await world.memory.proposals(talk.caller, talk.session_id)] == made
    assert turn.turn_id not in [turn_id for _, turn_id in await world.memory.left_collecting(1_000, after_s=0)]


async def test_a_server_that_stops_leaves_it_and_another_takes_it_up(world: World) -> None:
    talk, turn = await asked(world)
    noticer = Noticer()
    first, collector = a_server(world.memory, noticer)
    assert begin(first, collector, world.memory, talk, turn)
    while not noticer.asked:
        await asyncio.sleep(0)
    assert await collector.settled(0) == 1

    second, collector = a_server(world.memory, noticer)
    noticer.waits.set()

    async def collect(row: TurnRow) -> bool:
        return row.turn_id == turn.turn_id and begin(second, collector, world.memory, talk, row)

    recovery = CollectorRecovery(store=world.memory, conversations=world.conversations, collect=collect, after_s=0)
    assert await recovery.step() >= 1
    assert await collector.settled(AT_MOST_S) == 0
    assert len(await world.memory.proposals(talk.caller, talk.session_id)) == len(FOUND)
    assert await recovery.step() == 0


async def test_what_cannot_be_taken_up_ends(world: World) -> None:
    talk, turn = await asked(world)
    assert await world.memory.begin_collecting(talk.caller, turn.turn_id) is not None

    async def collect(row: TurnRow) -> bool:
        raise NotFound("The recording is gone.")

    recovery = CollectorRecovery(store=world.memory, conversations=world.conversations, collect=collect, after_s=0)
    assert await recovery.step() >= 1
    assert await recovery.step() == 0
    assert await world.memory.begin_collecting(talk.caller, turn.turn_id, after_s=0) is None


async def test_a_step_is_one_servers_at_a_time_and_of_whose_turn_it_is(world: World) -> None:
    talk, turn = await asked(world)
    with pytest.raises(NotFound):
        await world.memory.begin_collecting(await world.user(), turn.turn_id)
    at_once = await asyncio.gather(*(world.memory.begin_collecting(talk.caller, turn.turn_id) for _ in range(4)))
    assert [one for one in at_once if one is not None] == [CollectorStep(attempt=1)]
    await world.memory.keep_noticed(turn.turn_id, FOUND)
    again = await world.memory.begin_collecting(talk.caller, turn.turn_id, after_s=0)
    assert again == CollectorStep(attempt=MOST_COLLECTED, noticed=FOUND)
    assert await world.memory.begin_collecting(talk.caller, turn.turn_id, after_s=0) is None
    assert turn.turn_id not in [turn_id for _, turn_id in await world.memory.left_collecting(1_000, after_s=0)]


async def test_without_the_database_it_is_left_and_no_refusal_leaves_it(world: World) -> None:
    for error, has_ended in ((DatabaseUnavailable("away"), False), (BadRequest("too many", field="text"), True)):
        talk, turn = await asked(world)

        @dataclass
        class Refusing(DyingMemory):
            async def propose(self, caller: Caller, proposal: NewProposal) -> Proposal | None:
                raise error  # noqa: B023 - called within the loop

        noticer = Noticer()
        noticer.waits.set()
        refusing = store_of(Refusing(world.memory, at=""))
        memory, collector = a_server(refusing, noticer)
        assert begin(memory, collector, refusing, talk, turn)
        assert await collector.settled(AT_MOST_S) == 0
        left = [turn_id for _, turn_id in await world.memory.left_collecting(1_000, after_s=0)]
        assert (turn.turn_id not in left) is has_ended
        await world.memory.end_collecting(turn.turn_id)
