"""Reasoning is never the answer: `<think>` parts in any pieces, and replies that end while the model reasons."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.agent.model_call.reasoning_text import ReasoningFilter
from server.errors import ModelFailed
from tests.openai_endpoint import Reply, openai_endpoint
from tests.server.agent.turns import endpoint_models, stage

REPLIES = [
    ("<think>Is it f?\n No.</think>\n\nIt is g.", "\n\nIt is g."),
    ("Is it f? No.\n</think>\n\nIt is g.", "\n\nIt is g."),
    ("<THINKING>a</THINKING>b<think>c</think>d", "bd"),
    (
        "It parses `<think>` and `</think>` tags, x < y, <b>t</b>",
        "It parses `<think>` and `</think>` tags, x < y, <b>t</b>",
    ),
    ("<think>never ends", ""),
    ("x < 3 and <thi", "x < 3 and <thi"),
    ("<think></think>", ""),
]


def answer_of(text: str, piece: int) -> str:
    reasoning, answer = ReasoningFilter(), ""
    for start in range(0, len(text), piece):
        more = reasoning.feed(text[start : start + piece])
        answer = more if reasoning.is_taken_back else answer + more
    return answer + reasoning.flush()


@pytest.mark.parametrize(("text", "answer"), REPLIES)
@pytest.mark.parametrize("piece", [1, 2, 5, 9, 200])
def test_what_is_left_is_the_answer_in_any_pieces(text: str, answer: str, piece: int) -> None:
    assert answer_of(text, piece) == answer


@given(st.text(alphabet="<>/`think \n"), st.integers(1, 30))
def test_pieces_change_nothing(text: str, piece: int) -> None:
    assert answer_of(text, piece) == answer_of(text, len(text) or 1)


@pytest.mark.parametrize(
    "before", ["<think>Maybe draw takes 999 ms.</think>\n\n", "Maybe draw takes 999 ms.\n</think>\n"]
)
async def test_people_read_the_answer_alone(before: str) -> None:
    async with openai_endpoint(Reply(text=f"{before}It is parse_json.")) as endpoint:
        scene = stage(endpoint_models(endpoint.base_url))
        answer = await scene.agent.answer(scene.turn, scene.sink)
    assert answer.text == scene.sink.text[answer.message_id] == "It is parse_json."
    assert answer.checks == () or all("999" not in check.claim for check in answer.checks)


async def test_a_reply_that_ends_while_the_model_reasons_names_the_setting() -> None:
    cut = Reply(text="<think>Let me see", finish_reason="length")
    async with openai_endpoint(*[cut] * 2) as endpoint:
        scene = stage(endpoint_models(endpoint.base_url))
        with pytest.raises(ModelFailed, match="FLAMECHAT_REASONING_TOKENS"):
            await scene.agent.answer(scene.turn, scene.sink)
    assert len(endpoint.requests) == 2


async def test_tool_calls_behind_reasoning_are_made() -> None:
    call = Reply(text="<think>Top first.</think>", calls=(("get_top_functions", "{}"),))
    async with openai_endpoint(call, replace(call, text="Done.", calls=())) as endpoint:
        scene = stage(endpoint_models(endpoint.base_url))
        answer = await scene.agent.answer(scene.turn, scene.sink)
    assert answer.text == "Done."
    assert "think" not in str(endpoint.requests[1]["messages"][2:])
