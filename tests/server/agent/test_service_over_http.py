"""The graph against a real HTTP endpoint that speaks OpenAI's protocol."""

import asyncio

import pytest

from server.errors import ModelFailed
from server.protocol.wire_values import ViewerState
from tests.fresh_port import port_where_nobody_listens
from tests.openai_endpoint import Fault, Reply, openai_endpoint
from tests.server.agent.turns import endpoint_models, stage

LOOKING = Reply(
    text="Let me look.",
    calls=(
        ("get_top_functions", '{"sort_by": "self", "limit": 5}'),
        ("generate_flamegraph_screenshot", '{"mode": "left_heavy"}'),
        ("get_call_tree", "{}"),
    ),
)
ANSWER = Reply(text="[`parse_json`](#f2) dominates with 60.0% (600 ms).\n\n  Indented, too.")


async def test_a_conversation_streams_text_runs_parallel_tools_and_shows_the_picture_in_exactly_one_request() -> None:
    async with openai_endpoint(LOOKING, Reply(calls=(("find_frames", '{"pattern": "parse"}'),)), ANSWER) as endpoint:
        scene = stage(endpoint_models(endpoint.base_url))
        answer = await scene.agent.answer(scene.turn, scene.sink)

    assert [len(endpoint.pictures(request)) for request in range(3)] == [0, 1, 0]
    assert endpoint.roles(1) == ["system", "user", "assistant", "tool", "tool", "tool", "user"]
    assert endpoint.roles(2) == ["system", "user", "assistant", "tool", "tool", "tool", "assistant", "tool"]
    assert endpoint.pictures(1) == list(scene.pictures.saved.values())
    assert answer.text == ANSWER.text
    assert scene.sink.text[answer.message_id] == ANSWER.text
    assert "Let me look." in scene.sink.text.values()
    assert endpoint.requests[0]["stream_options"] == {"include_usage": True}
    assert (answer.usage.model_calls, answer.usage.tool_calls) == (3, 4)
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (300, 60)
    assert {check.status for check in answer.checks} == {"verified"}
    assert [citation.handle for citation in answer.citations] == ["f2"]


async def test_events_begin_with_turn_started_and_every_tool_start_has_one_result() -> None:
    async with openai_endpoint(LOOKING, ANSWER) as endpoint:
        scene = stage(endpoint_models(endpoint.base_url))
        await scene.agent.answer(scene.turn, scene.sink)

    types = [event.type for event in scene.sink.events]
    assert types[0] == "turn_started"
    assert types.count("tool_start") == types.count("tool_result") == 3
    assert "session_title" in types
    assert "model_response_end" not in types, "the end belongs to the caller, who stores first"
    drawn = next(event for event in scene.sink.of("tool_result") if event.type == "tool_result" and event.image_url)
    assert drawn.image_url in {f"/pictures/{call}.png" for call in scene.pictures.saved}


async def test_text_goes_out_while_the_model_is_still_speaking() -> None:
    gate = asyncio.Event()
    async with openai_endpoint(Reply(text="first words, then the rest", gate=gate)) as endpoint:
        scene = stage(endpoint_models(endpoint.base_url))
        running = asyncio.create_task(scene.agent.answer(scene.turn, scene.sink))
        async with asyncio.timeout(60):
            while not scene.sink.text:
                await asyncio.sleep(0)
        assert not running.done()
        assert list(scene.sink.text.values()) == ["first wor"]
        gate.set()
        await running


async def test_a_model_without_eyes_gets_the_description_and_no_picture() -> None:
    async with openai_endpoint(LOOKING, ANSWER) as endpoint:
        scene = stage(endpoint_models(endpoint.base_url, sees_pictures=False))
        await scene.agent.answer(scene.turn, scene.sink)

    assert endpoint.pictures(1) == []
    shown = next(message["content"] for message in endpoint.requests[1]["messages"] if "PNG" in str(message["content"]))
    assert "parse_json" in shown


