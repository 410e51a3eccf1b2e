"""From an empty account to a confirmed memory: what its recordings show, three questions, and what the person makes of
the answers. Kept while they answer, so that they go on where they were; no turn, so that nothing is counted."""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import structlog

from server.agent.memory.library_facts import library_facts
from server.errors import BadRequest, ServiceUnavailable, raised_at
from server.ports.core_memory import MOST_CHARACTERS, CoreMemory, Memory
from server.ports.executor import ModelCaller
from server.ports.identity import Caller
from server.ports.traces import TraceRow
from server.turns.typed_facts import not_stated, one_line

FROM_TRACES = 3
"""Recordings from which it is offered."""

MOST_OF_AN_ANSWER = 4_000

QUESTIONS: Mapping[str, str] = {
    "purpose": "What is this program for, and which operations matter?",
    "limits": "What are its limits: latency, memory, frame time?",
    "leaveOut": "What should answers leave out?",
}
_IS_SENTENCE = {
    "purpose": re.compile(r"^(?:it|we|this|the|our|an?|i)\b", re.IGNORECASE),
    "limits": re.compile(
        r"\b(?:limit|under|below|within|most|budget|must|max|may|stay|faster|less|never)", re.IGNORECASE
    ),
    "leaveOut": re.compile(
        r"^(?:leave|ignore|skip|omit|exclude|do not|don'?t|no|never|only|we|answers)\b", re.IGNORECASE
    ),
}
_LEADS = {"purpose": "The program is for ", "limits": "Limit: ", "leaveOut": "Leave out "}
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+|\n+")

log = structlog.get_logger(__name__)


class Condenser(Protocol):
    """A language model that makes facts of answers."""

    async def facts(self, answers: Sequence[tuple[str, str]], caller: ModelCaller) -> list[str]:
        """Of questions with their answers; the caller's call is counted. Raises ServiceUnavailable,
        DatabaseUnavailable."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Where the person is: `is_offered` and `is_started` say whether to ask, `facts` is what they are to confirm once
    there is something, one a line; `initial_text` is what was confirmed before."""

    is_offered: bool
    is_started: bool
    observed: tuple[str, ...]
    struck: tuple[str, ...] = ()
    answers: Mapping[str, str]
    facts: str | None
    version: int
    initial_text: str = ""


class MemoryOnboarding:
    """Every method raises NotFound for an account that is not the caller's, and those that write NotAllowed for who
    only reads it. `checked` is how a text is checked before it is written."""

    def __init__(
        self,
        store: CoreMemory,
        *,
        checked: Callable[[Caller, str], Awaitable[str]],
        condenser: Condenser | None = None,
    ) -> None:
        self._store = store
        self._checked = checked
        self._condenser = condenser

    async def look(self, caller: Caller, traces: Sequence[TraceRow]) -> Asked:
        """Where the caller is, with what the recordings show."""
        kept, memory = await self._store.onboarding(caller), await self._store.read(caller)
        state = kept.state
        return Asked(
            is_offered=not kept.was_offered and not memory.text and len(traces) >= FROM_TRACES,
            is_started=bool(state),
            observed=library_facts(traces),
            struck=tuple(state.get("struck", ())),
            answers={name: str(state.get("answers", {}).get(name, "")) for name in QUESTIONS},
            facts=state.get("facts"),
            version=memory.version,
            initial_text=kept.initial_text,
        )

    async def keep(
        self, caller: Caller, *, struck: Sequence[str], answers: Mapping[str, str], facts: str | None
    ) -> None:
        """What was answered so far. Raises BadRequest for a question that is not asked, and for what is too long."""
        if unknown := set(answers) - set(QUESTIONS):
            raise BadRequest(f"There is no such question: {', '.join(sorted(unknown))}.", field="answers")
        if any(len(text) > MOST_OF_AN_ANSWER for text in answers.values()):
            raise BadRequest(f"An answer has at most {MOST_OF_AN_ANSWER:,} characters.", field="answers")
        _refuse_too_long(answers)
        if facts is not None and len(facts) > 2 * MOST_CHARACTERS:
            raise BadRequest(f"Memory has room for {MOST_CHARACTERS:,} characters.", field="facts")
        state: dict[str, Any] = {"struck": list(struck), "answers": dict(answers)}
        await self._store.keep_onboarding(caller, state if facts is None else state | {"facts": facts})

    async def draft(self, caller: Caller, traces: Sequence[TraceRow]) -> Asked:
        """Facts of what was confirmed and answered, for the person to edit: what the account remembers already comes
        first. They are kept as well."""
        asked = await self.look(caller, traces)
        confirmed = [one for one in asked.observed if one not in asked.struck]
        lines = [*(await self._store.read(caller)).facts, *confirmed, *await self._facts(caller, asked.answers)]
        facts = "\n".join(dict.fromkeys(lines))
        await self.keep(caller, struck=asked.struck, answers=asked.answers, facts=facts)
        return await self.look(caller, traces)

    async def confirm(self, caller: Caller, facts: str, *, version: int) -> Memory:
        """The facts are remembered in place of version `version`, with what was answered. Raises MemoryChanged,
        BadRequest as `write` does."""
        kept = await self._store.onboarding(caller)
        answers = _as_kept(kept.state.get("answers", {}))
        if len(answers) > MOST_CHARACTERS:  # of a version that kept longer ones meanwhile
            raise _too_long(len(answers) - MOST_CHARACTERS)
        text = await self._checked(caller, facts)
        return await self._store.confirm_onboarding(caller, text, answers=answers, version=version)

    async def decline(self, caller: Caller) -> None:
        """It is not offered again."""
        await self._store.decline_onboarding(caller)

    async def _facts(self, caller: Caller, answers: Mapping[str, str]) -> list[str]:
        """A language model's, where there is one and it keeps to what was answered; else line by line."""
        by_line = [fact for name, text in answers.items() for fact in answer_facts(name, text)]
        if self._condenser is None or not by_line:
            return by_line
        of = ModelCaller(account_id=caller.account_id, user_id=caller.user_id)
        try:
            made = await self._condenser.facts([(QUESTIONS[name], text) for name, text in answers.items() if text], of)
        except ServiceUnavailable as error:
            log.info("answers_not_condensed", error=type(error).__name__, where=raised_at(error))
            return by_line
        lines = [line for fact in made if (line := one_line(fact))]
        stated = [line for line in lines if not not_stated(line, [*answers.values(), *by_line])]
        return stated if stated and len(stated) == len(lines) else by_line


def _as_kept(answers: Mapping[str, str]) -> str:
    """The answers with their questions, as the account's first text."""
    return "\n".join(f"{QUESTIONS[name]} {text}" for name, text in answers.items() if text and name in QUESTIONS)


def _refuse_too_long(answers: Mapping[str, str]) -> None:
    """Raises BadRequest for what together has no room."""
    if (over := len(_as_kept(answers)) - MOST_CHARACTERS) > 0:
        raise _too_long(over)


def _too_long(over: int) -> BadRequest:
    return BadRequest(
        f"The answers and their questions have room for {MOST_CHARACTERS:,} characters together: these are {over:,} "
        "too many.",
        field="answers",
    )


def answer_facts(question: str, answer: str) -> list[str]:
    """An answer, line by line, each a sentence that stands by itself. One too long for a fact is left as it is: whoever
    confirms it is told."""
    facts = []
    for part in _SENTENCE.split(answer):
        line = one_line(part).rstrip(".").strip("-*• ")
        if line:
            lead = "" if _IS_SENTENCE[question].search(line) else _LEADS[question]
            facts.append(f"{lead}{line}")
    return facts
