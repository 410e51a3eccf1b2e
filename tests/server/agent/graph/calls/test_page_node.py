"""The node that waits for the page: what an answer becomes, and what is none of its form."""

from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from server.agent.turn import PageAnswer, WaitsForPage
from server.protocol.events import ToolError, ToolResult
from server.protocol.mounted import MountedTool
from server.protocol.wire_values import ViewerState
from tests.openai_endpoint import Reply, openai_endpoint
from tests.server.agent.turns import Stage, endpoint_models, stage

ANSWERING = ViewerState(mounted_tools=tuple(MountedTool(name=name, version=1) for name in ("navigate", "ask_person")))
ASKING = ("ask_person", '{"question": "which?", "choices": ["a", "b"]}')
MOVING = ("navigate", '{"action": "highlight", "pattern": "draw"}')
TURN = "11111111-1111-1111-1111-111111111111"


async def played(results: list[dict[str, Any]], *calls: tuple[str, str]) -> tuple[list[str], list[Stage], list[Any]]:
    """A turn whose page answers so, an attempt each; what it asked, its attempts, what the model read in the end."""
    saver, asked, attempts = InMemorySaver(), [], []
    async with openai_endpoint(Reply(text="Look.", calls=calls), Reply(text="Done.")) as endpoint:
        answer = None
        for attempt in range(1, len(results) + 2):
            scene = stage(
                endpoint_models(endpoint.base_url),
                checkpoints=lambda: saver,
                viewer=ANSWERING,
                turn_id=TURN,
                attempt=attempt,
                page_answer=answer,
            )
            attempts.append(scene)
            try:
                await scene.agent.answer(scene.turn, scene.sink)
            except WaitsForPage as waits:
                asked.append(waits.question.tool_name)
                answer = PageAnswer(waits.question.interrupt_id, results[attempt - 1])
        return asked, attempts, [one for one in endpoint.requests[-1]["messages"] if one["role"] == "tool"]


async def test_calls_wait_one_after_the_other_and_others_of_the_round_run_once() -> None:
    answers: list[dict[str, Any]] = [{"status": "not_shown", "problem": "gone"}, {"status": "answered", "answer": "b"}]
    asked, attempts, read = await played(answers, ("get_top_functions", "{}"), MOVING, ASKING)
    assert asked == ["navigate", "ask_person"]
    results = [[e.tool_name for e in one.sink.events if isinstance(e, ToolResult)] for one in attempts]
    assert results == [["get_top_functions"], ["navigate"], ["ask_person"]]
    assert [one["content"][:3] for one in read] == ["q1:", "q2:", "q3:"]
    assert 'the viewer did not go there: "gone"' in read[1]["content"]


async def test_a_later_attempt_without_an_answer_asks_the_same_again() -> None:
    first, second = await played([{"status": "declined"}], ASKING), await played([{"status": "declined"}], ASKING)
    assert first[0] == second[0] == ["ask_person"]
    assert [one["content"] for one in first[2]] == ["q1: the person does not want to answer: go on without it"]


@pytest.mark.parametrize("result", [{"status": "answered"}, {"status": "shown", "secret": "x"}, {}])
async def test_a_result_that_does_not_fit_is_never_passed(result: dict[str, Any]) -> None:
    _, attempts, read = await played([result], ASKING)
    (failed,) = [event for event in attempts[-1].sink.events if isinstance(event, ToolError)]
    assert failed.code == "redaction_failed"
    assert "secret" not in read[0]["content"]


async def test_nobody_there_goes_on() -> None:
    _, _, read = await played([{"status": "nobody_there"}], MOVING)
    assert read[0]["content"].startswith("q1: nobody_there: no page moved.")


async def test_an_answer_to_something_else_leaves_the_turn_waiting() -> None:
    saver = InMemorySaver()
    async with openai_endpoint(Reply(calls=(ASKING,)), Reply(text="Done.")) as endpoint:
        for attempt, answer in ((1, None), (2, PageAnswer("another", {"status": "declined"})), (3, None)):
            scene = stage(
                endpoint_models(endpoint.base_url),
                checkpoints=lambda: saver,
                viewer=ANSWERING,
                turn_id=TURN,
                attempt=attempt,
                page_answer=answer,
            )
            with pytest.raises(WaitsForPage):
                await scene.agent.answer(scene.turn, scene.sink)
        assert len(endpoint.requests) == 1
