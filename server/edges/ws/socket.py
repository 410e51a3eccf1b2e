"""One client's socket: who it is, what it asks, what it is sent.

accepted -> authenticated by its first `start_analysis` -> reads messages and receives its session's events,
side by side, until either side closes. A turn runs on whether or not the socket lives.
"""

import contextlib
import uuid
from typing import NoReturn

import anyio
from pydantic import ValidationError
from starlette.websockets import WebSocket, WebSocketDisconnect

from server.edges.http.services import SocketServices, access_token, services_of
from server.edges.ws.answers import CloseCode, answer_to, answer_to_malformed
from server.edges.ws.bounds import FIRST_MESSAGE_S, MAX_MESSAGE_BYTES, SEND_S
from server.edges.ws.memory_messages import MemoryMessages
from server.edges.ws.pace import Pace
from server.edges.ws.sign_in import SignIn
from server.errors import (
    BadRequest,
    DatabaseUnavailable,
    NotAllowed,
    NotAuthenticated,
    NotFound,
    ServerError,
    ServiceUnavailable,
    TooManyAtOnce,
)
from server.ports.asking_user import ASKING_USER
from server.ports.identity import Caller, Scope
from server.ports.relay import Listening
from server.protocol.base import WireModel
from server.protocol.client import (
    CLIENT_MESSAGE,
    Authenticate,
    CancelTurn,
    ClientMessage,
    DecideMemory,
    EditPrompt,
    Feedback,
    Ping,
    Regenerate,
    ResumeTurn,
    StartAnalysis,
    UserPrompt,
    ViewerContext,
)
from server.protocol.events import ModelResponseEnd, TurnCancelled, TurnFailed
from server.protocol.server import Pong, ProtocolError, WaitingForModel
from server.protocol.wire_values import ViewerState
from server.turns.key_identity import require
from server.turns.memory_informing import MoreProposed
from traces.errors import TraceError


class _Closed(Exception):
    """The conversation is over; `code` is what the client is sent, None when it left by itself."""

    def __init__(self, code: CloseCode | None, reason: str = "") -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


def _not_known(error: NotAuthenticated) -> _Closed:
    """The reason begins with the code, for programs."""
    return _Closed(CloseCode.NOT_AUTHENTICATED, f"{error.code}: {error}")


async def chat(websocket: WebSocket) -> None:
    """The endpoint."""
    await websocket.accept()
    connection = Connection(websocket, services_of(websocket).socket, first_message_s=FIRST_MESSAGE_S)
    try:
        await connection.converse()
    except _Closed as closed:
        if closed.code is not None:
            await websocket.close(closed.code, closed.reason)
    except WebSocketDisconnect:
        return


