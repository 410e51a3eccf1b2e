"""What other clients send, read as far as it counts: the newest prompt, and ids. Of the history that comes with it
nothing is decoded but who each message is from.
"""

from typing import Any, Literal

import msgspec
from starlette.requests import Request

from server.cleaning import half_escape
from server.edges.streams.tool_answers import answers_in, mounted_of
from server.errors import BadRequest
from server.protocol.client import MAX_PROMPT_CHARACTERS, NO_TEXT
from server.turns.client_streams import Asked

MAX_BODY_BYTES = 4 << 20
"""A client sends all of its history with each prompt; more than this is refused."""

MAX_ID_CHARACTERS = 200


class TooLong(BadRequest):
    """The body is over its bound."""


class _Sender(msgspec.Struct):
    role: str = ""
    id: str | None = None


class _Message(msgspec.Struct):
    id: str | None = None
    content: Any = None
    parts: list[Any] | None = None


class _Run(msgspec.Struct, rename="camel"):
    """The fields of AI SDK, of assistant-ui and of AG-UI, which do not contradict each other. `forwarded_props` has,
    for AG-UI, what the others send at the top."""

    messages: list[msgspec.Raw] = []
    id: str | None = None
    thread_id: str | None = None
    run_id: str | None = None
    trigger: str | None = None
    message_id: str | None = None
    parent_id: str | None = None
    trace_id: str | None = None
    model: str | None = None
    mounted_tools: Any = None
    tools: Any = None
    forwarded_props: Any = None


_RUN = msgspec.json.Decoder(_Run)
_SENDER = msgspec.json.Decoder(_Sender)
_MESSAGE = msgspec.json.Decoder(_Message)
_ANSWER = msgspec.json.Decoder(dict[str, Any])


async def body_of(request: Request) -> bytes:
    """Raises TooLong, after the client has sent all of it: one that is cut off reads no answer."""
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size <= MAX_BODY_BYTES:
            parts.append(part)
    if size > MAX_BODY_BYTES:
        raise TooLong(f"The request has {size:,} bytes; {MAX_BODY_BYTES:,} are taken. Send the newest message alone.")
    return b"".join(parts)


def asked_by_ai_sdk(body: bytes) -> Asked:
    """Of AI SDK, or of assistant-ui, which sends no trigger. Raises BadRequest."""
    run = _decoded(body)
    message = _newest_prompt(run)
    text, key = _text(message), message.id or run.parent_id
    if run.trigger == "regenerate-message":
        return _asked(run, text, "regenerate", key, answer_id=run.message_id)
    return _asked(run, text, "either" if run.trigger is None else "prompt", key)


def asked_by_ag_ui(body: bytes) -> Asked:
    """Of AG-UI. Raises BadRequest."""
    run = _decoded(body)
    if not run.thread_id or not run.run_id:
        raise BadRequest("A run has a threadId and a runId.", field="runId" if run.thread_id else "threadId")
    given = run.forwarded_props if isinstance(run.forwarded_props, dict) else {}
    named = {name: given[name] for name in ("traceId", "model") if isinstance(given.get(name), str)}
    run.mounted_tools = given.get("mountedTools", run.mounted_tools)
    run.trace_id, run.model = named.get("traceId", run.trace_id), named.get("model", run.model)
    message = _newest_prompt(run)
    kind: Literal["regenerate", "prompt"] = "regenerate" if given.get("trigger") == "regenerate-message" else "prompt"
    return _asked(run, _text(message), kind, message.id)


def ids_of_ag_ui(body: bytes) -> tuple[str, str]:
    """Of thread and run, for an answer to a request that is wrong elsewhere."""
    try:
        run = _RUN.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return "", ""
    return run.thread_id or "", run.run_id or ""


def _decoded(body: bytes) -> _Run:
    try:
        run = _RUN.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        half = half_escape(body.decode("utf-8", "replace"))
        raise BadRequest(half or f"The request is not one of this protocol: {error}") from None
    for name in ("id", "thread_id", "run_id", "message_id", "parent_id", "trace_id", "model"):
        if len(getattr(run, name) or "") > MAX_ID_CHARACTERS:
            raise BadRequest(f"An id has at most {MAX_ID_CHARACTERS} characters.", field=name)
    return run


def _newest_prompt(run: _Run) -> _Message:
    try:
        for raw in reversed(run.messages):
            if _SENDER.decode(raw).role == "user":
                return _MESSAGE.decode(raw)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise BadRequest(f"A message is not one of this protocol: {error}", field="messages") from None
    raise BadRequest("There is no message of the user's to answer.", field="messages")


def _answers(run: _Run) -> dict[str, Any]:
    """Of the client to tools that wait for it, in what follows the newest prompt."""
    later: list[dict[str, Any]] = []
    try:
        for raw in reversed(run.messages):
            if _SENDER.decode(raw).role == "user":
                break
            later.append(_ANSWER.decode(raw))
    except (msgspec.MsgspecError, RecursionError) as error:
        raise BadRequest(f"A message is not one of this protocol: {error}", field="messages") from None
    return answers_in(later)


def _text(message: _Message) -> str:
    parts = message.parts if message.parts is not None else message.content
    if isinstance(parts, str):
        text = parts
    else:
        given = [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
        texts = [part.get("text") for part in given if part.get("type") == "text"]
        text = "\n\n".join(one for one in texts if isinstance(one, str))
    if not text.strip():
        raise BadRequest(f"messages: {NO_TEXT}", field="messages")
    if len(text) > MAX_PROMPT_CHARACTERS:
        raise BadRequest(f"A prompt has at most {MAX_PROMPT_CHARACTERS:,} characters.", field="messages")
    return text


def _asked(
    run: _Run,
    text: str,
    kind: Literal["prompt", "regenerate", "either"],
    message_id: str | None,
    *,
    answer_id: str | None = None,
) -> Asked:
    if message_id is not None and len(message_id) > MAX_ID_CHARACTERS:
        raise BadRequest(f"An id has at most {MAX_ID_CHARACTERS} characters.", field="messages")
    return Asked(
        chat_id=run.id or run.thread_id,
        text=text,
        kind=kind,
        message_id=message_id,
        answer_id=answer_id,
        trace_id=run.trace_id,
        model=run.model,
        mounted=mounted_of(run.mounted_tools, run.tools),
        answers=_answers(run),
    )
