"""Whoever is in a conversation of an account learns that its memory is another version, once, and nobody else."""

from server.ports.core_memory import Action, NewProposal
from server.protocol.server import MemoryChanged
from server.turns.memory_informing import MemoryInforming, MoreProposed
from tests.plugins.worlds import Talk, memory_world


async def test_members_learn_of_a_version_that_they_do_not_know_and_strangers_nothing() -> None:
    world = memory_world()
    anna = await world.team()
    ben, stranger = await world.joined(anna), await world.user()
    informing = MemoryInforming(world.memory)
    known = {"ben": 0, "stranger": 0}
    with (
        informing.listener(lambda: ben.account_id, lambda: known["ben"]) as of_ben,
        informing.listener(lambda: stranger.account_id, lambda: known["stranger"]) as of_stranger,
        informing.listener(lambda: None, lambda: 0) as of_nobody,
    ):
        await informing.look()
        assert of_ben.waiting.empty()
        await world.memory.write(anna, "we ship on Fridays", version=0)
        await informing.look()
        assert await anext(of_ben.waiting.news()) == MemoryChanged(version=1)
        known["ben"] = 1
        await informing.look()
        assert of_ben.waiting.empty()
        assert of_stranger.waiting.empty()
        assert of_nobody.waiting.empty()
    await world.memory.write(anna, "we ship on Mondays", version=1)
    await informing.look()
    assert of_ben.waiting.empty()


async def test_a_conversation_learns_once_that_more_was_proposed_in_it_and_another_nothing() -> None:
    world = memory_world()
    anna = await world.user()
    talk, other = await Talk.begin(world, anna), await Talk.begin(world, anna)
    informing = MemoryInforming(world.memory)

    async def propose(text: str) -> None:
        turn_id = await talk.exchange(f"remember that {text}")
        new = NewProposal(session_id=talk.session_id, turn_id=turn_id, action=Action.APPEND, text=text)
        await world.memory.propose(anna, new)

    with (
        informing.listener(lambda: anna.account_id, lambda: 0, lambda: talk.session_id) as listener,
        informing.listener(lambda: anna.account_id, lambda: 0, lambda: other.session_id) as elsewhere,
    ):
        await informing.look()
        for text in ("we ship on Fridays", "we deploy twice a day"):
            await propose(text)
            await informing.look()
            await informing.look()
            assert await anext(listener.waiting.news()) == MoreProposed(talk.session_id)
            assert listener.waiting.empty()
        assert elsewhere.waiting.empty()
