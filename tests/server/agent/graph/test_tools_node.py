"""The node that runs tools: what it answers to calls that it does not run."""

from server.testing.scripted import Line, ScriptedChat, ScriptedModels
from tests.server.agent.turns import stage


async def test_arguments_that_are_no_object_are_answered_with_that_and_the_turn_goes_on() -> None:
    call = Line(calls=(("get_top_functions", '["self"]'),), finish_reason="tool_calls")
    chat = ScriptedChat(lines=[call, Line(text="Nothing.")])
    scene = stage(ScriptedModels(chat))
    answer = await scene.agent.answer(scene.turn, scene.sink)
    assert answer.text == "Nothing."
    assert "the arguments are not a JSON object: '[\"self\"]'" in chat.requests[1].messages[-1].text
