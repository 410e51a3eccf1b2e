"""What an account remembers: read, edited, proposed within a turn, decided on."""

import asyncio
import difflib
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Literal

import structlog

from server.agent.memory.fact_likeness import in_conflict, same_as
from server.agent.memory.ranking import Ranked
from server.agent.tools.contract.tool_context import Proposed
from server.agent.tools.contract.tool_errors import ToolFailed, ToolRetry
from server.agent.tools.remembered.core_memory_tools import CORE_MEMORY_APPEND
from server.agent.tools.remembered.search_memory import SEARCH_MEMORY
from server.analyst.memory_orders import is_beginning, is_order
from server.errors import BadRequest, DatabaseUnavailable, NotFound, raised_at
from server.ports.conversations import TurnRow
from server.ports.core_memory import (
    BY_PROGRAM,
    MOST_CHARACTERS,
    Action,
    CoreMemory,
    Decided,
    Memory,
    MemoryChange,
    NewProposal,
    Proposal,
    Verdict,
)
from server.ports.executor import ModelCaller
from server.ports.flags import flags_of
from server.ports.identity import Caller
from server.protocol.server import MemoryChanged, MemoryProposed
from server.protocol.wire_values import MemoryState, ProposedFact
from server.quoting import quoted
from server.turns.collector import Collector, StoredStep
from server.turns.memory_informing import Broadcast, MemoryInforming
from server.turns.memory_keeping import MemoryKeeping
from server.turns.memory_search import MemorySearch, TurnRecall
from server.turns.onboarding import Condenser, MemoryOnboarding
from server.turns.team_knowledge import CallerDocuments, TeamKnowledge
from server.turns.typed_facts import MOST_OF_A_FACT, not_stated, one_line, span_of, typed_text, why_secret

Writes = Literal["ask", "auto", "off"]
"""Who decides on what a turn proposes: the person; nobody, for what they ordered; `off` proposes nothing."""

MOST_BEFORE = 500
"""Prompts of a conversation among which one is looked for: the newest."""

DIFFERS = "differs from: "
"""Begins the reason of a proposal where a remembered fact says something else of the same."""

FINDS, PROPOSES = SEARCH_MEMORY.name, CORE_MEMORY_APPEND.name
"""Tools by whose names a plan hides memory."""

NEAREST = 3
"""Lines that are named where one is not found."""

log = structlog.get_logger(__name__)


