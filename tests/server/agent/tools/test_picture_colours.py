"""Pictures of an answer are coloured as the person's chart is."""

from typing import get_args

import pytest

from rendering.flamegraph import render_flamegraph
from rendering.options import FlamegraphOptions, SandwichOptions
from rendering.palette import PaletteName
from rendering.sandwich import render_sandwich
from server.protocol.wire_values import Colours, ViewerState
from tests.server.agent.tool_context import ask_tool
from tests.server.agent.turns import small_trace
from tests.server.analyst.test_analyst_chat import asked


def test_what_a_page_may_name_is_what_pictures_have() -> None:
    assert get_args(Colours) == get_args(PaletteName)


@pytest.mark.parametrize("colours", ["file", "owner", "safe"])
async def test_a_picture_has_the_colours_of_the_chart(colours: Colours) -> None:
    trace = small_trace()
    drawn = render_flamegraph(trace, FlamegraphOptions(mode="left_heavy", handles=True, palette=colours, profile=0))
    flames = await ask_tool("generate_flamegraph_screenshot", {}, trace, colours=colours)
    assert flames.picture == drawn.png
    of_parse = render_sandwich(trace, 2, SandwichOptions(handles=True, palette=colours, profile=0))
    sandwich = await ask_tool("generate_sandwich_flamegraph_screenshot", {"frame": "f2"}, trace, colours=colours)
    assert sandwich.picture == of_parse.png


async def test_an_answer_is_drawn_in_the_colours_that_its_prompt_came_with() -> None:
    drawn = {}
    for colours in ("file", "owner"):
        _, scene = await asked("Why is this slow?", small_trace(), ViewerState(colours=colours))
        (drawn[colours],) = scene.pictures.saved.values()
        again = await ask_tool("generate_flamegraph_screenshot", {"mode": "left_heavy"}, small_trace(), colours=colours)
        assert drawn[colours] == again.picture
    assert drawn["file"] != drawn["owner"]