class Connection:
    """State of one socket. Messages are answered in the order they come; events of the session come between the
    answers.
    """

    def __init__(self, websocket: WebSocket, services: SocketServices, *, first_message_s: float) -> None:
        self._websocket = websocket
        self._services = services
        self._first_message_s = first_message_s
        self._sending = anyio.Lock()
        self._pace = Pace()
        self._viewing = ViewerState()
        self._used_at = anyio.current_time()
        self._session_id: str | None = None
        self._listening: Listening | None = None
        self._sign_in: SignIn | None = None
        self._memory: MemoryMessages | None = None
        self._is_answering = False
        self._account_id: str | None = None

    async def converse(self) -> NoReturn:
        """Raises _Closed when it is over."""
        first: StartAnalysis | None = None
        caller: Caller | None = None
        with anyio.move_on_after(self._first_message_s):
            first, caller = await self._introduction()
        if first is None or caller is None:
            raise _Closed(CloseCode.TOO_LATE, "No start_analysis came in time.")
        ASKING_USER.set(caller.user_id)
        try:
            with self._services.sockets.opened_by(caller.user_id):
                await self._talk(caller, first)
        except TooManyAtOnce as error:
            raise _Closed(CloseCode.TOO_MANY, str(error)) from None

    async def _talk(self, caller: Caller, first: StartAnalysis) -> NoReturn:
        """Raises _Closed."""
        closed = _Closed(None)
        try:
            async with anyio.create_task_group() as tasks:
                self._sign_in = SignIn(caller, grace_s=self._services.expired_grace_s)
                tasks.start_soon(self._leave_when_expired, self._sign_in)
                await self._join(caller, first, tasks)
                self._used_at = anyio.current_time()
                tasks.start_soon(self._leave_when_idle, caller)
                tasks.start_soon(self._inform_of_gates)
                tasks.start_soon(self._inform_of_budgets, caller)
                tasks.start_soon(self._inform_of_memory, caller)
                while True:
                    message = await self._receive()
                    if message is not None:
                        self._used_at = self._used_at if isinstance(message, Ping) else anyio.current_time()
                        await self._answer(caller, message, tasks)
        except* WebSocketDisconnect:
            pass
        except* _Closed as several:
            closed = next(error for error in several.exceptions if isinstance(error, _Closed))
        finally:
            if self._listening is not None:
                await self._listening.aclose()
        raise closed

    async def _introduction(self) -> tuple[StartAnalysis, Caller]:
        """The first good message, and who sent it. Malformed ones are answered and waited past."""
        while True:
            message = await self._receive()
            if message is None:
                continue
            if not isinstance(message, StartAnalysis):
                raise _Closed(CloseCode.NOT_AUTHENTICATED, "The first message must be start_analysis.")
            try:
                token = message.access_token or access_token(self._websocket)
                caller = await self._services.identity.identify(token)
                require(caller, Scope.ASK)
                return message, caller
            except NotAuthenticated as error:
                raise _not_known(error) from None
            except NotAllowed as error:
                raise _Closed(CloseCode.NOT_YOURS, str(error)) from None
            except TooManyAtOnce as error:
                raise _Closed(CloseCode.TOO_MANY, str(error)) from None
            except ServiceUnavailable as error:
                raise _Closed(CloseCode.TRY_LATER, str(error)) from None

    async def _receive(self) -> ClientMessage | None:
        """The next message, or None after a malformed one was answered."""
        frame = await self._websocket.receive()
        if frame["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(frame["code"], frame.get("reason"))
        text = frame.get("text")
        if text is None:
            await self._send(ProtocolError(code="bad_json", message="Messages are JSON in text frames, not binary."))
            await self._pace.after_refusal()
            return None
        if len(text) > MAX_MESSAGE_BYTES:
            raise _Closed(CloseCode.TOO_LARGE, "The message is too large.")
        try:
            return CLIENT_MESSAGE.validate_json(text)
        except ValidationError as error:
            await self._send(answer_to_malformed(error, text))
            await self._pace.after_refusal()
            return None

    async def _answer(self, caller: Caller, message: ClientMessage, tasks: anyio.abc.TaskGroup) -> None:
        try:
            match message:
                case StartAnalysis():
                    await self._join(caller, message, tasks)
                case UserPrompt():
                    await self._submit(caller, message)
                case CancelTurn():
                    await self._services.conversation.cancel(caller, message.turn_id)
                case ViewerContext():
                    self._viewing = ViewerState.model_validate(message.model_dump(exclude={"type"}))
                case Ping():
                    await self._send(Pong(nonce=message.nonce))
                case Authenticate():
                    await self._authenticate(caller, message)
                case Regenerate() | EditPrompt():
                    await self._report(
                        await self._services.conversation.supersede(
                            caller, message, self._viewing, session_id=self._session_id
                        )
                    )
                case DecideMemory() | Feedback() | ResumeTurn():
                    await self._note(caller, message)
        except (ServerError, TraceError) as error:
            await self._refuse(error)

    async def _refuse(self, error: ServerError | TraceError) -> None:
        await self._send(answer_to(error))
        if isinstance(error, TooManyAtOnce):
            await self._pace.after_refusal()

    async def _join(self, caller: Caller, message: StartAnalysis, tasks: anyio.abc.TaskGroup) -> None:
        """Open a session and listen to it instead of the one before. Starts a turn only when it carries a prompt."""
        try:
            services = services_of(self._websocket)
            services.rates.admit_message(caller)
            caller = await services.teams.acting(caller, message.account_id)
            joined = await self._services.conversation.join(caller, message)
        except NotFound as error:
            raise _Closed(CloseCode.NOT_YOURS, str(error)) from None
        except DatabaseUnavailable as error:  # nothing can be done here, and the client comes back by itself
            raise _Closed(CloseCode.TRY_LATER, str(error)) from None
        except (ServerError, TraceError) as error:
            await self._send(answer_to(error))
            return
        if self._listening is not None:
            await self._listening.aclose()
        self._session_id, self._listening = message.session_id, joined.listening
        self._is_answering = False
        self._viewing = self._viewing.model_copy(update={"mounted_tools": message.mounted_tools})
        self._memory = MemoryMessages(self._services.conversation.memory, joined.caller)
        self._account_id = joined.caller.account_id
        self._memory.acknowledged(joined.ack.memory)
        await self._send(joined.ack)
        tasks.start_soon(self._relay, caller, message.session_id, joined.listening)
        if message.prompt is not None:
            prompt = UserPrompt(
                session_id=message.session_id, prompt=message.prompt, turn_id=message.turn_id or str(uuid.uuid4())
            )
            await self._answer(caller, prompt, tasks)

    async def _submit(self, caller: Caller, message: UserPrompt) -> None:
        if message.session_id != self._session_id:
            raise BadRequest("This socket listens to another session: send start_analysis first.", field="sessionId")
        await self._report(await self._services.conversation.submit(caller, message, self._viewing, is_typed=True))

    async def _note(self, caller: Caller, message: DecideMemory | Feedback | ResumeTurn) -> None:
        """What the person thinks of an answer, or of what it proposes; what the page answers a turn that waits."""
        if isinstance(message, DecideMemory):
            require(caller, None)
            await self._send(await self._memory_of(caller).decide(message))
        elif isinstance(message, ResumeTurn):
            self._viewing = message.context or self._viewing
            await self._services.conversation.resume(caller, message)
        else:
            await self._services.conversation.rate(caller, message)

    async def _report(self, waiting: WaitingForModel | None) -> None:
        if waiting is not None:
            await self._send(waiting)

    async def _authenticate(self, caller: Caller, message: Authenticate) -> None:
        try:
            fresh = await self._services.identity.identify(message.access_token)
        except NotAuthenticated as error:
            raise _not_known(error) from None
        if (fresh.user_id, fresh.key) != (caller.user_id, caller.key):
            raise _not_known(NotAuthenticated("The token is another user's.", code="another_user"))
        if self._sign_in is not None:
            self._sign_in.renew(fresh)

    async def _leave_when_expired(self, sign_in: SignIn) -> None:
        await sign_in.ended()
        raise _not_known(NotAuthenticated("The sign-in has expired. Sign in again.", code="token_expired"))

    async def _relay(self, caller: Caller, session_id: str, listening: Listening) -> None:
        """Everything the session says, until it is left, or until the relay has lost sight of a turn."""
        turn_id: str | None = None
        async for event in listening:
            if event.turn_id != turn_id:  # with each turn: who has left the account listens no longer
                turn_id = event.turn_id
                await self._check_still_readable(caller, session_id)
            if isinstance(event, TurnFailed) and event.code == "limit_exceeded":
                await self._send(await self._services.conversation.refusal(caller, session_id, event.message))
            await self._send(event)
            self._used_at = anyio.current_time()
            self._is_answering = not isinstance(event, ModelResponseEnd | TurnCancelled | TurnFailed)
            if not self._is_answering:
                await self._send_proposals(caller, session_id)
        if listening is self._listening:
            raise _Closed(CloseCode.COME_BACK, "An answer has ended meanwhile. Join again to read it.")

    async def _inform_of_gates(self) -> None:
        """Until the socket closes."""
        if self._services.news.gates is None:
            return
        with self._services.news.gates.listener(lambda: self._account_id) as listener:
            async for message in listener.waiting.news():
                await self._send(message)

    async def _inform_of_budgets(self, caller: Caller) -> None:
        """Until the socket closes."""
        if self._services.news.budgets is None:
            return
        with self._services.news.budgets.listener(caller, lambda: self._account_id) as listener:
            async for message in listener.waiting.news():
                await self._send(message)

    async def _inform_of_memory(self, caller: Caller) -> None:
        """Until the socket closes."""
        memory = self._services.conversation.memory
        if memory is None:
            return
        with memory.informing.listener(
            lambda: self._account_id, lambda: self._memory_of(caller).version, lambda: self._session_id
        ) as listener:
            async for message in listener.waiting.news():
                if isinstance(message, MoreProposed):
                    if message.session_id == self._session_id and not self._is_answering:  # else the answer's end does
                        await self._send_proposals(caller, message.session_id)
                elif self._memory_of(caller).is_new(message):
                    await self._send(message)

    async def _send_proposals(self, caller: Caller, session_id: str) -> None:
        """What the client has not been sent of them, and of the memory's version."""
        with contextlib.suppress(ServerError):  # the next ack has it again
            for message in await self._memory_of(caller).news(session_id):
                await self._send(message)

    async def _check_still_readable(self, caller: Caller, session_id: str) -> None:
        """Raises _Closed."""
        try:
            await self._services.conversation.check_readable(caller, session_id)
        except NotFound as error:
            raise _Closed(CloseCode.NOT_YOURS, str(error)) from None
        except DatabaseUnavailable as error:
            raise _Closed(CloseCode.TRY_LATER, str(error)) from None

    def _memory_of(self, caller: Caller) -> MemoryMessages:
        if self._memory is None:
            self._memory = MemoryMessages(self._services.conversation.memory, caller)
        return self._memory

    async def _leave_when_idle(self, caller: Caller) -> None:
        """A page that was forgotten gives its place back: it lives on, and joins again when somebody uses it."""
        idle_s = self._services.socket_idle_s
        while True:
            await anyio.sleep_until(self._used_at + idle_s)
            if anyio.current_time() < self._used_at + idle_s:
                continue
            try:
                answering = self._session_id is not None and await self._services.conversation.is_answering(
                    caller, self._session_id
                )
            except ServerError:
                answering = True
            if not answering:
                raise _Closed(CloseCode.IDLE, f"Nothing was asked or told for {idle_s:g} s. Join again to go on.")
            self._used_at = anyio.current_time()

    async def _send(self, message: WireModel) -> None:
        async with self._sending:
            with anyio.move_on_after(SEND_S) as sent:
                await self._websocket.send_text(message.to_wire())
        if sent.cancelled_caught:
            raise _Closed(CloseCode.GOING_AWAY, "The client does not read.")