class AccountMemory:
    """The use cases of core memory. Every method raises NotFound for what is not the caller's."""

    def __init__(
        self,
        store: CoreMemory,
        *,
        writes: Writes = "ask",
        search: MemorySearch | None = None,
        collector: Collector | None = None,
        keeping: MemoryKeeping | None = None,
        knowledge: TeamKnowledge | None = None,
        condenser: Condenser | None = None,
        broadcast: Broadcast | None = None,
    ) -> None:
        """`broadcast` informs those who listen on Realtime."""
        self._store = store
        self.writes = writes
        self.search = search
        self._collector = collector
        self._keeping = keeping
        self.knowledge = knowledge
        self.onboarding = MemoryOnboarding(store, checked=self.checked, condenser=condenser)
        self.informing = MemoryInforming(store)
        self._broadcast = broadcast

    async def read(self, caller: Caller) -> Memory:
        return await self._store.read(caller)

    def check_prompt(self, prompt: str) -> None:
        """Raises BadRequest for `/init`, which is no question: it counts none."""
        if is_beginning(prompt):
            raise BadRequest(
                "/init is answered on the page /account, or over /api/v1/memory/onboarding: no question is counted.",
                field="prompt",
            )

    async def settled(self, within: float) -> None:
        """What is looked for next to answers ends, or is given up after so many seconds: a server stops."""
        if self._collector is not None:
            await self._collector.settled(within)

    async def take_in_all(self) -> int:
        """Remember what is not remembered yet; how much is new. Raises DatabaseUnavailable, ServiceUnavailable."""
        return 0 if self._keeping is None else await self._keeping.sync()

    async def for_turn(
        self,
        turn: TurnRow,
        caller: Caller,
        copied: Callable[[str], Awaitable[frozenset[str]]],
        *,
        hidden: Collection[str] = (),
        models: tuple[str, ...] | None = None,
    ) -> "KnownOfTurn":
        """What a turn knows and may propose. What its prompt states in passing is looked for meanwhile, by one of the
        plan's `models`. Where a plan hides the tool that finds memories, or the one that proposes facts, its turns do
        without what these do."""
        proposals = None if PROPOSES in hidden else self.of_turn(turn, caller, copied)
        search = None if FINDS in hidden else self.search
        self.collect(turn, proposals, models)
        facts, asked_before, near = await asyncio.gather(
            self.for_prompt(caller),
            self.asked_before(turn.session_id, turn.prompt, caller),
            _nothing_near() if search is None else search.near(caller, turn),
        )
        return KnownOfTurn(
            facts=facts,
            asked_before=asked_before,
            near=near,
            proposals=proposals,
            recall=None if search is None else search.of_turn(caller, turn.turn_id, turn.session_id),
            documents=None if self.knowledge is None else self.knowledge.of_caller(caller),
        )

    def collect(self, turn: TurnRow, proposals: "TurnMemory | None", models: tuple[str, ...] | None) -> bool:
        """Begin to look for what a turn's prompt states in passing; whether there is anything to look at."""
        if self._collector is None or proposals is None or not proposals.is_typed:
            return False
        if not flags_of(turn.context).collectors:
            return False
        caller = proposals.caller
        step = StoredStep(self._store, caller, turn.turn_id)
        asks = caller_of(turn, models)
        return self._collector.begin(turn.prompt, proposals, asks, step, lambda: self.for_prompt(caller))

    async def for_prompt(self, caller: Caller) -> tuple[str, ...]:
        """The facts for a turn. None where they cannot be had: no turn fails for them."""
        try:
            return (await self._store.read(caller)).facts
        except (DatabaseUnavailable, NotFound) as error:
            log.warning("memory_not_read", error=type(error).__name__, where=raised_at(error))
            return ()

    async def asked_before(self, session_id: str, prompt: str, caller: Caller) -> tuple[str, ...]:
        """What the caller typed in a conversation before this prompt, oldest first. None where it cannot be had."""
        try:
            prompts = await self._store.prompts(caller, session_id)
        except (DatabaseUnavailable, NotFound) as error:
            log.warning("prompts_not_read", error=type(error).__name__, where=raised_at(error))
            return ()
        before = prompts[:-1] if prompts and prompts[-1] == prompt else prompts
        return tuple(text for one in before[-MOST_BEFORE:] if (text := typed_text(one).strip()))

    async def write(self, caller: Caller, text: str, *, version: int) -> Memory:
        """The lines of the text in place of version `version`. Raises MemoryChanged, and BadRequest for a secret in a
        new line and for what has no room."""
        memory = await self._store.write(caller, await self.checked(caller, text), version=version)
        self._inform(caller.account_id, memory)
        return memory

    def _inform(self, account_id: str, memory: Memory) -> None:
        if self._broadcast is not None:
            self._broadcast.inform(account_id, MemoryChanged(version=memory.version))

    async def checked(self, caller: Caller, text: str) -> str:
        """The lines of a text as they are kept. Raises BadRequest as `write` does."""
        lines = list(dict.fromkeys(line for raw in text.splitlines() if (line := one_line(raw))))
        before = (await self._store.read(caller)).facts
        for line in lines:
            if line not in before:
                _refuse(line, "text")
        written = "\n".join(lines)
        if len(written) > MOST_CHARACTERS:
            raise BadRequest(
                f"Memory has room for {MOST_CHARACTERS:,} characters: this is {len(written) - MOST_CHARACTERS:,} too "
                "many.",
                field="text",
            )
        return written

    async def changes(self, caller: Caller) -> list[MemoryChange]:
        """Newest first."""
        return await self._store.changes(caller)

    async def proposals(self, caller: Caller, session_id: str) -> list[Proposal]:
        """What the caller can still decide on in a conversation."""
        return await self._store.proposals(caller, session_id)

    async def state(self, caller: Caller, session_id: str) -> MemoryState:
        """What a client of the conversation is sent. The facts are read last: a proposal says from which of those that
        stand it differs, and one may have been kept meanwhile."""
        proposals = await self._store.proposals(caller, session_id)
        memory = await self._store.read(caller)
        return MemoryState(version=memory.version, proposals=[_shown(one, memory.facts) for one in proposals])

    async def decide(self, caller: Caller, proposal_id: str, verdict: Verdict, text: str | None = None) -> Decided:
        """Decide on a proposal. Raises BadRequest for an edit that is empty, or holds a secret."""
        line = None if text is None else one_line(text)
        if verdict is Verdict.EDIT:
            if not line:
                raise BadRequest("An edit needs its text.", field="text")
            _refuse(line, "text")
        done = await self._store.decide(caller, proposal_id, verdict, text=line)
        if done.changed:
            self._inform(caller.account_id, done.memory)
        return done

    def of_turn(
        self, turn: TurnRow, caller: Caller, copied: Callable[[str], Awaitable[frozenset[str]]]
    ) -> "TurnMemory | None":
        """What a turn may propose; None where nothing may be written."""
        if self.writes == "off":
            return None
        return TurnMemory(
            memory=self,
            caller=caller,
            session_id=turn.session_id,
            turn_id=turn.turn_id,
            prompt=turn.prompt,
            is_typed=not turn.context.get(BY_PROGRAM, False),
            copied=copied,
        )

    async def propose(self, caller: Caller, proposal: NewProposal) -> Proposal | None:
        made = await self._store.propose(caller, proposal)
        if made is not None and self._broadcast is not None:
            shown = _shown(made, (await self._store.read(caller)).facts)
            self._broadcast.announce(made.session_id, MemoryProposed(**shown.model_dump()))
        return made

    async def prompts(self, caller: Caller, session_id: str) -> list[str]:
        return await self._store.prompts(caller, session_id)


