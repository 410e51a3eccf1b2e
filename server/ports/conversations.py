"""Sessions, turns and messages as rows. The rules (what counts, one turn at a time, idempotency) live in SQL; the
in-memory twin obeys the same contract suite.

Ids (sessions, turns, messages, traces, accounts, users) are UUIDs in their usual text form; whoever makes a thing makes
its id. An id of another form raises BadRequest where a thing is made and NotFound where one is looked up. Text and JSON
come back as they went in, but for what a database cannot hold: NUL and lone surrogates become U+FFFD."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol

from limits.refusals import Decision
from server.ports.identity import Caller
from server.ports.invocations import CallCost
from server.ports.request_ids import RequestIds, RunFacts
from server.ports.teams import Membership
from server.protocol.wire_values import AskedOfPage, LimitsView


class TurnKind(StrEnum):
    """Why a turn was asked for; decides what of it is counted."""

    PROMPT = "prompt"  #: a new question: it counts, and its answer too
    REGENERATE = "regenerate"  #: the same question again, in another turn's place: the answer alone counts
    EDIT = "edit"  #: another question in another turn's place: it counts, and its answer too


class TurnStatus(StrEnum):
    """A turn as `chat_turns` has it. How one follows the other: server/turns/lifecycle.py."""

    ACCEPTED = "accepted"  #: counted and stored; no attempt has started
    RUNNING = "running"  #: an attempt has started, perhaps in a process that is gone
    COMPLETED = "completed"  #: ended with an answer
    CANCELLED = "cancelled"  #: ended by its user; what had been answered is kept
    FAILED = "failed"  #: ended without an answer; it replaces no other turn

    @property
    def has_ended(self) -> bool:
        return self in (TurnStatus.COMPLETED, TurnStatus.CANCELLED, TurnStatus.FAILED)


class Visibility(StrEnum):
    """Who reads a session, as `chat_sessions` has it."""

    PRIVATE = "private"  #: its maker
    ACCOUNT = "account"  #: every member of the account that holds its trace; who may write there asks in it


class Sender(StrEnum):
    """Who a message in the history is from, as `chat_messages` has it."""

    USER = "user"  #: the person: a prompt
    MODEL = "model"  #: the answer, or a part of it
    TOOL_REQUEST = "tool_request"  #: a tool's call, with its arguments
    TOOL_RESULT = "tool_result"  #: what a tool returned
    TOOL_ERROR = "tool_error"  #: why a tool failed, or that it did not finish
    SYSTEM_EVENT = "system_event"  #: what the server notes: a turn that was stopped, or failed


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRow:
    session_id: str
    account_id: str
    user_id: str
    trace_id: str
    title: str | None
    created_at: datetime
    updated_at: datetime
    archived_at: datetime | None = None
    visibility: Visibility = Visibility.PRIVATE

    @property
    def is_archived(self) -> bool:
        """Whether it was put away and not used since."""
        return self.archived_at is not None and self.archived_at >= self.updated_at


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSearch:
    """`text` is looked for in titles, names of traces, prompts and answers, ignoring case; empty finds all. `archived`:
    those that were put away, or those that were not; None finds both."""

    text: str = ""
    archived: bool | None = False
    trace_id: str | None = None
    limit: int = 100
    offset: int = 0


@dataclass(frozen=True, slots=True)
class FoundSession:
    """`passage` is the newest prompt or answer in which the text was found; None where the title or trace has it."""

    session: SessionRow
    trace_name: str
    passage: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRequest:
    """`context` is what the person was looking at (a ViewerState as JSON), `model` the one asked for. `supersedes` is
    the turn whose place this one takes; every kind but PROMPT names one, and REGENERATE takes its prompt too. `ids` are
    those of the request that asks, `bound` what its first model call may come to; None: it makes none."""

    caller: Caller
    trace_id: str
    session_id: str
    turn_id: str
    prompt: str
    kind: TurnKind = TurnKind.PROMPT
    model: str | None = None
    context: dict[str, Any] = field(default_factory=dict)
    supersedes: str | None = None
    ids: RequestIds | None = None
    bound: CallCost | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRow:
    turn_id: str
    session_id: str
    trace_id: str
    account_id: str
    user_id: str
    kind: TurnKind
    status: TurnStatus
    prompt: str
    model: str | None
    context: dict[str, Any]
    attempt: int
    handed_over: int
    cancel_requested: bool
    plan_name: str
    messages_used: int
    messages_limit: int | None
    created_at: datetime
    supersedes: str | None = None
    owner: str | None = None
    """Who has started the newest attempt; None before the first, and once that attempt was handed over or overtaken."""

    overtaken: int = 0
    overtaken_lately: int = 0
    """Attempts that another server took up while theirs lived: all, and those of the last 10 minutes."""

    request_id: str | None = None
    request_trace_id: str | None = None
    """Of the request by which it was asked for; None for turns of earlier versions."""

    api_key_id: str | None = None
    """The key for programs that asked for it; None where a person did."""

    interrupt: AskedOfPage | None = None
    interrupt_result: dict[str, Any] | None = None
    """What the page was asked last, and what it answered; NOBODY_THERE where it did not."""

    @property
    def waits_for_page(self) -> bool:
        """Whether the page was asked and nothing came of it yet."""
        return self.interrupt is not None and self.interrupt_result is None

    @property
    def attempts_that_died(self) -> int:
        """How many attempts before this one ended with their server, and not because it was stopped, had lost the
        database or was too slow."""
        return self.attempt - 1 - self.handed_over - self.overtaken


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMessage:
    """A message to be stored. `image_path` lies in the pictures bucket; reads turn it into a fresh address."""

    message_id: str
    sender: Sender
    text: str
    image_path: str | None = None
    tool_name: str | None = None
    tool_call_id: str | None = None
    tool_args: dict[str, Any] | None = None
    tool_status: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageRow(NewMessage):
    session_id: str
    turn_id: str | None
    position: int
    created_at: datetime
    feedback: int | None = None
    """The reader's own rating: 1, -1, or 0 when it was taken back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEnding:
    """How a turn ended, written with its messages in one transaction. `title` is taken when the session has none."""

    status: TurnStatus
    messages: tuple[NewMessage, ...] = ()
    title: str | None = None
    error_code: str | None = None
    model: str | None = None
    prompt_version: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    delivered_anything: bool = True
    """Whether any text or tool result reached the person: a first turn that delivered nothing gives its session
    back."""


