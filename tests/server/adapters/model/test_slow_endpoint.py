"""A model that still reads a long prompt and one that is gone end differently."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta

import pytest
from langchain_core.messages import HumanMessage

from server.adapters.model import openai
from server.adapters.model.choice import ChosenModels, ModelChoice
from server.adapters.model.openai import openai_chat
from server.adapters.model.patience import Patience
from server.agent.model_call.offered_models import ANALYST
from server.errors import ModelFailed
from server.protocol.events import ModelReading
from server.protocol.wire_values import ViewerState, Window
from tests.openai_endpoint import Endpoint, Reply, openai_endpoint
from tests.server.agent.model_call.test_message_history import turn_rows
from tests.server.agent.turns import RecordingSink, Stage, stage

SHORT = Patience(first_s=0.2, silence_s=30, retries=0, longest_pause_s=0)
ANSWER = Reply(text="It is parse_json.")


def staged(endpoint: Endpoint, patience: Patience, fallbacks: tuple[str, ...] = ()) -> Stage:
    choice = ModelChoice(base_url=endpoint.base_url, model="slow", patience=patience, fallbacks=fallbacks)
    return stage(ChosenModels(choice))


def test_a_prompt_that_was_not_read_before_has_the_longer_time() -> None:
    patience = Patience(first_s=120, reading_s=480)
    assert patience.before_first(was_read=False) == 480
    assert patience.before_first(was_read=True) == 120
    assert Patience(first_s=120).before_first(was_read=False) == 120
    assert Patience(first_s=600, reading_s=480).before_first(was_read=False) == 600


async def test_only_the_first_request_of_a_prompt_has_the_longer_time() -> None:
    async with openai_endpoint(ANSWER, Reply(fault="mute")) as endpoint:
        scene = staged(endpoint, replace(SHORT, reading_s=30))
        first = await scene.agent.answer(scene.turn, scene.sink)
        with pytest.raises(ModelFailed, match=r"has not begun its answer within 0\.2 s") as failed:
            await scene.agent.answer(scene.turn, scene.sink)
    assert first.text == ANSWER.text
    assert failed.value.code == "model_timeout"


async def test_one_that_is_there_is_said_to_be_reading() -> None:
    async with openai_endpoint(Reply(fault="mute")) as endpoint:
        scene = staged(endpoint, SHORT)
        with pytest.raises(ModelFailed, match=r"may still be reading.*FLAMECHAT_MODEL_READING_SECONDS"):
            await scene.agent.answer(scene.turn, scene.sink)


async def test_the_analyst_says_that_the_model_was_slow_and_not_that_it_is_gone() -> None:
    async with openai_endpoint(Reply(fault="mute")) as endpoint:
        scene = staged(endpoint, SHORT, (ANALYST,))
        answer = await scene.agent.answer(scene.turn, scene.sink)
    assert answer.text.startswith("*The language model has not begun its answer in time. The built-in analyst")
    assert "cannot be reached" not in answer.text


async def test_the_system_prompt_stays_the_same_while_the_person_looks_around() -> None:
    async with openai_endpoint(ANSWER, ANSWER) as endpoint:
        scene = staged(endpoint, replace(SHORT, first_s=30))
        seen = ViewerState(view="time_order", profile="p0", window=Window(start=2e8, end=5e8))
        await scene.agent.answer(scene.turn, scene.sink)
        await scene.agent.answer(replace(scene.turn, viewer=seen), RecordingSink())
    first, second = (request["messages"] for request in endpoint.requests)
    assert first[0] == second[0]
    assert "start_time_ms=200" in second[-1]["content"]


async def test_a_follow_up_begins_with_all_that_was_sent_before() -> None:
    """Up to the prompt, around which stands what is of the moment: tools, system prompt with its summary, history."""
    async with openai_endpoint(ANSWER, ANSWER) as endpoint:
        scene = staged(endpoint, replace(SHORT, first_s=30))
        before = tuple(turn_rows("t0", answer="It is parse_json.", results=1))
        after = (*before, *turn_rows("t1", answer="By main.", results=2))
        await scene.agent.answer(replace(scene.turn, history=before), scene.sink)
        later = replace(scene.turn, history=after, local_time=scene.turn.local_time + timedelta(hours=3))
        await scene.agent.answer(later, RecordingSink())
    first, second = endpoint.requests
    assert json.dumps(first["tools"]) == json.dumps(second["tools"])
    earlier = first["messages"][:-1]
    assert len(earlier) > 2
    assert json.dumps(second["messages"][: len(earlier)]) == json.dumps(earlier)
    assert "The trace" in earlier[0]["content"]


async def test_one_that_is_gone_is_not_said_to_be_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai, "ALIVE_S", 0.2)
    async with openai_endpoint(Reply(fault="mute"), of_itself={"/v1/models": None}) as endpoint:
        chat = openai_chat(model="m", base_url=endpoint.base_url, api_key=None, patience=SHORT)
        with pytest.raises(ModelFailed, match="did not answer in time") as failed:
            async for _ in chat.astream([HumanMessage("hi")]):
                pass
    assert failed.value.code == "model_timeout"
    assert "reading" not in str(failed.value)


LLAMA = {"/v1/models": {"object": "list", "data": [{"id": "slow", "owned_by": "llamacpp", "meta": {"n_ctx": 32_768}}]}}


async def test_a_model_that_says_how_much_it_has_read_is_asked_and_people_see_it() -> None:
    async with openai_endpoint(replace(ANSWER, reading=(0, 1_200, 4_870)), of_itself=LLAMA) as endpoint:
        scene = staged(endpoint, SHORT)
        answer = await scene.agent.answer(scene.turn, scene.sink)
    assert endpoint.requests[0]["return_progress"] is True
    shown = [event for event in scene.sink.events if isinstance(event, ModelReading)]
    assert [(event.tokens_read, event.tokens_in_all) for event in shown] == [(0, 4_870), (1_200, 4_870), (4_870, 4_870)]
    assert answer.text == ANSWER.text


async def test_where_a_setting_has_the_context_the_endpoint_is_asked_once_what_it_is() -> None:
    async with openai_endpoint(replace(ANSWER, reading=(7,)), ANSWER, of_itself=LLAMA) as endpoint:
        choice = ModelChoice(base_url=endpoint.base_url, model="slow", patience=SHORT, context=32_768)
        scene = stage(ChosenModels(choice))
        await scene.agent.answer(scene.turn, scene.sink)
        await scene.agent.answer(scene.turn, RecordingSink())
    assert [request.get("return_progress") for request in endpoint.requests] == [True, True]
    assert len(endpoint.asked_of_itself) == 1


async def test_other_endpoints_are_not_sent_a_field_that_they_may_refuse() -> None:
    async with openai_endpoint(ANSWER) as endpoint:
        scene = staged(endpoint, SHORT)
        await scene.agent.answer(scene.turn, scene.sink)
    assert "return_progress" not in endpoint.requests[0]


async def test_of_many_reports_a_few_dozen_are_shown() -> None:
    async with openai_endpoint(replace(ANSWER, reading=tuple(range(0, 4_001, 10))), of_itself=LLAMA) as endpoint:
        scene = staged(endpoint, SHORT)
        await scene.agent.answer(scene.turn, scene.sink)
    shown = [event.tokens_read for event in scene.sink.events if isinstance(event, ModelReading)]
    assert (len(shown), shown[0], shown[-1]) == (41, 0, 4_000)


async def waited(reports: list[int | None], monkeypatch: pytest.MonkeyPatch) -> int:
    """How many of these reports (None: text) come, each 0.15 s after the other, by a clock that is set by hand."""
    now = [0.0]
    monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: now[0])

    async def chunks() -> AsyncIterator[int | None]:
        for report in reports:
            now[0] += 0.15
            await asyncio.sleep(0)  # a timer that is due runs now
            await asyncio.sleep(0)
            yield report

    count = 0
    patience = Patience(first_s=0.2, reading_s=0.2, silence_s=0.4)
    try:
        async for _ in patience.in_time(chunks(), was_read=False, tokens_read=lambda report: report):
            count += 1
    except TimeoutError:
        return count
    return count


async def test_who_reads_on_is_waited_for_anew_and_who_does_not_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    assert await waited([0, 100, 200, 300, 400, None, None], monkeypatch) == 7
    assert await waited([0, 100, 100, 100, 100, None], monkeypatch) == 3
    assert await waited([None, 100, 100, None], monkeypatch) == 4, "once it speaks, only silence counts"


def test_the_connection_is_kept_for_as_long_as_a_first_reading_may_take() -> None:
    chat = openai_chat(model="m", base_url="http://127.0.0.1:9/v1", api_key=None, patience=Patience(reading_s=480))
    assert isinstance(chat.request_timeout, tuple)
    assert chat.request_timeout[1] > 480
