"""What differs from a remembered fact says which one, when it is proposed and as long as it waits."""

from server.ports.core_memory import Verdict
from server.turns.account_memory import DIFFERS, AccountMemory, TurnMemory
from tests.plugins.worlds import Talk, World

OLDER, NEWER = "layouts must stay under 20 ms", "layouts must stay under 8 ms"


async def test_the_second_of_two_facts_that_do_not_go_together_names_the_first(world: World) -> None:
    talk = await Talk.begin(world, await world.user())
    memory = AccountMemory(world.memory)

    async def nothing(_: str) -> frozenset[str]:
        return frozenset()

    reasons = []
    for text in (OLDER, NEWER):
        prompt = f"remember that {text}"
        turn = TurnMemory(
            memory=memory,
            caller=talk.caller,
            session_id=talk.session_id,
            turn_id=await talk.exchange(prompt),
            prompt=prompt,
            is_typed=True,
            copied=nothing,
        )
        assert (await turn.propose(text=text)).status == "proposed"
        (waiting,) = (await memory.state(talk.caller, talk.session_id)).proposals
        reasons.append(waiting.reason)
        await memory.decide(talk.caller, waiting.proposal_id, Verdict.KEEP)
    assert reasons == ["in your words", f"{DIFFERS}{OLDER}"]
