"""Getting to know an account: what is asked, kept, drafted and confirmed, and when it is offered at all."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from server.errors import BadRequest, ServiceUnavailable
from server.ports.core_memory import MOST_CHARACTERS
from server.ports.identity import Caller
from server.testing.account_state import MemoryAccounts
from server.testing.conversations import MemoryConversations
from server.testing.core_memory import MemoryCoreMemory
from server.testing.manual_clock import ManualClock
from server.testing.trace_records import MemoryTraceRecords
from server.turns.onboarding import FROM_TRACES, MOST_OF_AN_ANSWER, QUESTIONS, MemoryOnboarding, answer_facts
from tests.plugins.worlds import a_trace_of, new_uuid

FIRST, *_ = QUESTIONS


@dataclass
class Condensed:
    """A model that answers with these facts, or not at all."""

    made: list[str] | None
    asked: list[Sequence[tuple[str, str]]] = field(default_factory=list)

    async def facts(self, answers: Sequence[tuple[str, str]], caller: object) -> list[str]:
        self.asked.append(answers)
        if self.made is None:
            raise ServiceUnavailable("away", service="model")
        return self.made


async def as_it_is(caller: Caller, text: str) -> str:
    return text


def onboarding(condenser: Condensed | None = None) -> tuple[MemoryOnboarding, Caller]:
    accounts, caller = MemoryAccounts(ManualClock()), Caller(user_id=new_uuid(), account_id=new_uuid())
    accounts.add(caller)
    store = MemoryCoreMemory(accounts, MemoryConversations(MemoryTraceRecords(accounts)))
    return MemoryOnboarding(store, checked=as_it_is, condenser=condenser), caller


async def test_it_is_offered_with_enough_recordings_until_somebody_declines() -> None:
    asking, caller = onboarding()
    traces = [a_trace_of(caller) for _ in range(FROM_TRACES)]
    assert not (await asking.look(caller, traces[1:])).is_offered
    looked = await asking.look(caller, traces)
    assert (looked.is_offered, looked.is_started, looked.facts) == (True, False, None)
    assert looked.answers == dict.fromkeys(QUESTIONS, "")
    await asking.decline(caller)
    assert not (await asking.look(caller, traces)).is_offered


async def test_answers_are_kept_until_they_are_confirmed() -> None:
    asking, caller = onboarding()
    await asking.keep(caller, struck=["a guess"], answers={FIRST: "we sell shoes"}, facts=None)
    looked = await asking.look(caller, [])
    assert (looked.is_started, looked.struck, looked.answers[FIRST]) == (True, ("a guess",), "we sell shoes")
    await asking.keep(caller, struck=[], answers={}, facts="one\ntwo")
    assert (await asking.look(caller, [])).facts == "one\ntwo"
    memory = await asking.confirm(caller, "one\ntwo", version=0)
    assert list(memory.facts) == ["one", "two"]


async def test_what_has_no_room_and_what_is_not_asked_is_refused() -> None:
    asking, caller = onboarding()
    with pytest.raises(BadRequest, match="no such question: nonsense") as refused:
        await asking.keep(caller, struck=[], answers={"nonsense": "x"}, facts=None)
    assert refused.value.field == "answers"
    with pytest.raises(BadRequest, match="An answer has at most"):
        await asking.keep(caller, struck=[], answers={FIRST: "x" * (MOST_OF_AN_ANSWER + 1)}, facts=None)
    with pytest.raises(BadRequest, match="Memory has room"):
        await asking.keep(caller, struck=[], answers={}, facts="x" * (2 * MOST_CHARACTERS + 1))
    assert not (await asking.look(caller, [])).is_started


async def test_answers_have_room_together_with_their_questions() -> None:
    asking, caller = onboarding()
    names = list(QUESTIONS)[: MOST_CHARACTERS // MOST_OF_AN_ANSWER + 1]
    room = MOST_CHARACTERS - sum(len(QUESTIONS[name]) + 1 for name in names) - (len(names) - 1)
    each, rest = divmod(room, len(names))
    answers = dict.fromkeys(names, "x" * each) | {names[0]: "x" * (each + rest)}
    assert max(map(len, answers.values())) <= MOST_OF_AN_ANSWER
    await asking.keep(caller, struck=[], answers=answers, facts=None)
    with pytest.raises(BadRequest, match="these are 1 too many"):
        await asking.keep(caller, struck=[], answers=answers | {names[1]: "x" * (each + 1)}, facts=None)


async def test_a_draft_has_the_answers_line_by_line_where_no_model_condenses_them() -> None:
    asking, caller = onboarding()
    await asking.keep(caller, struck=[], answers={FIRST: "we sell shoes. we ship on Fridays"}, facts=None)
    drafted = (await asking.draft(caller, [])).facts or ""
    assert drafted.splitlines() == answer_facts(FIRST, "we sell shoes. we ship on Fridays")
    assert len(drafted.splitlines()) == 2
    away, caller = onboarding(Condensed(None))
    await away.keep(caller, struck=[], answers={FIRST: "we sell shoes"}, facts=None)
    assert (await away.draft(caller, [])).facts == "\n".join(answer_facts(FIRST, "we sell shoes"))


async def test_a_model_s_facts_are_taken_only_where_they_keep_to_the_answers() -> None:
    good = Condensed(["we sell shoes on Fridays"])
    asking, caller = onboarding(good)
    await asking.keep(caller, struck=[], answers={FIRST: "we sell shoes. on Fridays"}, facts=None)
    assert (await asking.draft(caller, [])).facts == "we sell shoes on Fridays"
    assert good.asked == [[(QUESTIONS[FIRST], "we sell shoes. on Fridays")]]
    for made in (["we sell shoes", "the database is 40 TB"], [], [" "]):
        asking, caller = onboarding(Condensed(made))
        await asking.keep(caller, struck=[], answers={FIRST: "we sell shoes"}, facts=None)
        assert (await asking.draft(caller, [])).facts == "\n".join(answer_facts(FIRST, "we sell shoes"))


def test_an_answer_of_nothing_is_no_fact() -> None:
    assert answer_facts(FIRST, "") == answer_facts(FIRST, " \n - . \n") == []
