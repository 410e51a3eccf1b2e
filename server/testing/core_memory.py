"""What accounts remember, in dictionaries: the twin of PostgresCoreMemory, by the rules of
`supabase/migrations/*_core_memory.sql`. Nothing here awaits between a look and its change, which is its lock."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from server.adapters.storable import known_id, not_found, storable_json, storable_text
from server.errors import BadRequest, NotAllowed
from server.ports.core_memory import (
    BY_PROGRAM,
    COLLECTING_S,
    DECLINED_DAYS,
    MOST_CHARACTERS,
    MOST_COLLECTED,
    MOST_OPEN,
    Action,
    CollectorStep,
    Decided,
    Memory,
    MemoryChange,
    MemoryChanged,
    NewProposal,
    Noticed,
    Onboarding,
    Proposal,
    Verdict,
)
from server.ports.identity import Caller
from server.ports.teams import Role
from server.testing.account_state import MemoryAccounts
from server.testing.conversations import MemoryConversations


@dataclass(slots=True)
class _Made:
    proposal: Proposal
    caller: Caller
    decided_at: datetime | None = None


@dataclass(slots=True)
class _Collecting:
    caller: Caller
    step: CollectorStep
    started_at: datetime
    has_ended: bool = False


class MemoryCoreMemory:
    """CoreMemory of the accounts in which these conversations are."""

    def __init__(self, accounts: MemoryAccounts, conversations: MemoryConversations) -> None:
        self._accounts = accounts
        self._conversations = conversations
        self._memories: dict[str, Memory] = {}
        self._changes: dict[str, list[MemoryChange]] = {}
        self._made: dict[str, _Made] = {}
        self._onboardings: dict[tuple[str, str], Onboarding] = {}
        self._initial_texts: dict[str, str] = {}
        self._collecting: dict[str, _Collecting] = {}

    async def read(self, caller: Caller) -> Memory:
        if not self._accounts.are_of(caller, caller.account_id):
            raise not_found("account")
        return self._memories.get(caller.account_id, Memory())

    async def write(self, caller: Caller, text: str, *, version: int) -> Memory:
        memory = await self._to_change(caller)
        if memory.version != version:
            raise MemoryChanged(memory)
        text = storable_text(text)
        return memory if text == memory.text else self._change(caller, text, "written", None)

    async def propose(self, caller: Caller, proposal: NewProposal) -> Proposal | None:
        await self._to_change(caller)
        session_id, turn_id = (str(known_id(one, "question")) for one in (proposal.session_id, proposal.turn_id))
        turns = {turn.turn_id: turn for turn in self._conversations.turns_of(session_id)}
        if turn_id not in turns or turns[turn_id].user_id != caller.user_id:
            raise not_found("question")
        proposal = replace(
            proposal,
            old=None if proposal.old is None else storable_text(proposal.old),
            text=None if proposal.text is None else storable_text(proposal.text),
        )
        same = [one for one in self._made.values() if one.caller == caller and _is_same(one.proposal, proposal)]
        for one in same:
            is_open = one.proposal.decision is None and one.proposal.session_id == session_id
            if is_open or (one.proposal.turn_id == turn_id and one.proposal.decision is not Verdict.NO):
                return one.proposal
        since = self._accounts.clock.now() - timedelta(days=DECLINED_DAYS)
        if any(one.proposal.decision is Verdict.NO and one.decided_at and one.decided_at > since for one in same):
            return None
        waiting = [
            one
            for one in self._made.values()
            if one.proposal.session_id == session_id and one.proposal.decision is None
        ]
        if len(waiting) >= MOST_OPEN:
            raise BadRequest(f"Decide on what was proposed first: {MOST_OPEN} facts of this conversation wait for you.")
        made = Proposal(
            proposal_id=str(uuid4()),
            session_id=session_id,
            turn_id=turn_id,
            action=proposal.action,
            old=proposal.old,
            text=proposal.text,
            span=proposal.span,
        )
        self._made[made.proposal_id] = _Made(made, caller)
        return made

    async def decide(self, caller: Caller, proposal_id: str, verdict: Verdict, *, text: str | None = None) -> Decided:
        made = self._made.get(str(known_id(proposal_id, "proposal")))
        if made is None or made.caller.user_id != caller.user_id or not self._stands(made.proposal):
            raise not_found("proposal")
        memory, proposal = await self._to_change(made.caller), made.proposal
        undoes = proposal.decision is Verdict.AUTO and verdict is Verdict.NO
        if proposal.decision is not None and not undoes:
            return Decided(decision=proposal.decision, changed=False, memory=memory)
        lines = _changed_lines(memory.facts, proposal, verdict, text, undoes=undoes)
        changed = "\n".join(lines) != memory.text
        if changed:
            decision = "undo" if undoes else verdict.value
            memory = self._change(made.caller, "\n".join(lines), decision, proposal.turn_id)
        made.proposal = replace(proposal, decision=verdict)
        made.decided_at = self._accounts.clock.now()
        return Decided(decision=verdict, changed=changed, memory=memory)

    async def proposals(self, caller: Caller, session_id: str) -> list[Proposal]:
        session_id = str(known_id(session_id, "conversation"))
        return [
            made.proposal
            for made in self._made.values()
            if made.proposal.session_id == session_id
            and self._stands(made.proposal)
            and made.caller.user_id == caller.user_id
            and made.proposal.decision in (None, Verdict.AUTO)
        ]

    async def prompts(self, caller: Caller, session_id: str) -> list[str]:
        turns = self._conversations.turns_of(str(known_id(session_id, "conversation")))
        return [
            turn.prompt for turn in turns if turn.user_id == caller.user_id and not turn.context.get(BY_PROGRAM, False)
        ]

    async def changes(self, caller: Caller, *, limit: int = 100) -> list[MemoryChange]:
        if not self._accounts.are_of(caller, caller.account_id):
            return []
        return self._changes.get(caller.account_id, [])[::-1][:limit]

    async def versions(self, account_ids: frozenset[str]) -> Mapping[str, int]:
        return {one: memory.version for one, memory in self._memories.items() if one in account_ids}

    async def proposed(self, session_ids: frozenset[str]) -> Mapping[str, int]:
        sessions = [one.proposal.session_id for one in self._made.values() if one.proposal.session_id in session_ids]
        return Counter(sessions)

    async def onboarding(self, caller: Caller) -> Onboarding:
        await self.read(caller)
        was_offered = any(account == caller.account_id for account, _ in self._onboardings)
        return replace(
            self._onboardings.get(_own(caller), Onboarding()),
            was_offered=was_offered,
            initial_text=self._initial_texts.get(caller.account_id, ""),
        )

    async def keep_onboarding(self, caller: Caller, state: Mapping[str, Any]) -> None:
        await self._to_change(caller)
        self._onboardings[_own(caller)] = Onboarding(state=storable_json(dict(state)))

    async def decline_onboarding(self, caller: Caller) -> None:
        await self._to_change(caller)
        self._onboardings[_own(caller)] = Onboarding(outcome="declined")

    async def confirm_onboarding(self, caller: Caller, text: str, *, answers: str, version: int) -> Memory:
        memory = await self.write(caller, text, version=version)
        self._onboardings[_own(caller)] = Onboarding(outcome="confirmed")
        self._initial_texts[caller.account_id] = answers
        return memory

    async def begin_collecting(
        self, caller: Caller, turn_id: str, *, after_s: float = COLLECTING_S
    ) -> CollectorStep | None:
        turn_id = str(known_id(turn_id, "question"))
        if (await self._conversations.turn(caller, turn_id)).user_id != caller.user_id:
            raise not_found("question")
        known, now = self._collecting.get(turn_id), self._accounts.clock.now()
        if known is not None and not self._was_left(known, after_s):
            return None
        step = CollectorStep(attempt=1) if known is None else replace(known.step, attempt=known.step.attempt + 1)
        self._collecting[turn_id] = _Collecting(caller, step, now)
        return step

    async def keep_noticed(self, turn_id: str, noticed: Sequence[Noticed]) -> None:
        known = self._collecting.get(str(known_id(turn_id, "question")))
        if known is not None and not known.has_ended:
            known.step = replace(known.step, noticed=tuple(noticed))

    async def end_collecting(self, turn_id: str) -> None:
        if known := self._collecting.get(str(known_id(turn_id, "question"))):
            known.has_ended = True

    async def left_collecting(self, limit: int, *, after_s: float = COLLECTING_S) -> list[tuple[Caller, str]]:
        left = [(one.caller, turn_id) for turn_id, one in self._collecting.items() if self._was_left(one, after_s)]
        return left[:limit]

    def _was_left(self, one: _Collecting, after_s: float) -> bool:
        since = self._accounts.clock.now() - one.started_at
        return not one.has_ended and one.step.attempt < MOST_COLLECTED and since >= timedelta(seconds=after_s)

    def _stands(self, proposal: Proposal) -> bool:
        """Whether its turn is there."""
        return proposal.turn_id in (turn.turn_id for turn in self._conversations.turns_of(proposal.session_id))

    async def _to_change(self, caller: Caller) -> Memory:
        self._accounts.require(caller.user_id, caller.account_id, Role.MEMBER)
        return await self.read(caller)

    def _check_change(self, caller: Caller, before: Memory, after: str) -> None:
        """Raises NotAllowed, by the rules of `supabase/migrations/*_roles_in_memory.sql`."""
        if self._accounts.role(caller.user_id, caller.account_id) is Role.OWNER:
            return
        if caller.account_id in self._accounts.owners_decide:
            raise NotAllowed("In this account only owners decide what is remembered.")
        struck = set(before.facts) - set(after.split("\n"))
        if any(self._said_by(caller.account_id, line) != caller.user_id for line in struck):
            raise NotAllowed("Only who said that, or an owner of the account, may change or strike it.")

    def _said_by(self, account_id: str, line: str) -> str | None:
        came = [
            change.by_user
            for change in self._changes.get(account_id, [])
            if line in change.after.split("\n") and line not in change.before.split("\n")
        ]
        return came[-1] if came else None

    def _change(self, caller: Caller, text: str, decision: str, turn_id: str | None) -> Memory:
        if len(text) > MOST_CHARACTERS:
            too_many = len(text) - MOST_CHARACTERS
            raise BadRequest(f"Memory has room for 5,000 characters: this is {too_many} too many.")
        before, now = self._memories.get(caller.account_id, Memory()), self._accounts.clock.now()
        self._check_change(caller, before, text)
        after = Memory(text=text, version=before.version + 1, updated_at=now, updated_by=caller.user_id)
        self._memories[caller.account_id] = after
        self._changes.setdefault(caller.account_id, []).append(
            MemoryChange(
                version=after.version,
                before=before.text,
                after=text,
                by_user=caller.user_id,
                decided_by=caller.user_id,
                decided_at=now,
                decision=decision,
                proposed_in_turn=turn_id,
            )
        )
        return after


def _own(caller: Caller) -> tuple[str, str]:
    return caller.account_id, caller.user_id


def _is_same(one: NewProposal, other: NewProposal) -> bool:
    return (one.action, one.old, one.text) == (other.action, other.old, other.text)


def _changed_lines(
    facts: tuple[str, ...], proposal: Proposal, verdict: Verdict, text: str | None, *, undoes: bool
) -> list[str]:
    """The lines after the decision. Raises BadRequest when the line that would go is gone."""
    lines = list(facts)
    if verdict is Verdict.NO and not undoes:
        return lines
    leaves = proposal.text if undoes else proposal.old
    comes = proposal.old if undoes else text if verdict is Verdict.EDIT else proposal.text
    if not undoes and proposal.action is Action.FORGET:
        comes = None
    if leaves is not None and leaves not in lines and not undoes:
        raise BadRequest("That fact is not remembered any more.")
    place = lines.index(leaves) if leaves in lines else None
    if comes in lines:
        comes = None
    if place is not None:
        lines[place : place + 1] = [] if comes is None else [comes]
    elif comes is not None:
        lines.append(storable_text(comes))
    return lines
