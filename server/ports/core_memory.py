"""What an account remembers: facts, one a line, that stand in every system prompt. The rules (one version after the
other, room for so many characters, one decision on a proposal) live in SQL; the in-memory twin obeys the same contract
suite."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal, Protocol

from server.errors import ServerError
from server.ports.identity import Caller

MOST_CHARACTERS = 5_000
"""Of the text: it stands in every prompt, about 1,250 tokens."""

MOST_OPEN = 20
"""Proposals of one conversation that wait for a decision."""

DECLINED_DAYS = 30
"""For so long what was declined is not proposed again."""

COLLECTING_S = 60.0
"""A collector that has not ended after so long was killed: a look takes at most half of it."""

MOST_COLLECTED = 2
"""How often a collector is started for one turn: once more than where nothing goes wrong."""


BY_PROGRAM = "byProgram"
"""Key of a turn's context: a program asked, so that nobody has typed its prompt."""


class Action(StrEnum):
    """What a proposal would do to the text."""

    APPEND = "append"  #: a new line
    REPLACE = "replace"  #: a line in place of another
    FORGET = "forget"  #: a line less


class Verdict(StrEnum):
    """What became of a proposal."""

    KEEP = "keep"  #: as it was proposed
    EDIT = "edit"  #: in the person's own words
    NO = "no"  #: not at all; of what was kept by a setting: no longer
    AUTO = "auto"  #: kept by a setting, without being asked


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """`version` counts the changes, 0 where nothing was ever written."""

    text: str = ""
    version: int = 0
    updated_at: datetime | None = None
    updated_by: str | None = None

    @property
    def facts(self) -> tuple[str, ...]:
        return tuple(self.text.split("\n")) if self.text else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NewProposal:
    """`old` is the line that would go, `text` the one that would come; `span` is where in the turn's prompt the fact
    stands, in characters."""

    session_id: str
    turn_id: str
    action: Action
    old: str | None = None
    text: str | None = None
    span: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal(NewProposal):
    proposal_id: str
    decision: Verdict | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """What became of a proposal, and the memory after it; `changed` says whether this decision changed it."""

    decision: Verdict
    changed: bool
    memory: Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Noticed:
    """A fact that a prompt states in passing, in place of the line `old` where there is one."""

    text: str
    old: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectorStep:
    """How far a turn's collector has come: `noticed` is what an attempt before this one found; None where none came so
    far."""

    attempt: int
    noticed: tuple[Noticed, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryChange:
    """One version of the text after another. `decision` is a Verdict, `written` for a person's own edit, or `undo`."""

    version: int
    before: str
    after: str
    by_user: str | None
    decided_by: str | None
    decided_at: datetime
    decision: str
    proposed_in_turn: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Onboarding:
    """What a person has answered so far of what an account is asked at first, and what became of it; `was_offered` says
    whether anybody of the account has had one, `initial_text` what the account has confirmed at last: every question
    that was answered, with its answer."""

    state: Mapping[str, Any] = field(default_factory=dict)
    outcome: Literal["confirmed", "declined"] | None = None
    was_offered: bool = False
    initial_text: str = ""


class MemoryChanged(ServerError):
    """Somebody else has written meanwhile: `memory` is what stands now."""

    def __init__(self, memory: Memory) -> None:
        super().__init__("What is remembered was changed meanwhile. Look at it and save again.")
        self.memory = memory


class CoreMemory(Protocol):
    """The memory of the caller's account. Every method raises NotFound for an account the caller is no member of, and
    those that write for one in which they may only read."""

    async def read(self, caller: Caller) -> Memory: ...

    async def write(self, caller: Caller, text: str, *, version: int) -> Memory:
        """The text in place of version `version`. Raises MemoryChanged when another version stands, BadRequest past
        MOST_CHARACTERS, with how many are too many."""
        ...

    async def propose(self, caller: Caller, proposal: NewProposal) -> Proposal | None:
        """The proposal; the same one again, while it is open or within its turn, is the one that is there. None when
        the caller has declined it in the last DECLINED_DAYS. Raises NotFound for a turn that is not the caller's,
        BadRequest past MOST_OPEN."""
        ...

    async def decide(self, caller: Caller, proposal_id: str, verdict: Verdict, *, text: str | None = None) -> Decided:
        """Decide on a proposal, once: a second decision changes nothing and answers the first, but for NO after AUTO,
        which takes it back. `text` is the caller's own for EDIT.

        Raises NotFound for what was not proposed to the caller, BadRequest when the line that it is about is gone, or
        past MOST_CHARACTERS.
        """
        ...

    async def proposals(self, caller: Caller, session_id: str) -> list[Proposal]:
        """Those of a conversation that were proposed to the caller and that they can still decide on, in order: open
        ones, and those kept by a setting."""
        ...

    async def prompts(self, caller: Caller, session_id: str) -> list[str]:
        """What the caller asked themselves in a conversation, oldest first: nothing that a program asked for them, or
        another member."""
        ...

    async def changes(self, caller: Caller, *, limit: int = 100) -> list[MemoryChange]:
        """Newest first."""
        ...

    async def versions(self, account_ids: frozenset[str]) -> Mapping[str, int]:
        """Of accounts, without a caller: only which version stands. One that remembers nothing is not among them."""
        ...

    async def proposed(self, session_ids: frozenset[str]) -> Mapping[str, int]:
        """How many proposals these conversations have had, without a caller. One that has had none is not among
        them."""
        ...

    async def onboarding(self, caller: Caller) -> Onboarding:
        """The caller's own."""
        ...

    async def keep_onboarding(self, caller: Caller, state: Mapping[str, Any]) -> None:
        """What was answered so far; begins anew what has ended."""
        ...

    async def decline_onboarding(self, caller: Caller) -> None: ...

    async def confirm_onboarding(self, caller: Caller, text: str, *, answers: str, version: int) -> Memory:
        """As `write`, with the answers as they were given; the onboarding ends."""
        ...

    async def begin_collecting(
        self, caller: Caller, turn_id: str, *, after_s: float = COLLECTING_S
    ) -> CollectorStep | None:
        """The step of a turn's collector, from now on the caller's. None where it has ended, somebody began it less
        than `after_s` ago, or it was started MOST_COLLECTED times. Raises NotFound for a turn that is not the
        caller's."""
        ...

    async def keep_noticed(self, turn_id: str, noticed: Sequence[Noticed]) -> None:
        """What a started step has found: it is not looked for again."""
        ...

    async def end_collecting(self, turn_id: str) -> None:
        """All that was found is proposed."""
        ...

    async def left_collecting(self, limit: int, *, after_s: float = COLLECTING_S) -> list[tuple[Caller, str]]:
        """Turns whose collectors were started `after_s` ago and did not end, of all accounts: whose each is, and its
        id."""
        ...
