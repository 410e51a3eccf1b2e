"""What a token costs: chunks of a stream are read as they are, those that came together at once, and none is kept."""

import copy
import gc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessageChunk
from openai.types.chat import ChatCompletionChunk

from server.adapters.model.openai import openai_chat
from server.adapters.model.plain_stream import _Arrived, is_text
from server.adapters.model.stream_pace import LONGEST_PAUSE_S, READS_PER_S, StreamPace
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


@given(st.lists(st.one_of(CHUNKS, st.just("take")), max_size=30))
async def test_joining_changes_nothing_but_the_number_of_pieces(steps: list[Any]) -> None:
    arrived, taken = _Arrived(), []
    came = [copy.deepcopy(one) for one in steps if one != "take"]
    waits = 0
    for step in steps:
        if step != "take":
            await arrived.add(copy.deepcopy(step))
            waits += 1
        elif waits:
            taken += await arrived.taken()
            waits = 0
    arrived.end()
    while more := await arrived.taken():
        taken += more
    assert said(taken) == said(came)


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


async def test_pieces_that_came_together_are_one() -> None:
    arrived = _Arrived()
    for text in ("It ", "is ", "it."):
        await arrived.add(chunk(content=text))
    assert await arrived.taken() == [chunk(content="It is it.")]


def test_each_answer_is_read_the_less_often_the_more_there_are() -> None:
    pace = StreamPace()
    with pace.one_more(), pace.one_more():
        assert pace.pause_s == 2 / READS_PER_S
    assert pace.answers == 0
    pace.answers = 10_000
    assert pace.pause_s == LONGEST_PAUSE_S