async def _nothing_near() -> tuple[Ranked, ...]:
    return ()


def caller_of(turn: TurnRow, models: tuple[str, ...] | None = None) -> ModelCaller:
    """Whose a model call is that is none of the turn's graph. It is found by the request."""
    return ModelCaller(
        account_id=turn.account_id,
        user_id=turn.user_id,
        session_id=turn.session_id,
        request_id=turn.request_id,
        request_trace_id=turn.request_trace_id,
        models=models,
    )


def _shown(proposal: Proposal, facts: Sequence[str]) -> ProposedFact:
    reason = "in your words" if proposal.span is not None or proposal.text is None else "from what you wrote"
    is_new = proposal.action is Action.APPEND and proposal.decision is None and proposal.text is not None
    if is_new and (differs := next((one for one, _ in in_conflict([*facts, proposal.text or ""], of_last=True)), None)):
        reason = f"{DIFFERS}{differs}"
    return ProposedFact(
        proposal_id=proposal.proposal_id,
        turn_id=proposal.turn_id,
        action=proposal.action.value,
        text=proposal.text,
        old=proposal.old,
        reason=reason,
        decision="auto" if proposal.decision is Verdict.AUTO else None,
    )


def _refuse(line: str, field: str) -> None:
    """Raises BadRequest for what may not be a fact."""
    if (secret := why_secret(line)) is not None:
        raise BadRequest(f"This is not remembered: it seems to hold {secret}.", field=field)
    if len(line) > MOST_OF_A_FACT:
        raise BadRequest(
            f"A fact has at most {MOST_OF_A_FACT} characters: this one is {len(line) - MOST_OF_A_FACT} too long.",
            field=field,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownOfTurn:
    """What is remembered, as one turn has it. `facts` is None where nothing is."""

    facts: tuple[str, ...] | None = None
    asked_before: tuple[str, ...] = ()
    near: tuple[Ranked, ...] = ()
    proposals: "TurnMemory | None" = None
    recall: TurnRecall | None = None
    documents: CallerDocuments | None = None


NOTHING = KnownOfTurn()


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnMemory:
    """Implements `FactProposals` for one turn of a person. `copied` gives the pieces of a text that the trace has;
    `is_typed` is false for a prompt that a program sent."""

    memory: AccountMemory
    caller: Caller
    session_id: str
    turn_id: str
    prompt: str
    is_typed: bool
    copied: Callable[[str], Awaitable[frozenset[str]]]

    async def propose(self, *, old: str | None = None, text: str | None = None) -> Proposed:
        """A proposal, which writes nothing by itself. Raises ToolRetry, ToolFailed."""
        facts = (await self.memory.read(self.caller)).facts
        old, text = (None if one is None else one_line(one) for one in (old, text))
        if old is not None and old not in facts:
            near = difflib.get_close_matches(old, facts, n=NEAREST, cutoff=0.3) or facts[:NEAREST]
            listed = "; ".join(quoted(line, MOST_OF_A_FACT) for line in near) or "nothing is remembered yet"
            raise ToolRetry(f"old must be one line of the memory, word for word. Nearest: {listed}")
        if text is not None:
            await self._check(text)
            known = same_as(text, [fact for fact in facts if fact != old])
            if known is not None:
                return Proposed(status="known", text=known, old=old)
        elif old is not None:
            await self._check_struck(old)
        action = Action.APPEND if old is None else Action.FORGET if text is None else Action.REPLACE
        span = None if text is None else span_of(text, self.prompt)
        try:
            made = await self.memory.propose(
                self.caller,
                NewProposal(
                    session_id=self.session_id, turn_id=self.turn_id, action=action, old=old, text=text, span=span
                ),
            )
        except BadRequest as error:
            raise ToolFailed(str(error), "validation") from None
        if made is None:
            return Proposed(status="declined", text=text, old=old)
        if self.memory.writes != "auto" or text is None or not is_order(self.prompt):
            return Proposed(status="proposed", text=text, old=old)
        await self.memory.decide(self.caller, made.proposal_id, Verdict.AUTO)
        return Proposed(status="kept", text=text, old=old)

    async def _check(self, text: str) -> None:
        """Raises ToolRetry or ToolFailed for what may not become a fact."""
        try:
            _refuse(text, "fact")
        except BadRequest as error:
            raise ToolFailed(str(error), "validation") from None
        typed = await self._typed()
        if missing := not_stated(text, typed):
            listed = ", ".join(quoted(one, 60) for one in missing[:NEAREST])
            raise ToolRetry(
                f"Only what the person typed in this conversation can be remembered, and {listed} is not part of it. "
                "Use their own words, or leave it.",
                "memory_not_said",
            )

    async def _check_struck(self, old: str) -> None:
        """Raises ToolRetry for a line of which the person has typed nothing: a trace may not have it forgotten."""
        typed = " ".join(await self._typed()).casefold()
        if not any(word in typed for word in old.casefold().split() if len(word) > 3 or word.isdecimal()):
            raise ToolRetry(
                "The person has not asked to forget that in this conversation: leave it.", "memory_not_said"
            )

    async def _typed(self) -> list[str]:
        """The person's own words in this conversation. Raises ToolFailed where a program asked."""
        if not self.is_typed:
            raise ToolFailed(
                "A program sent this prompt: only what a person types can be remembered.", "memory_not_said"
            )
        prompts = await self.memory.prompts(self.caller, self.session_id)
        return [typed_text(prompt, await self.copied(prompt)) for prompt in dict.fromkeys([*prompts, self.prompt])]
