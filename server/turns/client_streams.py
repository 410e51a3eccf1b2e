"""What clients with ids of their own ask: which session, which turn, whether it runs already, and how to follow it.

Their ids are idempotency keys. A chat that is no UUID is a session by account, user and id; a message is a turn by
session and id, so that the same request again joins the turn that it started. Their history is not read: ours counts.
"""

import uuid
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import anyio

from server.errors import BadRequest, Busy, NotFound
from server.ports.conversations import Conversations, SessionRow, TurnRow
from server.ports.identity import Caller
from server.ports.relay import Listening, Relay
from server.protocol.client import EditPrompt, Regenerate, ResumeTurn, UserPrompt
from server.protocol.events import TurnEvent
from server.protocol.mounted import MountedTool
from server.protocol.server import TurnSnapshot
from server.protocol.wire_values import AskedOfPage, ViewerState
from server.turns.access import session_of, turn_of
from server.turns.conversation import Conversation
from server.turns.lifecycle import ends_turn
from server.turns.stored_turn import events_of_stored
from server.turns.trace_library import TraceLibrary

MOST_VERSIONS = 100
"""Of one answer, that are looked through for the next one's id."""

PAUSES_S = (0.0, 0.2, 0.4, 0.8, 1.6, 2.0)
"""Before each time that a turn is listened to again without news of it since: 5 s in all, a process's restart."""

_SESSIONS = uuid.UUID("6b1c1e0e-4a3b-5a53-9f53-0b5d5b5e7f11")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a client's request comes to. `message_id` is the client's own id of the prompt. `kind`: a `prompt` that is
    known is joined, with another text edited; `regenerate` answers it once more; `either` joins it while it runs and
    answers it once more when it has ended. `answer_id` is the answer to be given again, where the client names it.
    `answers` are the client's own, by tool call, to what a turn has asked of it."""

    chat_id: str | None
    text: str
    kind: Literal["prompt", "regenerate", "either"] = "prompt"
    message_id: str | None = None
    answer_id: str | None = None
    trace_id: str | None = None
    model: str | None = None
    mounted: tuple[str | MountedTool, ...] = ()
    answers: Mapping[str, Any] = field(default_factory=dict)


class FollowedByClient:
    """A turn, and its events from its start or as it stands. `aclose` leaves it; it runs on. `answers` are the calls of
    tools of which the client has the outcome, `answered` the question that it has just answered."""

    def __init__(
        self,
        conversations: Conversations,
        caller: Caller,
        turn: TurnRow,
        listening: Listening,
        relay: Relay,
        *,
        answers: frozenset[str] = frozenset(),
        answered: AskedOfPage | None = None,
        pauses_s: Sequence[float] = PAUSES_S,
    ) -> None:
        self.turn = turn
        self.answers = answers
        self.answered = answered
        self._conversations = conversations
        self._caller = caller
        self._listening = listening
        self._relay = relay
        self._pauses_s = pauses_s
        self._is_left = False

    async def events(self) -> AsyncIterator[TurnEvent | TurnSnapshot]:
        """Up to the turn's end. What has ended comes as it is stored. A relay that lost sight of a turn of the session
        is listened to again: it has how this one stands. Raises Busy where that brings no news time after time."""
        turn = self.turn
        newest, without_news = -1, 0
        while not turn.status.has_ended:
            async for event in self._listening:
                if event.turn_id != turn.turn_id:
                    continue
                if event.seq > newest:
                    newest, without_news = event.seq, 0
                yield event
                if not isinstance(event, TurnSnapshot) and ends_turn(event):
                    return
            if self._is_left:
                return
            await self._listening.aclose()
            if without_news == len(self._pauses_s):
                raise Busy("This answer cannot be followed now. It goes on: ask for it again.", retry_after_s=5)
            await anyio.sleep(self._pauses_s[without_news])
            without_news += 1
            self._listening = self._relay.listen(turn.session_id)
            await self._relay.snapshot(turn.session_id)
            turn = await turn_of(self._conversations, self._caller, turn.turn_id)
        rows = await self._conversations.messages_of_turn(self._caller, turn.session_id, turn.turn_id)
        for stored in events_of_stored(turn, rows):
            yield stored

    async def aclose(self) -> None:
        self._is_left = True
        await self._listening.aclose()