async def test_an_endpoint_that_refuses_pictures_is_asked_again_without() -> None:
    refusal = Reply(status=400, body={"error": {"message": "image input is not supported", "code": None}})
    async with openai_endpoint(LOOKING, refusal, ANSWER) as endpoint:
        scene = stage(endpoint_models(endpoint.base_url))
        answer = await scene.agent.answer(scene.turn, scene.sink)

    assert [len(endpoint.pictures(request)) for request in range(3)] == [0, 1, 0]
    assert answer.text == ANSWER.text


async def test_at_most_the_two_newest_pictures_are_shown() -> None:
    three = Reply(calls=tuple(("generate_flamegraph_screenshot", f'{{"width": {width}}}') for width in (600, 700, 800)))
    async with openai_endpoint(three, ANSWER) as endpoint:
        scene = stage(endpoint_models(endpoint.base_url))
        await scene.agent.answer(scene.turn, scene.sink)

    assert endpoint.pictures(1) == [scene.pictures.saved["call_0_1"], scene.pictures.saved["call_0_2"]]


@pytest.mark.parametrize("fault", ["early_end", "drop", "error_event", "junk"])
async def test_a_broken_stream_is_taken_back_and_asked_for_once_more(fault: Fault) -> None:
    half = Reply(text="Half an ans", fault=fault)
    async with openai_endpoint(half, ANSWER) as endpoint:
        scene = stage(endpoint_models(endpoint.base_url))
        answer = await scene.agent.answer(scene.turn, scene.sink)

    assert scene.sink.text == {answer.message_id: ANSWER.text}
    assert len(scene.sink.of("model_text_reset")) == 1


async def test_a_stream_that_ends_inside_a_tool_call_does_not_run_it() -> None:
    half = Reply(text="Half an ans", calls=(("get_top_functions", '{"limit": 50}'),), fault="early_end")
    async with openai_endpoint(half, ANSWER) as endpoint:
        scene = stage(endpoint_models(endpoint.base_url))
        answer = await scene.agent.answer(scene.turn, scene.sink)

    assert scene.sink.text == {answer.message_id: ANSWER.text}
    assert scene.sink.of("tool_start") == []


async def test_a_call_cut_at_the_length_limit_does_not_run_its_tool() -> None:
    cut = Reply(calls=(("get_call_tree", '{"root": "f2"}'),), finish_reason="length")
    async with openai_endpoint(cut, cut) as endpoint:
        scene = stage(endpoint_models(endpoint.base_url))
        with pytest.raises(ModelFailed, match="cut inside a tool call") as failed:
            await scene.agent.answer(scene.turn, scene.sink)

    assert failed.value.retryable
    assert len(endpoint.requests) == 2
    assert scene.sink.of("tool_start") == []


async def test_an_answer_cut_at_the_length_limit_says_so() -> None:
    async with openai_endpoint(Reply(text="It is parse_json, be", finish_reason="length")) as endpoint:
        scene = stage(endpoint_models(endpoint.base_url))
        answer = await scene.agent.answer(scene.turn, scene.sink)

    assert answer.text.startswith("It is parse_json, be")
    assert "length limit" in answer.text
    assert scene.sink.text[answer.message_id] == answer.text


