"""What a token costs: chunks of a stream are read as they are, those that came together at once, and none is kept."""

import gc
import itertools
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessageChunk
from openai._streaming import SSEDecoder
from openai.types.chat import ChatCompletionChunk

from server.adapters.model.openai import openai_chat
from server.adapters.model.plain_stream import EventDecoder, is_text
from server.adapters.model.stream_pace import LONGEST_PAUSE_S, READS_PER_S, READS_PER_S_LATE, TIMES_LATE, StreamPace
from tests.soak.speaking import Script, speaking_endpoint


async def test_no_object_of_the_sdk_is_built_of_a_token(monkeypatch: pytest.MonkeyPatch) -> None:
    def built(*_: Any, **__: Any) -> None:
        raise AssertionError("a chunk was built")

    monkeypatch.setattr(ChatCompletionChunk, "construct", built)
    script = Script("anna", words=3, every_ms=0.1, looks=0)
    async with speaking_endpoint() as endpoint:
        chat = openai_chat(model="fake", base_url=endpoint.base_url, api_key="none")
        text = "".join([chunk.text async for chunk in chat.astream(script.prompt)])
    assert [text] == script.texts


async def test_no_chunk_of_an_answer_is_kept_until_its_end() -> None:
    script = Script("anna", words=400, every_ms=0, looks=0)
    async with speaking_endpoint() as endpoint:
        chat = openai_chat(model="fake", base_url=endpoint.base_url, api_key="none")
        most = 0
        async for chunk in chat.bind_tools([]).astream(script.prompt):
            if chunk.usage_metadata:
                most = sum(isinstance(one, AIMessageChunk) for one in gc.get_objects())
    assert 0 < most < 20


def chunk(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    return {"id": "c", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


TOOL = [{"index": 0, "id": "t", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
OTHERS: list[Any] = [
    chunk(role="assistant", content=None),
    chunk(content="a", tool_calls=TOOL),
    chunk(content="a", reasoning_content="hm"),
    chunk(content="a", refusal="no"),
    chunk("stop", content="end"),
    chunk("stop"),
    {"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}},
    {"choices": [{"index": 1, "delta": {"content": "second"}, "finish_reason": None}]},
    {"choices": [{"index": 0, "delta": {"content": "a"}, "finish_reason": None, "logprobs": {"content": []}}]},
    {"choices": [{"index": 0, "delta": {"content": "a"}, "finish_reason": None}], "prompt_progress": {"total": 1}},
    {"error": {"message": "no"}},
    "no object",
    None,
]
CHUNKS = st.one_of(
    st.builds(lambda text: chunk(content=text), st.text(max_size=3)),
    st.builds(lambda text: chunk(role="assistant", content=text, tool_calls=None), st.text(max_size=3)),
    st.sampled_from(OTHERS),
)


async def events_of(decoder: Any, parts: list[bytes]) -> list[Any]:
    """What the SDK reads of a stream: the chunks, and where it stops an error's type."""
    found: list[Any] = []

    async def received() -> AsyncIterator[bytes]:
        for part in parts:
            yield part

    try:
        if isinstance(decoder, EventDecoder):
            found += [one.json() for part in parts for one in decoder.decode(part)]
        else:
            found += [one.json() async for one in decoder.aiter_bytes(received())]
    except ValueError as error:
        found.append(type(error).__name__)
    return found


EVENTS = st.one_of(
    CHUNKS.map(lambda one: b"data: " + json.dumps(one).encode()),
    CHUNKS.map(lambda one: b"data:" + json.dumps(one, ensure_ascii=False).encode()),
    CHUNKS.map(lambda one: b"event: chunk\nid: 1\ndata: " + json.dumps(one).encode()),
    CHUNKS.map(lambda one: b"data: " + json.dumps(one, indent=1).replace("\n", "\ndata: ").encode()),
    st.sampled_from(
        [b": alive", b"", b"\n", b"retry: 5", b"data: {no json", b'data: {"half": "\\ud83d"}', b"data: \xff"]
    ),
)


@given(
    st.lists(EVENTS, max_size=12), st.lists(st.integers(0, 600), max_size=6), st.sampled_from([b"\n", b"\r\n", b"\r"])
)
async def test_joining_changes_nothing_but_the_number_of_pieces(
    events: list[bytes], cuts: list[int], line_end: bytes
) -> None:
    sent = b"".join(event + b"\n\n" for event in events).replace(b"\n", line_end)
    places = sorted({0, len(sent), *(min(cut, len(sent)) for cut in cuts)})
    parts = [sent[a:b] for a, b in itertools.pairwise(places)]
    ours, theirs = await events_of(EventDecoder(SSEDecoder()), parts), await events_of(SSEDecoder(), parts)
    assert said(ours) == said(theirs)


def said(chunks: list[Any]) -> list[Any]:
    """The chunks, the text of those that follow each other in one."""
    found: list[Any] = []
    for one in chunks:
        if is_text(one):
            text = one["choices"][0]["delta"]["content"]
            found = [*found[:-1], found[-1] + text] if found and isinstance(found[-1], str) else [*found, text]
        else:
            found.append([one])
    return found


@pytest.mark.parametrize("other", OTHERS)
def test_what_is_more_than_text_is_not_joined(other: Any) -> None:
    assert not is_text(other)


def test_pieces_that_came_together_are_one() -> None:
    sent = b"".join(b"data: " + json.dumps(chunk(content=text)).encode() + b"\n\n" for text in ("It ", "is ", "it."))
    decoder = EventDecoder(SSEDecoder())
    assert [one.json() for one in decoder.decode(sent[:-1])] == [chunk(content="It is ")]
    assert [one.json() for one in decoder.decode(sent[-1:])] == [chunk(content="it.")]


def test_each_answer_is_read_the_less_often_the_more_there_are() -> None:
    pace = StreamPace()
    with pace.one_more(), pace.one_more():
        assert pace.pause_s == 2 / READS_PER_S
    assert pace.answers == 0
    pace.answers = 10_000
    assert pace.pause_s == LONGEST_PAUSE_S


async def test_a_process_that_is_late_reads_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = ManualSeconds(late=0.02)
    monkeypatch.setattr("server.adapters.model.stream_pace.asyncio.sleep", clock.sleep)
    monkeypatch.setattr("server.adapters.model.stream_pace.time.monotonic", lambda: clock.now)
    pace = StreamPace(answers=30)
    for _ in range(60):
        await pace.pause()
    assert pace.late_s == pytest.approx(0.02, rel=0.01)
    assert pace.pause_s == pytest.approx(TIMES_LATE * 0.02, rel=0.01)
    pace.answers = 1
    assert pace.pause_s == 1 / READS_PER_S_LATE
    pace.answers, clock.late = 30, 0.0
    for _ in range(60):
        await pace.pause()
    assert pace.pause_s == 30 / READS_PER_S


class ManualSeconds:
    """A clock on which every pause lasts longer than it was asked to."""

    def __init__(self, late: float) -> None:
        self.now = 0.0
        self.late = late

    async def sleep(self, seconds: float) -> None:
        self.now += seconds + self.late
