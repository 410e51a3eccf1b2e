"""Whoever is in a conversation of an account learns that its memory is another version, once, and nobody else."""

from server.protocol.server import MemoryChanged
from server.turns.memory_informing import MemoryInforming
from tests.plugins.worlds import memory_world


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
