"""The analyst says what is on screen where the page says it, and what takes the time there; else it answers as ever."""

import pytest

from server.adapters.model.choice import ChosenModels, ModelChoice
from server.analyst.on_screen import asks_what_is_on_screen
from server.protocol.mounted import MountedTool
from server.protocol.wire_values import ViewerState, Window
from tests.server.agent.turns import MS, stage

SHOWN = {
    "profile": "p0",
    "view": "time_order",
    "window": {"start": 0, "end": 500 * MS},
    "depth": 3,
    "boxes": [{"frame": "f2", "row": 2, "start": 0, "end": 600 * MS}],
    "selection": "f2",
}
SEEING = (MountedTool(name="read_view", version=1, context=SHOWN),)


async def answered(prompt: str, viewer: ViewerState) -> tuple[list[str], str, set[str]]:
    """The tools that were called, the answer, and how its figures were judged."""
    scene = stage(ChosenModels(ModelChoice()), viewer=viewer, prompt=prompt)
    answer = await scene.agent.answer(scene.turn, scene.sink)
    called = [event.tool_name for event in scene.sink.events if event.type == "tool_start"]
    return called, answer.text, {check.status for check in answer.checks if check.kind != "relation"}


async def test_what_the_page_shows_is_said_before_what_takes_the_time_there() -> None:
    viewer = ViewerState(view="time_order", profile="p0", window=Window(start=0, end=500 * MS), mounted_tools=SEEING)
    called, text, judged = await answered("What am I looking at?", viewer)
    assert called.count("read_view") == 1
    assert text.startswith("**Your chart shows time order of [`p0`](#p0)")
    assert "- [`parse_json`](#f2): [500 ms](#q1.c5) wide, [100.0%](#q1.c6) of what is shown" in text
    assert "leads by self time between" in text
    assert judged <= {"verified", "derived"}


async def test_of_all_of_the_axis_the_usual_answer_follows() -> None:
    called, text, _ = await answered("what's on my screen?", ViewerState(profile="p0", mounted_tools=SEEING))
    assert "read_view" in called
    assert "parse_json`](#f2) dominates" in text
    assert "not sure" not in text


async def test_where_the_page_says_nothing_the_question_is_answered_as_ever() -> None:
    called, text, _ = await answered("What am I looking at?", ViewerState())
    assert "read_view" not in called
    assert "dominates" in text


@pytest.mark.parametrize(
    ("prompt", "is_it"),
    [
        ("What am I looking at?", True),
        ("so what do i see here", True),
        ("Was sehe ich gerade?", True),
        ("what am i looking at performance wise", False),
        ("what thread am i looking at", False),
        ("what is shown in the sandwich view of draw", False),
    ],
)
def test_only_the_plain_question_asks_for_the_screen(prompt: str, is_it: bool) -> None:
    assert asks_what_is_on_screen(prompt) is is_it
