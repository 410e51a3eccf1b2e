"""What a client may do in a conversation: open it, ask, stop, listen. Edges call this and turn its errors into their
own answers.
"""

import contextlib
import time
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any

from limits.administration import PlanRecords
from limits.refusals import Decision
from server.agent.model_call.offered_models import OfferedModels
from server.errors import REMOVED, BadRequest, DatabaseUnavailable, LimitExceeded, NotFound, TooManyAtOnce
from server.ports.conversations import (
    Conversations,
    FoundSession,
    SessionRow,
    SessionSearch,
    TurnKind,
    TurnRequest,
    Visibility,
)
from server.ports.core_memory import BY_PROGRAM
from server.ports.identity import Caller
from server.ports.measures import Measures
from server.ports.objects import PICTURES_BUCKET, ObjectStore
from server.ports.queue import TurnJob, TurnQueue
from server.ports.relay import Listening, Relay, Seen
from server.ports.scores import NoScores, Scores
from server.protocol.client import EditPrompt, Feedback, Regenerate, Resume, ResumeTurn, StartAnalysis, UserPrompt
from server.protocol.mounted import ignored_tools
from server.protocol.server import ChatError, ConnectionAck, TurnSnapshot, WaitingForModel
from server.protocol.wire_values import HistoryMessage, LimitsView, RunningTurn, ViewerState
from server.turns.access import session_of, turn_of
from server.turns.account_memory import AccountMemory
from server.turns.admission import Admission
from server.turns.features import features
from server.turns.history_messages import history_message
from server.turns.openings import Openings
from server.turns.page_answers import resume
from server.turns.refusal_note import refusal_note
from server.turns.runner import TurnRunner
from server.turns.trace_library import TraceLibrary
from server.turns.turn_pictures import picture_path
from server.turns.waiting_listener import ListeningToAWait, completed, left_of

HISTORY_SHOWN = 200
"""Newest messages sent on joining; older ones are fetched by page."""


@dataclass(frozen=True, slots=True)
class Joined:
    """A session opened for one listener, who receives everything that happens after `ack` was written. `running` is the
    turn that ran then, `caller` the one who joined, acting for the account that the session belongs to."""

    caller: Caller
    ack: ConnectionAck
    listening: Listening
    running: TurnSnapshot | None