@pytest.mark.parametrize(
    ("reply", "code", "retryable", "words"),
    [
        (Reply(status=401), "model_key_refused", False, "OPENAI_API_KEY"),
        (Reply(status=404), "model_not_found", False, "FLAMECHAT_MODEL"),
        (Reply(status=429, headers={"x-should-retry": "false"}), "model_rate_limited", True, "moment"),
        (
            Reply(
                status=429,
                headers={"x-should-retry": "false"},
                body={"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}},
            ),
            "model_quota",
            False,
            "credit",
        ),
        (
            Reply(status=400, body={"error": {"message": "too many tokens", "code": "context_length_exceeded"}}),
            "context_too_long",
            False,
            "new one",
        ),
        (Reply(status=503, headers={"x-should-retry": "false"}), "model_failed", True, "503"),
    ],
)
async def test_a_refusal_of_the_provider_says_what_to_do(
    reply: Reply, code: str, *, retryable: bool, words: str
) -> None:
    async with openai_endpoint(reply) as endpoint:
        scene = stage(endpoint_models(endpoint.base_url))
        with pytest.raises(ModelFailed, match=words) as failed:
            await scene.agent.answer(scene.turn, scene.sink)

    assert (failed.value.code, failed.value.retryable) == (code, retryable)
    assert "sk-test" not in str(failed.value)


async def test_a_server_error_before_the_first_byte_is_retried_by_the_client() -> None:
    async with openai_endpoint(Reply(status=500, headers={"retry-after-ms": "1"}), ANSWER) as endpoint:
        scene = stage(endpoint_models(endpoint.base_url))
        answer = await scene.agent.answer(scene.turn, scene.sink)

    assert answer.text == ANSWER.text
    assert scene.sink.of("model_text_reset") == []


async def test_an_endpoint_that_is_not_there_is_named() -> None:
    with port_where_nobody_listens() as port:
        gone = f"http://127.0.0.1:{port}/v1"
        scene = stage(endpoint_models(gone))
        with pytest.raises(ModelFailed, match=gone) as failed:
            await scene.agent.answer(scene.turn, scene.sink)
    assert failed.value.code == "model_unreachable"


async def test_a_cancelled_turn_hangs_up_on_the_provider() -> None:
    async with openai_endpoint(Reply(text="endless words " * 3, fault="hang")) as endpoint:
        scene = stage(endpoint_models(endpoint.base_url))
        running = asyncio.create_task(scene.agent.answer(scene.turn, scene.sink))
        async with asyncio.timeout(60):
            while not scene.sink.text:
                await asyncio.sleep(0)
        running.cancel()
        await asyncio.wait({running}, timeout=10)
        assert running.cancelled(), "a cancel that meets a chunk is not lost"
        async with asyncio.timeout(60):
            await endpoint.left.wait()

    assert endpoint.disconnects == 1


async def test_bad_tool_calls_are_answered_with_the_nearest_valid_ones_and_the_turn_goes_on() -> None:
    bad = Reply(
        calls=(
            ("get_top_function", "{}"),
            ("get_top_functions", '{"sortby": "self"}'),
            ("get_callers_callees", '{"frame": "parse_jsn"}'),
            ("get_call_tree", '["not an object"]'),
        )
    )
    async with openai_endpoint(bad, ANSWER) as endpoint:
        scene = stage(endpoint_models(endpoint.base_url))
        await scene.agent.answer(scene.turn, scene.sink)

    results = [message["content"] for message in endpoint.requests[1]["messages"] if message["role"] == "tool"]
    assert "get_top_functions" in results[0]
    assert "sort_by" in results[1]
    assert 'f2 "parse_json"' in results[2]
    assert "not a JSON object" in results[3]
    assert [event.type for event in scene.sink.events].count("tool_error") == 4


async def test_the_viewer_tool_is_offered_only_while_the_viewer_is_on_the_page() -> None:
    move = Reply(calls=(("show_in_viewer", '{"handle": "parse_json", "view": "sandwich"}'),))
    async with openai_endpoint(move, ANSWER, ANSWER) as endpoint:
        scene = stage(endpoint_models(endpoint.base_url), viewer=ViewerState(mounted_tools=("show_in_viewer",)))
        await scene.agent.answer(scene.turn, scene.sink)
        without = stage(endpoint_models(endpoint.base_url))
        await without.agent.answer(without.turn, without.sink)

    offered = [[tool["function"]["name"] for tool in request["tools"]] for request in endpoint.requests]
    assert "show_in_viewer" in offered[0]
    assert "show_in_viewer" not in offered[2]
    action = scene.sink.of("viewer_action")[0]
    assert action.model_dump(include={"action", "handle", "view"}) == {
        "action": "show",
        "handle": "f2",
        "view": "sandwich",
    }
