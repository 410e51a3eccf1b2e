"""Reading one reply of a model from its own stream: text goes out as it comes, tool calls are kept only when they came
complete.
"""

import asyncio
import json
import re
import uuid
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, AIMessageChunk, AnyMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.messages.tool import ToolCall, ToolCallChunk

from server.agent.bounds import ANSWER_TOKENS
from server.agent.model_call.chat_model import READING, REASONING, REFUSAL, ReplyStream
from server.agent.model_call.reasoning_text import ReasoningFilter
from server.agent.model_call.usage_reports import believable
from server.agent.turn import TurnSink
from server.cleaning import ChunkCleaner, clean, clean_json
from server.errors import ModelFailed
from server.protocol.events import ModelChunkAppend, ModelChunkStart, ModelReading, ModelTextReset

FINISHED = frozenset({"stop", "tool_calls", "function_call", "end_turn", "completed"})
"""Finish reasons of a complete reply."""

UNREADABLE = "unreadable_arguments"
"""Key of `additional_kwargs` that holds, by tool call, arguments that were not a JSON object."""

CUT = frozenset({"length", "incomplete"})
"""Finish reasons of a reply that was cut at its length limit."""

CHARACTERS_A_TOKEN = 8
"""More than a token of any language has on average: a model that ends by itself at its bound is not cut here."""

READINGS_SHOWN = 40
"""Of one prompt: how much of it a model has read is sent no more often."""

NO_ROOM = (
    "the model's reply was cut before its answer began, as of a model that reasons at length "
    "(FLAMECHAT_REASONING_TOKENS gives it more room)"
)
"""A reply that met its length limit without a word of text."""

CUT_NOTE = "\n\n*(The model stopped here: it reached its length limit.)*"

_SAFE_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


class BrokenReply(Exception):
    """The stream ended before the reply did; nothing that came so far is acted on."""


@dataclass(frozen=True, slots=True)
class Reply:
    """`usage` is None when the provider does not say, or nothing that can be believed."""

    message: AIMessage
    usage: UsageMetadata | None


