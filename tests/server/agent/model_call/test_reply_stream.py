"""What a reply's text goes through between the model and the person."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from langchain_core.messages import AIMessageChunk, AnyMessage

from server.agent.model_call.reply_stream import CHARACTERS_A_TOKEN, CUT_NOTE, BrokenReply, ReplyReader
from tests.server.agent.turns import RecordingSink


@dataclass
class Scripted:
    """A model that streams these chunks; `closed` once it was left."""

    chunks: Sequence[AIMessageChunk]
    sent: int = 0
    closed: bool = field(default=False)

    def with_config(self, *_: Any, **__: Any) -> "Scripted":
        return self

    async def astream(self, messages: list[AnyMessage]) -> AsyncGenerator[AIMessageChunk]:
        try:
            for chunk in self.chunks:
                self.sent += 1
                yield chunk
        finally:
            self.closed = True


def texts(*pieces: str, finish: str = "stop") -> Scripted:
    return Scripted(
        [
            *(AIMessageChunk(content=piece) for piece in pieces),
            AIMessageChunk(content="", response_metadata={"finish_reason": finish}),
        ]
    )


async def read(model: Scripted, **bounds: Any) -> tuple[str, str]:
    """The reply's text, and what a client shows of it."""
    sink = RecordingSink()
    reader = ReplyReader(sink, "m1", **bounds)
    reply = await reader.read(model, [], with_tools=True, taken_ids=set())
    for event in sink.events:
        event.to_wire()
    return str(reply.message.text), sink.text["m1"]


async def test_a_character_that_was_cut_between_two_chunks_arrives() -> None:
    assert await read(texts("It is ", "\ud83d", "\ude00", " parse.")) == ("It is 😀 parse.",) * 2


async def test_half_a_character_becomes_a_replacement_and_the_reply_goes_on() -> None:
    found = "It is \N{REPLACEMENT CHARACTER} parse.\N{REPLACEMENT CHARACTER}"
    assert await read(texts("It is \ud83d", " parse.", "\ud83d")) == (found, found)


async def test_half_a_character_in_arguments_can_be_sent() -> None:
    part: Any = {"name": "f\ud83d", "args": '{"name": "\\ud83d", "n": 1}', "id": "c1", "index": 0}
    model = Scripted(
        [
            AIMessageChunk(content="", tool_call_chunks=[part]),
            AIMessageChunk(content="", response_metadata={"finish_reason": "tool_calls"}),
        ]
    )
    reply = await ReplyReader(RecordingSink(), "m1").read(model, [], with_tools=True, taken_ids=set())
    (call,) = reply.message.tool_calls
    assert (call["name"], call["args"]) == (
        "f\N{REPLACEMENT CHARACTER}",
        {"name": "\N{REPLACEMENT CHARACTER}", "n": 1},
    )


async def test_a_reply_without_end_is_cut_and_says_so() -> None:
    model = texts(*["ten chars."] * 1000)
    text, shown = await read(model, most_tokens=10)
    assert text == shown
    assert text.endswith(CUT_NOTE)
    assert len(text) <= 10 * CHARACTERS_A_TOKEN + 10 + len(CUT_NOTE)
    assert model.closed
    assert model.sent < 20


async def test_a_reply_of_its_full_length_is_not_cut() -> None:
    text, _ = await read(texts("x" * 10 * CHARACTERS_A_TOKEN), most_tokens=10)
    assert text == "x" * 10 * CHARACTERS_A_TOKEN


async def test_a_tool_call_without_end_is_not_run() -> None:
    part: Any = {"name": "f", "args": "[" * 50, "id": "c1", "index": 0}
    model = Scripted([AIMessageChunk(content="", tool_call_chunks=[part])] * 1000)
    with pytest.raises(BrokenReply):
        await ReplyReader(RecordingSink(), "m1", most_tokens=10).read(model, [], with_tools=True, taken_ids=set())
    assert model.sent < 10
