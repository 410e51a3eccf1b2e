"""Layouts that scripts forced are counted in the timeline, and found by who ran then."""

from dataclasses import replace
from pathlib import Path

import pytest

from server.analyst.evidence import Evidence, Result
from server.analyst.intent import Intent
from server.analyst.kinds.forced_layouts import FORCED, queries, written
from server.analyst.question import Question, alone
from server.analyst.understanding import understood
from tests.server.analyst.test_analyst_chat_everywhere import asked, read
from tests.server.analyst.test_spoken_topics import SPOKEN
from tests.server.analyst.written_answers import assert_answered, prompts_of

BOARD = "board.chrome-object.json.gz"


@pytest.mark.parametrize(
    ("prompt", "begins"),
    [
        ("how much layout is forced from js", "**Scripts forced 2,116 of 2,117 layouts (716 ms of 717 ms) and"),
        ("any forced reflow?", "**Yes. Scripts forced 2,116 of 2,117 layouts"),
    ],
)
async def test_forced_layouts_are_counted(fixtures: Path, prompt: str, begins: str) -> None:
    answer = await asked(prompt, read(fixtures, BOARD))
    assert answer.text.startswith(begins), answer.text
    assert "Scripts forced 2,116 of 2,117 layouts" in answer.text.partition("\n")[0]


def test_who_forced_it_is_first_where_that_is_asked() -> None:
    def rows(*columns: str) -> list[list[dict[str, object]]]:
        return [[{"column": one.partition("=")[0], "name": one.partition("=")[2]} for one in columns]]

    steps = rows("profile=p1", "name=Layout")
    steps[0] += [{"column": one, "value": 2} for one in ("runs", "forced")]
    steps[0] += [{"column": one, "value_ns": 4e6} for one in ("all_ms", "forced_ms")]
    who = rows("frame=f7", "name=tick")
    who[0].append({"column": "forced_ms", "value_ns": 4e6})
    first = Result("query_trace", {"sql": FORCED}, {"rows": steps}, "", failed=False)
    (call,) = queries(Evidence("who forces layout", {}, (first,)))
    evidence = Evidence("who forces layout", {}, (first, Result(call[0], call[1], {"rows": who}, "", failed=False)))
    (said,) = written(Question(intent=Intent.SUSPECT, text="who forces layout"), evidence)
    assert said.startswith("**[`tick`](#f7) (4.00 ms) forces the most of it**. Scripts forced 2 of 2 layouts"), said


async def test_what_is_no_page_is_not_asked_for_layouts(fixtures: Path) -> None:
    answer = await asked("any forced reflow?", read(fixtures, "redact-documents.viztracer.json.gz"))
    assert "Scripts forced" not in answer.text


def test_who_forces_it_goes_on_about_layout() -> None:
    found = understood("who forces it", {}, [], replace(SPOKEN, prompt="how much layout is forced"), ())
    assert (found.intent, found.handle, found.text) == (Intent.SUSPECT, None, "who forces forced layout")
    assert understood("who causes it", {}, [], replace(SPOKEN, prompt="how much is gc"), ()).text == "who causes it"


@pytest.mark.parametrize("prompt", ["lcp?", "inp?", "and cls, is it ok", "is there any layout shift", "what's the TBT"])
def test_a_figure_of_a_page_is_no_part_of_a_name(prompt: str) -> None:
    found = alone(prompt, {}, None)
    assert (found.intent, found.maybe, found.understood) == (Intent.PAGE, (), True)


@pytest.mark.parametrize(("module", "trace", "prompt"), prompts_of("forced_layouts"))
async def test_an_answer_is_as_it_is_written(module: str, trace: str, prompt: str) -> None:
    await assert_answered(module, trace, prompt)
