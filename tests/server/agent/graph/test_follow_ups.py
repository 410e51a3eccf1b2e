"""Next questions fit the trace and the conversation."""

import pytest
from langchain_core.messages import ToolMessage

from server.agent.first_question import first_question
from server.agent.graph.follow_ups import suggestions
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
