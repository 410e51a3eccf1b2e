"""An answer too much of which the trace contradicts is asked for once more."""

from server.agent.bounds import AgentBounds
from server.errors import ModelFailed
from server.testing.scripted import Line, ScriptedChat, ScriptedModels
from tests.server.agent.turns import Stage, stage

LOOK = Line(calls=(("get_top_functions", "{}"),), finish_reason="tool_calls")
WRONG = Line(text="`parse_json` takes 73%, 912 ms of it in `XmlReader.readAll`.")
RIGHT = Line(text="`parse_json` takes 60%, 600 ms.")


async def answered(*lines: Line, bounds: AgentBounds | None = None) -> tuple[str, Stage, ScriptedChat]:
    chat = ScriptedChat(lines=[LOOK, *lines])
    scene = stage(ScriptedModels(chat), bounds=bounds)
    answer = await scene.agent.answer(scene.turn, scene.sink)
    assert scene.sink.text[answer.message_id] == answer.text, "what is shown is what is kept"
    return answer.text, scene, chat


async def test_the_model_learns_which_claims_and_writes_its_answer_again_in_its_place() -> None:
    text, scene, chat = await answered(WRONG, RIGHT)
    assert text == RIGHT.text
    request = chat.requests[2].messages[-1].text
    assert '- percentage "73%"' in request
    assert '- name "XmlReader.readAll"' in request
    assert 'the trace says "self share 60.0%, total share 60.0%"' in request
    assert "parse_json" not in request
    assert chat.requests[2].tools == []
    assert len(scene.sink.of("model_text_reset")) == 1


async def test_it_has_one_chance() -> None:
    text, _, chat = await answered(WRONG, WRONG, RIGHT)
    assert text == WRONG.text
    assert len(chat.requests) == 3


async def test_an_answer_that_holds_is_left_alone() -> None:
    _, scene, chat = await answered(RIGHT, WRONG)
    assert len(chat.requests) == 2
    assert scene.sink.of("model_text_reset") == []


async def test_one_slip_among_many_claims_is_marked_and_not_repaired() -> None:
    right = "\n".join(["- `parse_json` takes 60%, 600 ms", "- `draw` takes 25%, 250 ms"] * 4)
    slip = Line(text=f"{right}\n- `load` takes 3%.")
    text, _, chat = await answered(slip, RIGHT)
    assert text == slip.text
    assert len(chat.requests) == 2


async def test_how_much_may_be_missing_is_a_bound() -> None:
    text, _, _ = await answered(WRONG, RIGHT, bounds=AgentBounds(contradicted_share=1.0))
    assert text == WRONG.text


async def test_the_first_answer_stays_when_the_second_breaks() -> None:
    broken = Line(text="Instead ", error=ModelFailed("The provider is down.", code="model_failed", retryable=True))
    text, _, _ = await answered(WRONG, broken)
    assert text == WRONG.text