class Conversation:
    """The use cases of a session. Every method raises NotFound for what is not the caller's."""

    def __init__(
        self,
        *,
        conversations: Conversations,
        library: TraceLibrary,
        openings: Openings,
        objects: ObjectStore,
        queue: TurnQueue,
        relay: Relay,
        runner: TurnRunner[Any],
        measures: Measures,
        plans: PlanRecords,
        models: OfferedModels,
        most_turns_per_user: int | None = None,
        scores: Scores | None = None,
        admission: Admission | None = None,
        memory: AccountMemory | None = None,
        prepare: Callable[[TurnRequest], Awaitable[TurnRequest]],
    ) -> None:
        """`prepare` decides what is stored with a turn."""
        self.memory = memory
        self._admission = admission or Admission(per_minute=None, what="prompts", monotonic=time.monotonic)
        self._conversations = conversations
        self._library = library
        self._openings = openings
        self._objects = objects
        self._queue = queue
        self._relay = relay
        self._runner = runner
        self._measures = measures
        self._plans = plans
        self._models = models
        self._most_turns_per_user = most_turns_per_user
        self._scores = scores or NoScores()
        self._prepare = prepare

    async def join(self, caller: Caller, message: StartAnalysis) -> Joined:
        """Open or rejoin a session and listen to it, where the message says so after what the client has of a turn.
        Costs nothing and starts nothing.

        Raises BadRequest for a false userId, a session of another trace, or a turn of another session; WorkerFailed.
        """
        _same_user(caller, message.user_id)
        _, opened = await self._library.open(caller, message.trace_id)
        opening = await self._openings.of(caller, message.trace_id, opened)
        session = await self._conversations.open_session(
            caller, trace_id=message.trace_id, session_id=message.session_id
        )
        session_id, caller = session.session_id, replace(caller, account_id=session.account_id)
        seen = None if message.resume is None else await self._seen(caller, session_id, message.resume)
        listening: Listening = self._relay.listen(session_id, seen=seen)
        try:
            running = await self._relay.snapshot(session_id)
            waiting = await self._conversations.waiting_turn(caller, session_id)
            if waiting is not None:
                first = left_of(waiting) if running is None else None
                listening = ListeningToAWait(listening, waiting, first=first)
                running = completed(running or left_of(waiting), waiting)
            ack = ConnectionAck(
                session_id=session_id,
                opening=opening,
                history=await self.history(caller, session_id),
                limits=await self._conversations.limits(caller, session_id),
                running=None if running is None else RunningTurn(turn_id=running.turn_id, seq=running.seq),
                ignored_tools=ignored_tools(message.mounted_tools),
                memory=None if self.memory is None else await self.memory.state(caller, session_id),
            )
        except BaseException:
            await listening.aclose()
            raise
        return Joined(caller, ack, listening, running)

    async def _seen(self, caller: Caller, session_id: str, resume: Resume) -> Seen:
        """Raises BadRequest, the same for a turn of another session, of somebody else, and for none."""
        with contextlib.suppress(NotFound):
            turn = await turn_of(self._conversations, caller, resume.turn_id)
            if turn.session_id == session_id:
                return Seen(turn.turn_id, resume.seq)
        raise BadRequest(f"There is no such turn in this conversation.{REMOVED}", field="resume.turnId")

    async def open(self, caller: Caller, *, trace_id: str, session_id: str) -> None:
        """Make the session, if it is new, without listening to it. Raises BadRequest for a session of another trace."""
        await self._conversations.open_session(caller, trace_id=trace_id, session_id=session_id)

    async def submit(
        self,
        caller: Caller,
        message: UserPrompt,
        viewing: ViewerState,
        *,
        is_typed: bool = False,
        is_admitted: bool = False,
    ) -> WaitingForModel | None:
        """Accept a prompt. None when a turn of that id has ended already (its messages are in the history). `is_typed`
        says that a person sends it, and no program for them; `is_admitted` that `admit` let it through.

        Raises LimitExceeded, TurnInProgress, and BadRequest for a userId or traceId that is not the session's, and for
        a model that is not offered.
        """
        _same_user(caller, message.user_id)
        if not is_admitted:
            self.admit(caller)
        request = TurnRequest(
            caller=caller,
            trace_id=await self._trace_asked_about(caller, message),
            session_id=message.session_id,
            turn_id=message.turn_id or str(uuid.uuid4()),
            prompt=message.prompt,
            model=message.model,
            context=(message.context or viewing).model_dump(mode="json", by_alias=True)
            | ({} if is_typed and caller.key is None else {BY_PROGRAM: True}),
        )
        await self._check_model(request)
        return await self._accept(request, queue_behind=message.mode == "queue")

    async def own_turn_id(self, caller: Caller, turn_id: str) -> str:
        """The id of a turn that the caller may see. Raises NotFound, also for a turn of somebody else."""
        return (await turn_of(self._conversations, caller, turn_id)).turn_id

    async def _trace_asked_about(self, caller: Caller, message: UserPrompt) -> str:
        """The session's; of a session that the accepted prompt will make, the message's."""
        try:
            session = await session_of(self._conversations, caller, message.session_id)
        except NotFound:
            if message.trace_id is None:
                raise
            return (await self._library.row(caller, message.trace_id)).trace_id
        if message.trace_id is not None and message.trace_id != session.trace_id:
            raise BadRequest("traceId is not this session's trace.", field="traceId")
        return session.trace_id

    async def supersede(
        self, caller: Caller, message: Regenerate | EditPrompt, viewing: ViewerState, *, session_id: str | None
    ) -> WaitingForModel | None:
        """Accept a turn in the place of another of the session `session_id`, with the same prompt or an edited one.
        None when that new turn has ended already.

        Raises LimitExceeded, TurnInProgress, and BadRequest for a turn of another session or one that was superseded,
        and for a model that is not offered.
        """
        self.admit(caller)
        replaced = await turn_of(self._conversations, caller, message.turn_id)
        if replaced.session_id != session_id:
            raise BadRequest("That question is of another session: send start_analysis first.", field="turnId")
        kind, prompt = (
            (TurnKind.EDIT, message.prompt)
            if isinstance(message, EditPrompt)
            else (TurnKind.REGENERATE, replaced.prompt)
        )
        again = kind is TurnKind.REGENERATE
        by_program = caller.key is not None or (again and replaced.context.get(BY_PROGRAM, False))
        request = TurnRequest(
            caller=caller,
            trace_id=replaced.trace_id,
            session_id=replaced.session_id,
            turn_id=message.new_turn_id or str(uuid.uuid4()),
            prompt=prompt,
            kind=kind,
            model=message.model,
            context=viewing.model_dump(mode="json", by_alias=True) | ({BY_PROGRAM: True} if by_program else {}),
            supersedes=replaced.turn_id,
        )
        await self._check_model(request)
        return await self._accept(request)

    async def rate(self, caller: Caller, message: Feedback) -> None:
        """Keep what the caller thinks of an answer. Raises BadRequest for what is no answer."""
        score, reason = message.score, message.reason
        turn_id = await self._conversations.rate_message(caller, message.message_id, score=score, reason=reason)
        if turn_id is not None:
            self._scores.rated(
                turn_id=turn_id, message_id=message.message_id, user_id=caller.user_id, score=score, reason=reason
            )

    async def _accept(self, request: TurnRequest, *, queue_behind: bool = False) -> WaitingForModel | None:
        if self.memory is not None:
            self.memory.check_prompt(request.prompt)
        request = await self._prepare(request)
        try:
            reserved = await self._conversations.accept_turn(
                request, queue_behind=queue_behind, most_answering=self._most_turns_per_user
            )
        except TooManyAtOnce:
            self._measures.refused("turns_at_once")
            raise
        decision = reserved.decision
        if not decision.allowed:
            self._measures.refused(str(decision.limit_type))
            await self._note_refusal(request, decision)
            raise LimitExceeded(decision)
        if reserved.has_ended:
            return None
        ahead = reserved.ahead
        turn_id = str(uuid.UUID(request.turn_id))
        if ahead is None:
            ahead = await self._queue.put(TurnJob(turn_id, str(uuid.UUID(request.session_id))))
        request_id = None if request.ids is None else request.ids.request_id
        return WaitingForModel(turn_id=turn_id, position=ahead or None, request_id=request_id)

    async def _note_refusal(self, request: TurnRequest, decision: Decision) -> None:
        """In a session that exists, once for each limit and period. Without a database the refusal stands all the
        same."""
        note = refusal_note(str(uuid.UUID(request.session_id)), decision)
        with contextlib.suppress(DatabaseUnavailable):
            await self._conversations.note_refusal(request.caller, request.session_id, note)

    def admit(self, caller: Caller) -> None:
        """Let a prompt through before anything is asked of the database. Raises TooManyAtOnce."""
        try:
            self._admission.admit(caller.user_id)
        except TooManyAtOnce:
            self._measures.refused("prompts_a_minute")
            raise

    async def _check_model(self, request: TurnRequest) -> None:
        """Raises BadRequest for a model that the plan does not offer, unless the turn was accepted before."""
        if request.model is None:
            return
        standing = await self._conversations.limits(request.caller, None)
        offered = (await features(self._plans, standing.plan_name)).models
        refusal = self._models.refusal(request.model, offered)
        if refusal is None:
            return
        try:
            await turn_of(self._conversations, request.caller, request.turn_id)
        except NotFound:
            raise BadRequest(refusal, field="model") from None

    async def cancel(self, caller: Caller, turn_id: str) -> None:
        """Stop a turn: its end event follows. An ended turn is left as it is."""
        await turn_of(self._conversations, caller, turn_id)
        turn = await self._conversations.request_cancel(caller, turn_id)
        if turn.status.has_ended:
            return
        if turn.waits_for_page:
            await self._runner.close_unstarted(turn)
            return
        if await self._queue.cancel(turn_id):
            await self._runner.close_unstarted(turn)
        else:
            self._runner.cancel(turn_id)

    async def resume(self, caller: Caller, message: ResumeTurn, *, turn_id: str | None = None) -> None:
        """As `page_answers.resume`."""
        await resume(self._conversations, self._queue, caller, message, turn_id=turn_id)

    async def check_readable(self, caller: Caller, session_id: str) -> None:
        """Raises NotFound."""
        await session_of(self._conversations, caller, session_id)

    async def is_answering(self, caller: Caller, session_id: str) -> bool:
        """Whether a turn of the session runs, in whichever process."""
        await session_of(self._conversations, caller, session_id)
        return await self._relay.snapshot(session_id) is not None

    async def history(
        self, caller: Caller, session_id: str, *, before: int | None = None, limit: int = HISTORY_SHOWN
    ) -> list[HistoryMessage]:
        """The newest messages (below position `before`), in order."""
        await session_of(self._conversations, caller, session_id)
        rows = await self._conversations.messages(caller, session_id, before=before, limit=limit)
        return [history_message(row) for row in rows]

    async def versions(self, caller: Caller, session_id: str) -> dict[str, tuple[str, ...]]:
        """As of Conversations."""
        return await self._conversations.versions(caller, session_id)

    async def turn_messages(self, caller: Caller, session_id: str, turn_id: str) -> list[HistoryMessage]:
        """One turn as the history shows it, also when another took its place. Raises NotFound."""
        rows = await self._conversations.messages_of_turn(caller, session_id, turn_id)
        return [history_message(row) for row in rows]

    async def refusal(self, caller: Caller, session_id: str, message: str) -> ChatError:
        """What informs a client that the graph stopped a turn at the session's limit."""
        limits = await self._conversations.limits(caller, session_id)
        return ChatError(
            error_code="limit_exceeded",
            limit_type="session_messages",
            message=message,
            used=limits.messages_used,
            limit=limits.messages_limit,
            plan_name=limits.plan_name,
        )

    async def sessions(self, caller: Caller, trace_id: str | None) -> list[SessionRow]:
        """Sessions in which something was asked (about one trace), most recently used first."""
        return await self._conversations.sessions(caller, trace_id=trace_id)

    async def found_sessions(self, caller: Caller, search: SessionSearch) -> list[FoundSession]:
        """As of Conversations; about one trace those of that trace's account."""
        if search.trace_id is not None:
            try:
                trace = await self._library.row(caller, search.trace_id)
            except NotFound:
                return []
            caller = replace(caller, account_id=trace.account_id)
        return await self._conversations.found_sessions(caller, search)

    async def archive(self, caller: Caller, session_id: str, *, archived: bool) -> SessionRow:
        """The session, put away or back."""
        await session_of(self._conversations, caller, session_id)
        return await self._conversations.archive_session(caller, session_id, archived=archived)

    async def show(self, caller: Caller, session_id: str, visibility: Visibility) -> SessionRow:
        """The session, shown to the account or to its maker alone."""
        await session_of(self._conversations, caller, session_id)
        return await self._conversations.show_session(caller, session_id, visibility)

    async def rename(self, caller: Caller, session_id: str, title: str) -> SessionRow:
        """The session under its new title."""
        await session_of(self._conversations, caller, session_id)
        return await self._conversations.rename_session(caller, session_id, title)

    async def picture(self, caller: Caller, turn_id: str, name: str) -> bytes | str:
        """A picture (PNG) made during a turn of the caller's, or the address where it can be fetched for some
        minutes."""
        turn = await turn_of(self._conversations, caller, turn_id)
        path = picture_path(turn.account_id, turn_id, name)
        return await self._objects.address(PICTURES_BUCKET, path) or await self._objects.get(PICTURES_BUCKET, path)

    async def limits(self, caller: Caller) -> LimitsView:
        """Where the caller stands, without a session."""
        return await self._conversations.limits(caller, None)

    async def session_limits(self, caller: Caller, session_id: str) -> LimitsView:
        """Where the caller stands in a session."""
        await session_of(self._conversations, caller, session_id)
        return await self._conversations.limits(caller, session_id)


def _same_user(caller: Caller, user_id: str | None) -> None:
    if user_id is not None and user_id != caller.user_id:
        raise BadRequest("userId is not the user behind the access token.", field="userId")