@dataclass(frozen=True, slots=True)
class Reserved:
    """What a prompt comes to: `has_ended` where its turn was asked for before and is over; `ahead` is how many of its
    session stand before its job, and None where no job was made with it."""

    decision: Decision
    has_ended: bool = False
    ahead: int | None = None


class Conversations(Membership, Protocol):
    async def open_session(self, caller: Caller, *, trace_id: str, session_id: str) -> SessionRow:
        """The session, made when it is new. Raises NotFound when the trace is not of the caller's accounts or an
        existing session is not theirs to read, NotAllowed for a new one of a viewer, BadRequest when the session
        belongs to another trace."""
        ...

    async def session(self, caller: Caller, session_id: str) -> SessionRow:
        """Raises NotFound."""
        ...

    async def sessions(self, caller: Caller, *, trace_id: str | None = None, limit: int = 100) -> list[SessionRow]:
        """Sessions of the account that the caller may read and in which something was asked, most recently used
        first."""
        ...

    async def found_sessions(self, caller: Caller, search: SessionSearch) -> list[FoundSession]:
        """As `sessions`, over all traces."""
        ...

    async def rename_session(self, caller: Caller, session_id: str, title: str) -> SessionRow:
        """Its maker may, and an owner of the account where it is shown to that. Raises NotFound, NotAllowed."""
        ...

    async def show_session(self, caller: Caller, session_id: str, visibility: Visibility) -> SessionRow:
        """Show it to the account, or to its maker alone again. Raises NotFound, NotAllowed for everybody but its
        maker, and BadRequest to take back one in which others have asked."""
        ...

    async def archive_session(self, caller: Caller, session_id: str, *, archived: bool) -> SessionRow:
        """Put it away until something is asked in it again, or back at once. Raises as `rename_session`."""
        ...

    async def delete_session(self, caller: Caller, session_id: str) -> list[str]:
        """Remove it with its turns and messages; returns the paths of its pictures. Raises as `rename_session`, and
        TurnInProgress while a turn runs."""
        ...

    async def accept_turn(
        self, request: TurnRequest, *, queue_behind: bool = False, most_answering: int | None = None
    ) -> Reserved:
        """Decide, reserve, insert the turn and the user's message, atomically. The same turn id again changes nothing
        and answers the same. What is committed is in the answer: nothing is asked of the database afterwards.

        Raises TurnInProgress when the session has an unended turn and `queue_behind` is false, NotFound for a session
        or trace that is not the caller's, BadRequest to supersede a turn that another one has superseded, and
        TooManyAtOnce when `most_answering` other sessions of the caller's are being answered already, in whichever
        process.
        """
        ...

    async def reserve_turn(
        self, request: TurnRequest, *, queue_behind: bool = False, most_answering: int | None = None
    ) -> Decision:
        """The decision alone of `accept_turn`."""
        ...

    async def note_refusal(self, caller: Caller, session_id: str, note: NewMessage) -> bool:
        """Keep the note of a refused prompt. False (and nothing written) when there is no such session in which the
        caller may write, or when it has a message of that id."""
        ...

    async def turn(self, caller: Caller, turn_id: str) -> TurnRow:
        """Raises NotFound."""
        ...

    async def start_turn(self, turn_id: str, *, owner: str, run: RunFacts | None = None) -> TurnRow | None:
        """Mark a turn running (attempt + 1), by the graph of `run`; its plan and limit are those of now. None when it
        has ended meanwhile or its cancel was requested: nothing to run. Raises TurnInProgress while an earlier turn
        of the session has not ended: prompts are answered in the order they were accepted in."""
        ...

    async def hand_over_turn(self, turn_id: str, *, attempt: int) -> None:
        """Note that this attempt ends because its server was stopped, or lost the database; once, however often it is
        asked. Nothing happens to a turn that another attempt has, or that has ended."""
        ...

    async def interrupt_turn(self, turn_id: str, interrupt: AskedOfPage, *, attempt: int) -> bool:
        """Note that the turn waits for the page from now on: this attempt has ended. False (and nothing written) when
        another attempt has it, it has ended, or its cancel was requested."""
        ...

    async def turn_of_interrupt(self, caller: Caller, interrupt_id: str) -> TurnRow:
        """The caller's own turn that asked this of the page, and nothing since. Raises NotFound."""
        ...

    async def waiting_turn(self, caller: Caller, session_id: str) -> TurnRow | None:
        """The turn of the session that waits for the page; None where none does, or it is not the caller's."""
        ...

    async def resume_turn(
        self, caller: Caller, interrupt_id: str, result: dict[str, Any], *, context: dict[str, Any] | None = None
    ) -> TurnRow | None:
        """Store the page's answer, once, with what it shows now. None (and nothing written) when it was answered
        before, is too late, or the turn shall stop or has ended; and for what is not the caller's."""
        ...

    async def expire_interrupts(self) -> list[TurnRow]:
        """Turns that have waited as long as they should: they are to go on with NOBODY_THERE."""
        ...

    async def request_cancel(self, caller: Caller, turn_id: str) -> TurnRow:
        """Note that the turn shall stop; an ended turn is left as it is. Who may ask in its session may. Raises
        NotFound, NotAllowed for a viewer."""
        ...

    async def end_turn(
        self, turn_id: str, ending: TurnEnding, *, attempt: int | None = None
    ) -> list[MessageRow] | None:
        """Store the ending and its messages, once. None (and nothing written) when the turn has ended already, or when
        `attempt` is not its newest: another owner has it."""
        ...

    async def unended_turn(self, turn_id: str) -> TurnRow | None:
        """The turn, accepted or running; None when it has ended or is not there. For the server itself: whose it is, is
        not asked."""
        ...

    async def unended_turns(self) -> list[TurnRow]:
        """Turns accepted or running: what a starting server has to run or to close."""
        ...

    async def sweep_sessions(self) -> int:
        """Remove sessions that were opened a day ago or earlier and in which nothing was asked, some of them at a time;
        returns how many went."""
        ...

    async def pictures_of_nobody(self, paths: Sequence[str]) -> list[str]:
        """Those of these pictures that no message holds and none can come to hold: their turn has ended, or is not
        there. A path that is not `<account>/<turn>/<name>` is left alone."""
        ...

    async def messages(
        self, caller: Caller, session_id: str, *, before: int | None = None, limit: int = 200
    ) -> list[MessageRow]:
        """The newest `limit` messages (with a position below `before`), in order: of the turns that stand. A turn that
        another superseded is left out with all that followed it; one that failed supersedes nothing."""
        ...

    async def versions(self, caller: Caller, session_id: str) -> dict[str, tuple[str, ...]]:
        """Of the turns that stand, those that took another's place: the turns they replaced, oldest first. Raises
        NotFound."""
        ...

    async def messages_of_turn(self, caller: Caller, session_id: str, turn_id: str) -> list[MessageRow]:
        """All messages of one turn, in order, also when another took its place. Raises NotFound."""
        ...

    async def rate_message(
        self, caller: Caller, message_id: str, *, score: int, reason: str | None = None
    ) -> str | None:
        """Keep what the caller thinks of an answer, in place of an earlier rating; returns the answer's turn.
        Raises NotFound, and BadRequest for what is no answer."""
        ...

    async def limits(self, caller: Caller, session_id: str | None) -> LimitsView: ...
