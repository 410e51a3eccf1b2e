"""Next questions fit the trace and the conversation."""

from typing import Any

import pytest
from langchain_core.messages import ToolMessage

from server.agent.first_question import first_question
from server.agent.graph.follow_ups import TITLE_CHARACTERS, suggestions, title_of
from traces.values import Unit


@pytest.mark.parametrize(
    ("unit", "question"),
    [
        (Unit.NANOSECONDS, "Why is this slow?"),
        (Unit.BYTES, "Where does the memory go?"),
        (Unit.COUNT, "What takes the most?"),
    ],
)
def test_the_first_question_fits_the_unit(unit: Unit, question: str) -> None:
    assert first_question(unit) == question
    assert question in suggestions([], "", unit=unit, asked=[])


@pytest.mark.parametrize("asked", ["Why is this slow?", "why is this slow", "  WHY is this slow??"])
def test_what_was_asked_is_not_offered_again(asked: str) -> None:
    assert "Why is this slow?" not in suggestions([], "", unit="nanoseconds", asked=["another", asked])


def test_a_finding_in_a_heap_does_not_ask_for_time() -> None:
    row = {"severity": "high", "questions": ["Why is this slow?", "Who calls the hottest function?"]}
    call = {"tool": "get_insights", "arguments": {}, "data": {"insights": [row]}}
    listed = [ToolMessage("", tool_call_id="1", artifact=call)]
    assert suggestions(listed, "", unit="bytes", asked=[])[0] == "Where does the memory go?"
    assert suggestions(listed, "", unit="nanoseconds", asked=[])[0] == "Why is this slow?"


def test_a_heap_is_not_asked_for_time() -> None:
    offered = " ".join(suggestions([], "", unit="bytes", asked=["What are the top 10 functions?"]))
    assert not {"slow", "busy", "time"} & set(offered.replace("?", "").split())


def called(tool: str, data: dict[str, Any], **arguments: Any) -> ToolMessage:
    return ToolMessage("", tool_call_id="1", artifact={"tool": tool, "arguments": arguments, "data": data})


def ranking(*names: str, **arguments: Any) -> ToolMessage:
    rows = [{"name": name, "self_value": 100 - place} for place, name in enumerate(names)]
    return called("get_top_functions", {"rows": rows}, **arguments)


def offered(*messages: ToolMessage, answer: str = "", asked: list[str] | None = None) -> list[str]:
    return suggestions(list(messages), answer, unit="nanoseconds", asked=asked or [])


@pytest.mark.parametrize("name", ["(program)", "[kernel]", "<module>"])
def test_the_heaviest_function_is_asked_about_and_what_is_none_is_not(name: str) -> None:
    assert offered(ranking(name, "read"))[0] == "Who calls `read`?"
    assert "Show me `read` in the flame chart" in offered(ranking(name, "read"))
    assert not [question for question in offered(ranking(name)) if name in question]


def test_a_function_whose_callers_were_looked_at_is_not_asked_about_again() -> None:
    around = called("get_callers_callees", {"frame": {"name": "read"}})
    assert offered(ranking("read", "draw"), around)[0] == "Who calls `draw`?"


def test_a_ranking_by_another_value_names_nothing() -> None:
    assert "Who calls `read`?" not in offered(ranking("read", value="allocations"))


def test_what_a_tool_has_answered_is_not_offered_and_at_most_three_are() -> None:
    drawn = called("generate_sandwich_flamegraph_screenshot", {})
    assert offered(drawn)[0] == "What are the top 10 functions?"
    everything = [
        ranking(),
        called("get_call_tree", {}),
        called("list_profiles", {"profiles": [1, 2]}),
    ]
    assert offered(*everything, answer="Garbage collection takes 1%.") == ["What can this trace not answer?"]
    assert len(offered()) == 3


def test_of_one_profile_nobody_asks_which_threads_are_busy() -> None:
    known = [ranking(), called("get_call_tree", {})]
    one = called("get_trace_summary", {"profiles": [1]})
    several = called("get_trace_summary", {"profiles": [1, 2]})
    assert "Which threads are busy?" in offered(*known, several)
    assert "Which threads are busy?" not in offered(*known, one)


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        ("Who calls   read\nnow?", "Who calls read now?"),
        ("Why is this slow?", "shop.json: Why is this slow?"),
        ("analyze the trace, please!", "shop.json: analyze the trace, please!"),
        ("Why is the parser slow?", "Why is the parser slow?"),
    ],
)
def test_a_title_is_the_prompt_unless_that_fits_any_trace(prompt: str, title: str) -> None:
    assert title_of(prompt, "shop.json") == title


def test_a_long_title_is_cut_at_a_word() -> None:
    title = title_of("parse " * 30, "shop.json")
    assert title == "parse parse parse parse parse parse parse parse parse…"
    without_spaces = title_of("x" * 200, "shop.json")
    assert len(without_spaces) == TITLE_CHARACTERS
    assert without_spaces.endswith("x…")
    exactly = "y" * TITLE_CHARACTERS
    assert title_of(exactly, "shop.json") == exactly
