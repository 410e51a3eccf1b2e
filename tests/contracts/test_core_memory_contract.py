"""What every adapter of CoreMemory does."""

import asyncio
from dataclasses import replace

import pytest

from limits.plans import LOCAL_PLAN
from server.errors import BadRequest, NotAllowed, NotFound
from server.ports.core_memory import (
    MOST_CHARACTERS,
    MOST_OPEN,
    Action,
    Memory,
    MemoryChanged,
    NewProposal,
    Onboarding,
    Proposal,
    Verdict,
)
from server.ports.identity import Caller
from server.ports.teams import Deciders, Role
from tests.plugins.worlds import Talk, World, new_uuid


async def proposed(world: World, talk: Talk, text: str | None, *, old: str | None = None) -> Proposal | None:
    """A proposal of a new turn of the talk."""
    turn_id = await talk.exchange()
    action = Action.APPEND if old is None else Action.FORGET if text is None else Action.REPLACE
    new = NewProposal(
        session_id=talk.session_id, turn_id=turn_id, action=action, old=old, text=text, span=(9, 20) if text else None
    )
    return await world.memory.propose(talk.caller, new)


async def a_proposal(world: World, talk: Talk, text: str | None, *, old: str | None = None) -> Proposal:
    made = await proposed(world, talk, text, old=old)
    assert made is not None
    return made


async def test_nothing_is_remembered_at_first(world: World) -> None:
    caller = await world.user()
    assert await world.memory.read(caller) == Memory()
    assert await world.memory.changes(caller) == []


async def test_what_was_written_is_read_with_its_version_and_who_wrote_it(world: World) -> None:
    caller = await world.user()
    written = await world.memory.write(caller, "we ship on Fridays\nthe limit is 300 ms", version=0)
    assert (written.version, written.updated_by) == (1, caller.user_id)
    assert written.facts == ("we ship on Fridays", "the limit is 300 ms")
    assert await world.memory.read(caller) == written
    assert (await world.memory.write(caller, written.text, version=1)).version == 1
    change = (await world.memory.changes(caller))[0]
    assert (change.version, change.before, change.after) == (1, "", written.text)
    assert (change.by_user, change.decision) == (caller.user_id, "written")


async def test_the_second_of_two_editors_changes_nothing_and_sees_what_stands(world: World) -> None:
    caller = await world.user()
    first = await world.memory.write(caller, "mine", version=0)
    with pytest.raises(MemoryChanged) as refused:
        await world.memory.write(caller, "theirs", version=0)
    assert refused.value.memory == first
    assert (await world.memory.read(caller)).text == "mine"


async def test_of_editors_at_once_one_writes(world: World) -> None:
    caller = await world.user()
    texts = [f"fact {at}" for at in range(4)]
    ends = await asyncio.gather(
        *(world.memory.write(caller, text, version=0) for text in texts), return_exceptions=True
    )
    written = [end for end in ends if isinstance(end, Memory)]
    assert len(written) == 1
    assert len([end for end in ends if isinstance(end, MemoryChanged)]) == len(texts) - 1
    assert await world.memory.read(caller) == written[0]


async def test_a_text_is_as_long_as_there_is_room_and_what_is_too_much_is_named(world: World) -> None:
    caller = await world.user()
    await world.memory.write(caller, "é" * MOST_CHARACTERS, version=0)
    with pytest.raises(BadRequest, match="2 too many"):
        await world.memory.write(caller, "x" * (MOST_CHARACTERS + 2), version=1)
    talk = await Talk.begin(world, caller)
    made = await a_proposal(world, talk, "one more")
    with pytest.raises(BadRequest, match="9 too many"):
        await world.memory.decide(caller, made.proposal_id, Verdict.KEEP)
    assert (await world.memory.read(caller)).version == 1
    assert [one.proposal_id for one in await world.memory.proposals(caller, talk.session_id)] == [made.proposal_id]