class ReplyReader:
    """Reads one reply into one message. `received` says whether anything came, so whether a retry
    replaces something. `preface` is said before the reply's own text. With `replaces` the message has a text, which
    goes when the new one begins. A reply far beyond `most_tokens`, of a model that knows no bound, is cut.
    """

    def __init__(
        self, sink: TurnSink, message_id: str, *, replaces: bool = False, most_tokens: int = ANSWER_TOKENS
    ) -> None:
        self._sink = sink
        self._message_id = message_id
        self._length = 0
        self._most_characters = CHARACTERS_A_TOKEN * most_tokens
        self._replaces = replaces
        self._reading_step = -1
        self.received = False
        self.preface = ""

    async def read(
        self,
        chat: ReplyStream,
        messages: Sequence[AnyMessage],
        *,
        with_tools: bool,
        taken_ids: set[str],
    ) -> Reply:
        """Stream one call. Raises BrokenReply for an early end, half a tool call or an empty reply, ModelFailed for a
        failed, refused or filtered one.
        """
        text: list[str] = []
        calls, thoughts = AIMessageChunk(content=""), AIMessageChunk(content=[])
        finish: str | None = None
        refusal = ""
        reports: list[UsageMetadata] = []
        cleaner, reasoning, characters = ChunkCleaner(), ReasoningFilter(), 0
        async with aclosing(chat.astream(list(messages))) as chunks:  # type: ignore[type-var]
            async for chunk in chunks:
                if READING in chunk.additional_kwargs:
                    await self._show_reading(chunk.additional_kwargs[READING])
                    continue
                self.received = True
                _stop_if_cancelled()
                said = reasoning.feed(cleaner.feed(chunk.text))
                if reasoning.is_taken_back and text:
                    text = []
                    await self.reset()
                    self.received = True
                await self._add(said, text)
                refusal += refused(chunk)
                if chunk.tool_call_chunks:
                    calls += AIMessageChunk(content="", tool_call_chunks=chunk.tool_call_chunks)
                thoughts = _with_reasoning(thoughts, chunk)
                if chunk.usage_metadata:
                    reports.append(chunk.usage_metadata)
                finish = ended(chunk.response_metadata) or finish
                characters += len(chunk.text) + sum(len(part["args"] or "") for part in chunk.tool_call_chunks)
                if characters > self._most_characters:
                    finish = "length"
                    break
        await self._add(reasoning.feed(cleaner.flush()) + reasoning.flush(), text)
        asked = calls.tool_call_chunks if with_tools else []
        full_text = "".join(text)
        if refusal:
            reason = clean(" ".join(refusal.split()))[:300]
            raise ModelFailed(f"The model declined to answer: {reason}", code="model_refused", retryable=False)
        if finish in CUT and not full_text.strip() and not asked:
            raise BrokenReply(NO_ROOM)
        self._refuse_half(finish, asked, full_text)
        if finish in CUT:
            await self._say(CUT_NOTE)
            full_text += CUT_NOTE
        message = assembled(full_text, asked, taken_ids)
        message.additional_kwargs |= reasoning_items(thoughts)
        return Reply(message, believable(reports))

    async def _show_reading(self, stand: str) -> None:
        """Pass on how much was read, a few dozen times at most."""
        read, _, of = stand.partition("/")
        event = ModelReading(tokens_read=int(read), tokens_in_all=int(of))
        step = max(event.tokens_in_all // READINGS_SHOWN, 1)
        if event.tokens_read // step != self._reading_step:
            self._reading_step = event.tokens_read // step
            await self._sink.emit(event)

    async def _add(self, said: str, text: list[str]) -> None:
        """More of the answer, which begins with a letter and the preface before it."""
        if not text:
            said = said.lstrip()
            said = self.preface + said if said else ""
        if said:
            text.append(said)
            await self._say(said)

    async def reset(self) -> None:
        """Take back what was said, before the call is made again."""
        if self._length:
            await self._sink.emit(ModelTextReset(message_id=self._message_id, offset=0))
        self._length = 0
        self.received = False

    async def say_instead(self, text: str) -> None:
        """Another text in place of whatever was said."""
        await self.reset()
        await self._say(text)

    async def _say(self, text: str) -> None:
        if self._replaces:
            self._replaces = False
            await self._sink.emit(ModelTextReset(message_id=self._message_id, offset=0))
        made = ModelChunkAppend if self._length else ModelChunkStart
        await self._sink.emit(made(message_id=self._message_id, offset=self._length, chunk=text))
        self._length += len(text)

    @staticmethod
    def _refuse_half(finish: str | None, asked: Sequence[ToolCallChunk], text: str) -> None:
        """A cut stream parses into valid-looking half arguments, so only what came with a finish reason
        is trusted.
        """
        if finish is None:
            raise BrokenReply("the model's reply ended early")
        if finish == "content_filter":
            raise ModelFailed(
                "The model's provider filtered the answer. Ask in other words.", code="content_filter", retryable=False
            )
        if asked and finish not in FINISHED:
            raise BrokenReply(f"the model's reply was cut inside a tool call ({finish})")
        if not asked and not text.strip():
            raise BrokenReply("the model's reply was empty")


def ended(metadata: dict[str, Any]) -> str | None:
    """How a reply ended, in the words of chat/completions or, for the Responses API, its status; there an answer that
    was filtered is an incomplete one with a reason.
    """
    reason = (metadata.get("incomplete_details") or {}).get("reason")
    said = "content_filter" if reason == "content_filter" else metadata.get("finish_reason") or metadata.get("status")
    return said if isinstance(said, str) else None


def refused(chunk: AIMessageChunk) -> str:
    """What a chunk holds of a refusal, of either API."""
    blocks = chunk.content if isinstance(chunk.content, list) else []
    said = [block[REFUSAL] for block in blocks if isinstance(block, dict) and block.get("type") == REFUSAL]
    return "".join([str(chunk.additional_kwargs.get(REFUSAL) or ""), *map(str, said)])


def reasoning_blocks(chunk: AIMessageChunk) -> list[str | dict[str, Any]]:
    """What a chunk has of reasoning items of the Responses API."""
    blocks = chunk.content if isinstance(chunk.content, list) else []
    return [block for block in blocks if isinstance(block, dict) and block.get("type") == "reasoning"]


def _with_reasoning(thoughts: AIMessageChunk, chunk: AIMessageChunk) -> AIMessageChunk:
    """Joining costs more than all else that is done with a piece of text, which has none."""
    blocks = reasoning_blocks(chunk)
    return thoughts + AIMessageChunk(content=blocks) if blocks else thoughts


def reasoning_items(thoughts: AIMessageChunk) -> dict[str, Any]:
    """By REASONING the items that can be sent again: those that came sealed, without the numbers that joined their
    parts; empty where there are none."""
    items = []
    for block in thoughts.content:
        if isinstance(block, dict) and block.get("encrypted_content"):
            parts = [{key: value for key, value in one.items() if key != "index"} for one in block.get("summary", [])]
            items.append({key: value for key, value in block.items() if key != "index"} | {"summary": parts})
    return {REASONING: {"items": items}} if items else {}


def _stop_if_cancelled() -> None:
    """`asyncio.wait_for`, through which chunks come, loses a cancel that meets a chunk (Python 3.11, bpo-37658): the
    person pressed stop and the model went on.
    """
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


def assembled(text: str, asked: Sequence[ToolCallChunk], taken_ids: set[str]) -> AIMessage:
    """The message to keep. Each call gets an id that is unique in the turn and safe in a path; arguments that are not a
    JSON object are put aside under UNREADABLE."""
    calls: list[ToolCall] = []
    unreadable: dict[str, str] = {}
    for chunk in asked:
        call_id = chunk.get("id") or ""
        if not _SAFE_ID.fullmatch(call_id) or call_id in taken_ids:
            call_id = f"call_{uuid.uuid4().hex[:24]}"
        taken_ids.add(call_id)
        raw = chunk.get("args") or "{}"
        try:
            arguments = clean_json(json.loads(raw))
        except ValueError:
            arguments = None
        if not isinstance(arguments, dict):
            unreadable[call_id] = clean(raw[:200])
            arguments = {}
        calls.append(ToolCall(name=clean(chunk.get("name") or ""), args=arguments, id=call_id, type="tool_call"))
    return AIMessage(text, tool_calls=calls, additional_kwargs={UNREADABLE: unreadable} if unreadable else {})