class ClientStreams:
    """The use cases of other clients' streams."""

    def __init__(
        self, *, conversations: Conversations, conversation: Conversation, library: TraceLibrary, relay: Relay
    ) -> None:
        self._conversations = conversations
        self._conversation = conversation
        self._library = library
        self._relay = relay

    async def ask(self, caller: Caller, asked: Asked) -> FollowedByClient:
        """Accept a prompt, or join the turn that the same request has started. Raises what Conversation.submit does; a
        new session is made with the accepted turn, so that what is refused leaves none."""
        session_id = session_id_of(caller, asked.chat_id)
        session = await self._session(caller, session_id)
        trace_id = await self._trace_id(caller, asked, session)
        listening = self._relay.listen(session_id)
        try:
            await self._relay.snapshot(session_id)  # looked at before it is asked: what ends from here on is sent
            turn = await self._turn(caller, session_id, trace_id, asked)
        except BaseException:
            await listening.aclose()
            raise
        answered = turn.interrupt if turn.interrupt and turn.interrupt.tool_call_id in asked.answers else None
        has = frozenset(asked.answers) if answered else frozenset[str]()
        return FollowedByClient(
            self._conversations, caller, turn, listening, self._relay, answers=has, answered=answered
        )

    def listen(self, session_id: str) -> Listening:
        """What is sent of a session that is about to be asked in, before it is there."""
        return self._relay.listen(session_id)

    async def running(self, caller: Caller, chat_id: str) -> FollowedByClient | None:
        """The turn that runs or waits in a chat; None for none, also where there is no such chat."""
        session_id = session_id_of(caller, chat_id)
        if await self._session(caller, session_id) is None:
            return None
        listening = self._relay.listen(session_id)
        snapshot = await self._relay.snapshot(session_id)
        turn_id = None if snapshot is None else snapshot.turn_id
        if turn_id is None:
            newest = await self._conversations.messages(caller, session_id, limit=1)
            turn_id = newest[0].turn_id if newest else None
        turn = None if turn_id is None else await turn_of(self._conversations, caller, turn_id)
        if turn is None or turn.status.has_ended:
            await listening.aclose()
            return None
        return FollowedByClient(self._conversations, caller, turn, listening, self._relay)

    async def _session(self, caller: Caller, session_id: str) -> SessionRow | None:
        try:
            return await session_of(self._conversations, caller, session_id)
        except NotFound:
            return None

    async def _trace_id(self, caller: Caller, asked: Asked, session: SessionRow | None) -> str:
        """Raises BadRequest when there is none to ask about."""
        if asked.trace_id is not None:
            return asked.trace_id
        if session is not None:
            return session.trace_id
        rows = await self._library.rows(caller)
        if not rows:
            raise BadRequest("There is no trace to ask about: upload one to /api/v1/traces.", field="traceId")
        return rows[0].trace_id

    async def _turn(self, caller: Caller, session_id: str, trace_id: str, asked: Asked) -> TurnRow:
        first_id = str(uuid.uuid5(uuid.UUID(session_id), asked.message_id or str(uuid.uuid4())))
        viewing = ViewerState(mounted_tools=asked.mounted)
        standing = await self._standing(caller, session_id, asked.answer_id)
        if standing is not None and standing.turn_id != asked.answer_id:
            return standing  # another request has given it again, which this client has not seen
        standing = standing or await self._standing(caller, session_id, first_id)
        if standing is None:
            if not asked.text:
                raise BadRequest("There is no such question in this chat.", field="messageId")
            prompt = UserPrompt(
                session_id=session_id, prompt=asked.text, turn_id=first_id, model=asked.model, trace_id=trace_id
            )
            await self._conversation.submit(caller, prompt, viewing, is_typed=True)
            return await turn_of(self._conversations, caller, first_id)
        if standing.interrupt is not None and standing.interrupt.tool_call_id in asked.answers:
            return await self._answered(caller, standing, standing.interrupt, asked)
        if asked.kind == "regenerate" or (asked.kind == "either" and standing.status.has_ended):
            new_id = await self._next_version(caller, standing, "again")
            again = Regenerate(turn_id=standing.turn_id, new_turn_id=new_id, model=asked.model)
            return await self._supersede(caller, session_id, again, viewing)
        if not asked.text or standing.prompt == asked.text:
            return standing
        new_id = await self._next_version(caller, standing, f"edit {asked.text}")
        edited = EditPrompt(turn_id=standing.turn_id, prompt=asked.text, new_turn_id=new_id, model=asked.model)
        return await self._supersede(caller, session_id, edited, viewing)

    async def _answered(self, caller: Caller, turn: TurnRow, question: AskedOfPage, asked: Asked) -> TurnRow:
        """The turn goes on with the client's answer; the same one again changes nothing."""
        result = asked.answers[question.tool_call_id]
        if not isinstance(result, dict):
            raise BadRequest(f"The output of {question.tool_name} is an object with a status.", field="output")
        message = ResumeTurn(interrupt_id=question.interrupt_id, result=result)
        try:
            await self._conversation.resume(caller, message, turn_id=turn.turn_id)
        except NotFound:
            if turn.interrupt_result is None:
                raise
        return turn

    async def _supersede(
        self, caller: Caller, session_id: str, message: Regenerate | EditPrompt, viewing: ViewerState
    ) -> TurnRow:
        await self._conversation.supersede(caller, message, viewing, session_id=session_id)
        assert message.new_turn_id is not None
        return await turn_of(self._conversations, caller, message.new_turn_id)

    async def _standing(self, caller: Caller, session_id: str, turn_id: str | None) -> TurnRow | None:
        """The newest version of a turn; None for one that this session does not have."""
        if turn_id is None:
            return None
        try:
            turn = await turn_of(self._conversations, caller, turn_id)
        except NotFound:
            return None
        if turn.session_id != session_id:
            return None
        versions = await self._conversation.versions(caller, session_id)
        newest = next((stands for stands, replaced in versions.items() if turn.turn_id in replaced), turn.turn_id)
        return turn if newest == turn.turn_id else await turn_of(self._conversations, caller, newest)

    async def _next_version(self, caller: Caller, standing: TurnRow, what: str) -> str:
        """The same id for the same request, until that turn has ended without taking the place it was asked for."""
        turn_id = standing.turn_id
        for _ in range(MOST_VERSIONS):
            turn_id = str(uuid.uuid5(uuid.UUID(turn_id), what))
            try:
                turn = await turn_of(self._conversations, caller, turn_id)
            except NotFound:
                return turn_id
            if not turn.status.has_ended:
                return turn_id
        return str(uuid.uuid4())


def session_id_of(caller: Caller, chat_id: str | None) -> str:
    """A UUID is a session's own id; another id is of this account and user; without one the session is new."""
    if not chat_id:
        return str(uuid.uuid4())
    try:
        return str(uuid.UUID(chat_id))
    except ValueError:
        return str(uuid.uuid5(_SESSIONS, f"{caller.account_id}/{caller.user_id}/{chat_id}"))