async def test_a_proposal_writes_nothing_until_it_is_kept(world: World) -> None:
    talk = await Talk.begin(world, await world.user())
    made = await a_proposal(world, talk, "requests stay under 300 ms")
    assert made.span == (9, 20)
    assert await world.memory.read(talk.caller) == Memory()
    assert await world.memory.proposals(talk.caller, talk.session_id) == [made]
    decided = await world.memory.decide(talk.caller, made.proposal_id, Verdict.KEEP)
    assert (decided.decision, decided.changed) == (Verdict.KEEP, True)
    assert decided.memory.facts == ("requests stay under 300 ms",)
    assert await world.memory.read(talk.caller) == decided.memory
    assert await world.memory.proposals(talk.caller, talk.session_id) == []
    change = (await world.memory.changes(talk.caller))[0]
    assert (change.proposed_in_turn, change.decision) == (made.turn_id, "keep")


async def test_a_proposal_is_decided_once(world: World) -> None:
    talk = await Talk.begin(world, await world.user())
    made = await a_proposal(world, talk, "the limit is 300 ms")
    verdicts = [Verdict.KEEP, Verdict.NO, Verdict.EDIT, Verdict.KEEP]
    ends = await asyncio.gather(
        *(world.memory.decide(talk.caller, made.proposal_id, one, text="500 ms") for one in verdicts)
    )
    assert len({end.decision for end in ends}) == 1
    assert sum(end.changed for end in ends) <= 1
    assert (await world.memory.read(talk.caller)).version == (ends[0].decision is not Verdict.NO)


async def test_an_edit_is_kept_in_the_persons_words(world: World) -> None:
    talk = await Talk.begin(world, await world.user())
    made = await a_proposal(world, talk, "the limit is 300 ms")
    decided = await world.memory.decide(talk.caller, made.proposal_id, Verdict.EDIT, text="the limit is 500 ms")
    assert decided.memory.text == "the limit is 500 ms"


async def test_a_line_is_replaced_and_struck_where_it_stands(world: World) -> None:
    talk = await Talk.begin(world, await world.user())
    await world.memory.write(talk.caller, "a\nb\nc", version=0)
    other = await a_proposal(world, talk, "B", old="b")
    assert (await world.memory.decide(talk.caller, other.proposal_id, Verdict.KEEP)).memory.text == "a\nB\nc"
    gone = await a_proposal(world, talk, None, old="a")
    assert (await world.memory.decide(talk.caller, gone.proposal_id, Verdict.KEEP)).memory.text == "B\nc"


async def test_a_line_that_is_gone_meanwhile_cannot_be_replaced(world: World) -> None:
    talk = await Talk.begin(world, await world.user())
    await world.memory.write(talk.caller, "a", version=0)
    made = await a_proposal(world, talk, "A", old="a")
    await world.memory.write(talk.caller, "b", version=1)
    with pytest.raises(BadRequest, match="not remembered any more"):
        await world.memory.decide(talk.caller, made.proposal_id, Verdict.KEEP)


async def test_what_is_there_already_is_not_there_twice(world: World) -> None:
    talk = await Talk.begin(world, await world.user())
    await world.memory.write(talk.caller, "a", version=0)
    made = await a_proposal(world, talk, "a")
    decided = await world.memory.decide(talk.caller, made.proposal_id, Verdict.KEEP)
    assert (decided.changed, decided.memory.text, decided.memory.version) == (False, "a", 1)


async def test_what_was_declined_is_not_proposed_again(world: World) -> None:
    talk = await Talk.begin(world, await world.user())
    made = await a_proposal(world, talk, "we use tabs")
    decided = await world.memory.decide(talk.caller, made.proposal_id, Verdict.NO)
    assert (decided.changed, decided.memory) == (False, Memory())
    assert await proposed(world, talk, "we use tabs") is None
    assert await proposed(world, talk, "we use spaces") is not None


async def test_the_same_proposal_while_it_is_open_is_the_one_that_is_there(world: World) -> None:
    talk = await Talk.begin(world, await world.user())
    made = await a_proposal(world, talk, "we use tabs")
    assert await proposed(world, talk, "we use tabs") == made


async def test_so_many_wait_for_a_decision_and_no_more(world: World) -> None:
    talk = await Talk.begin(world, await world.user())
    turn_id = await talk.exchange()
    new = NewProposal(session_id=talk.session_id, turn_id=turn_id, action=Action.APPEND)
    for at in range(MOST_OPEN):
        await world.memory.propose(talk.caller, replace(new, text=f"fact {at}"))
    with pytest.raises(BadRequest, match="Decide"):
        await world.memory.propose(talk.caller, replace(new, text="one more"))


async def test_what_a_setting_kept_is_taken_back_once(world: World) -> None:
    talk = await Talk.begin(world, await world.user())
    await world.memory.write(talk.caller, "a", version=0)
    made = await a_proposal(world, talk, "A", old="a")
    kept = await world.memory.decide(talk.caller, made.proposal_id, Verdict.AUTO)
    assert kept.memory.text == "A"
    assert [one.decision for one in await world.memory.proposals(talk.caller, talk.session_id)] == [Verdict.AUTO]
    undone = await world.memory.decide(talk.caller, made.proposal_id, Verdict.NO)
    assert (undone.changed, undone.memory.text, undone.memory.version) == (True, "a", 3)
    again = await world.memory.decide(talk.caller, made.proposal_id, Verdict.NO)
    assert (again.changed, again.memory.version) == (False, 3)


async def test_only_who_was_asked_decides(world: World) -> None:
    talk, stranger = await Talk.begin(world, await world.user()), await world.user()
    made = await a_proposal(world, talk, "mine alone")
    for proposal_id in (made.proposal_id, new_uuid(), "no id"):
        with pytest.raises(NotFound):
            await world.memory.decide(stranger, proposal_id, Verdict.KEEP)
    assert await world.memory.proposals(stranger, talk.session_id) == []
    assert await world.memory.read(talk.caller) == Memory()


async def test_nothing_is_proposed_in_anothers_turn(world: World) -> None:
    talk, stranger = await Talk.begin(world, await world.user()), await world.user()
    turn_id = await talk.exchange()
    new = NewProposal(session_id=talk.session_id, turn_id=turn_id, action=Action.APPEND, text="x")
    with pytest.raises(NotFound):
        await world.memory.propose(stranger, new)
    with pytest.raises(NotFound):
        await world.memory.propose(talk.caller, replace(new, turn_id=new_uuid()))


async def test_another_account_is_neither_read_nor_written(world: World) -> None:
    owner, stranger = await world.user(), await world.user()
    await world.memory.write(owner, "mine alone", version=0)
    disguised = Caller(user_id=stranger.user_id, account_id=owner.account_id)
    with pytest.raises(NotFound):
        await world.memory.read(disguised)
    with pytest.raises(NotFound):
        await world.memory.write(disguised, "theirs", version=1)
    assert await world.memory.changes(disguised) == []
    assert (await world.memory.read(owner)).text == "mine alone"


async def test_prompts_are_the_callers_own(world: World) -> None:
    talk, stranger = await Talk.begin(world, await world.user(LOCAL_PLAN)), await world.user()
    await talk.exchange("first")
    await talk.exchange("second")
    assert await world.memory.prompts(talk.caller, talk.session_id) == ["first", "second"]
    assert await world.memory.prompts(stranger, talk.session_id) == []


async def test_a_conversation_takes_its_proposals_with_it(world: World) -> None:
    talk = await Talk.begin(world, await world.user())
    made = await a_proposal(world, talk, "mine")
    await world.conversations.delete_session(talk.caller, talk.session_id)
    assert await world.memory.proposals(talk.caller, talk.session_id) == []
    with pytest.raises(NotFound):
        await world.memory.decide(talk.caller, made.proposal_id, Verdict.KEEP)


async def test_what_cannot_be_stored_is_replaced(world: World) -> None:
    caller = await world.user()
    assert (await world.memory.write(caller, "a\0b", version=0)).text == "a\ufffdb"


async def test_a_member_adds_and_changes_what_they_said_and_an_owner_all_of_it(world: World) -> None:
    owner = await world.team()
    one, other, viewer = await world.joined(owner), await world.joined(owner), await world.joined(owner, Role.VIEWER)
    assert (await world.memory.write(one, "of one", version=0)).version == 1
    assert (await world.memory.write(other, "of one\nof other", version=1)).version == 2
    for text in ("of other", "of one, changed\nof other", ""):
        with pytest.raises(NotAllowed, match="Only who said that"):
            await world.memory.write(other, text, version=2)
    with pytest.raises(NotAllowed, match="viewer"):
        await world.memory.write(viewer, "of one\nof other\nof a viewer", version=2)
    assert (await world.memory.read(viewer)).text == "of one\nof other"
    assert (await world.memory.write(one, "of one, changed\nof other", version=2)).version == 3
    assert (await world.memory.write(owner, "of the owner", version=3)).version == 4


async def test_an_account_may_keep_its_memory_to_its_owners(world: World) -> None:
    owner = await world.team()
    member = await world.joined(owner)
    await world.teams.change(owner.user_id, owner.account_id, memory_decided_by=Deciders.OWNERS)
    with pytest.raises(NotAllowed, match="only owners"):
        await world.memory.write(member, "a fact", version=0)
    assert (await world.memory.write(owner, "a fact", version=0)).version == 1
    await world.teams.change(owner.user_id, owner.account_id, memory_decided_by=Deciders.MEMBERS)
    assert (await world.memory.write(member, "a fact\nanother", version=1)).version == 2


async def test_an_onboarding_goes_on_where_it_was_and_ends_with_a_memory(world: World) -> None:
    caller, other = await world.user(), await world.user()
    assert await world.memory.onboarding(caller) == Onboarding()
    await world.memory.keep_onboarding(caller, {"answers": {"limits": "300 ms"}, "struck": ["a"]})
    kept = await world.memory.onboarding(caller)
    assert (kept.state["answers"], kept.outcome, kept.was_offered) == ({"limits": "300 ms"}, None, True)
    assert await world.memory.onboarding(other) == Onboarding()
    with pytest.raises(MemoryChanged):
        await world.memory.confirm_onboarding(caller, "Limit: 300 ms", answers="300 ms", version=7)
    assert (await world.memory.onboarding(caller)).outcome is None
    memory = await world.memory.confirm_onboarding(caller, "Limit: 300 ms", answers="300 ms", version=0)
    assert (memory.facts, memory.version) == (("Limit: 300 ms",), 1)
    ended = await world.memory.onboarding(caller)
    assert (ended.outcome, ended.state, ended.was_offered) == ("confirmed", {}, True)
    assert ended.initial_text == "300 ms"
    await world.memory.keep_onboarding(caller, {"answers": {}})
    assert (await world.memory.onboarding(caller)).outcome is None
    await world.memory.decline_onboarding(caller)
    assert (await world.memory.onboarding(caller)).outcome == "declined"


async def test_an_onboarding_is_its_persons_own_and_no_viewers(world: World) -> None:
    caller, stranger = await world.user(), await world.user()
    with pytest.raises(NotFound):
        await world.memory.onboarding(replace(stranger, account_id=caller.account_id))
    with pytest.raises(NotFound):
        await world.memory.keep_onboarding(replace(stranger, account_id=caller.account_id), {})


async def test_versions_of_accounts_are_those_that_stand_and_a_viewer_is_asked_nothing(world: World) -> None:
    owner, other = await world.team(), await world.user()
    await world.memory.write(owner, "we ship on Fridays", version=0)
    await world.memory.write(owner, "we ship on Mondays", version=1)
    await world.memory.write(other, "mine", version=0)
    unknown = new_uuid()
    asked = frozenset({owner.account_id, other.account_id, unknown})
    assert dict(await world.memory.versions(asked)) == {owner.account_id: 2, other.account_id: 1}
    assert dict(await world.memory.versions(frozenset({unknown}))) == {}
    viewer = await world.joined(owner, Role.VIEWER)
    for ask in (world.memory.keep_onboarding(viewer, {}), world.memory.decline_onboarding(viewer)):
        with pytest.raises(NotAllowed):
            await ask
    with pytest.raises(NotAllowed):
        await world.memory.confirm_onboarding(viewer, "theirs", answers="", version=2)
    assert (await world.memory.read(owner)).facts == ("we ship on Mondays",)


async def test_proposals_are_counted_by_conversation(world: World) -> None:
    caller = await world.user()
    talk, other = await Talk.begin(world, caller), await Talk.begin(world, caller)
    for text in ("we ship on Fridays", "the limit is 300 ms"):
        turn_id = await talk.exchange(f"remember that {text}")
        new = NewProposal(session_id=talk.session_id, turn_id=turn_id, action=Action.APPEND, text=text)
        assert await world.memory.propose(caller, new) is not None
    asked = frozenset({talk.session_id, other.session_id, new_uuid()})
    assert dict(await world.memory.proposed(asked)) == {talk.session_id: 2}
    assert dict(await world.memory.proposed(frozenset())) == {}
