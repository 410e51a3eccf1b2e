"""The tools that a page mounts: which are known, what they are asked with, and which answers are taken."""

from typing import Any

import pytest
from pydantic import ValidationError

from server.protocol.mounted import (
    MAX_BOXES,
    MAX_CONTEXT_BYTES,
    VERSION,
    MountedTool,
    ShownView,
    answering_tools,
    ignored_tools,
    mounted_contexts,
    mounted_names,
    page_result,
    shown_view,
)

SHOWN: dict[str, Any] = {"profile": "p0", "view": "left_heavy", "window": {"start": 0, "end": 700}}
OFFERED = {"question": "Which?", "traces": [{"traceId": "t1", "name": "a", "created": "today"}]}


def tool(name: str, version: int = VERSION, **context: Any) -> MountedTool:
    return MountedTool(name=name, version=version, context=context or None)


def test_a_plain_name_mounts_what_a_page_obeys_and_a_version_what_it_answers() -> None:
    mounted = ("navigate", "ask_person", tool("ask_person"), tool("navigate", 2), tool("unknown"), "unknown")
    assert mounted_names(mounted) == {"navigate", "ask_person"}
    assert answering_tools(mounted) == {"ask_person"}
    assert ignored_tools(mounted) == ["ask_person", "navigate", "unknown"]


def test_the_first_version_is_the_one_that_is_known() -> None:
    assert mounted_names([MountedTool(name="navigate", version=1)]) == {"navigate"}
    assert mounted_names([MountedTool(name="navigate", version=2)]) == frozenset()


def test_a_tool_that_shows_without_an_answer_is_not_waited_for() -> None:
    mounted = (tool("read_view", **SHOWN), tool("set_filter"), tool("pick_trace"))
    assert answering_tools(mounted) == {"pick_trace"}


def test_what_is_on_screen_comes_with_the_tool_that_reads_it() -> None:
    view = shown_view(["navigate", tool("read_view", **SHOWN)])
    assert view is not None
    assert (view.profile, view.window.end, view.boxes) == ("p0", 700, ())
    assert shown_view(["navigate", tool("navigate", note="x")]) is None
    assert mounted_contexts([tool("navigate", note="x"), tool("ask_person"), "set_filter"]) == {
        "navigate": {"note": "x"}
    }
    assert mounted_contexts([tool("navigate", 2, note="x")]) == {}


@pytest.mark.parametrize(
    "context",
    [
        {"note": "x" * MAX_CONTEXT_BYTES},
        {"note": "é" * (MAX_CONTEXT_BYTES // 2)},
        SHOWN | {"profile": "main"},
        SHOWN | {"view": "round"},
        SHOWN | {"depth": -1},
    ],
)
def test_a_context_that_is_too_long_or_shows_nothing_is_refused(context: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        tool("read_view", **context)


def test_a_context_of_another_tool_or_version_is_only_bounded() -> None:
    assert tool("navigate", profile="main").context == {"profile": "main"}
    assert tool("read_view", 2, profile="main").context == {"profile": "main"}


def test_of_boxes_as_many_are_named_as_the_widest() -> None:
    box = {"frame": "f2", "row": 0, "start": 0, "end": 1}
    assert len(ShownView.model_validate(SHOWN | {"boxes": [box] * MAX_BOXES}).boxes) == MAX_BOXES
    with pytest.raises(ValidationError):
        ShownView.model_validate(SHOWN | {"boxes": [box] * (MAX_BOXES + 1)})


@pytest.mark.parametrize(
    ("name", "result"),
    [
        ("navigate", {"status": "shown", "view": SHOWN}),
        ("navigate", {"status": "not_shown", "problem": "gone"}),
        ("ask_person", {"status": "answered", "answer": "the first"}),
        ("ask_person", {"status": "declined"}),
        ("pick_trace", {"status": "picked", "traceId": "t1"}),
        ("pick_trace", {"status": "declined"}),
        ("approve_call", {"status": "allowed"}),
    ],
)
def test_an_answer_by_the_tool_s_schema_is_taken(name: str, result: dict[str, Any]) -> None:
    answer = page_result(name, OFFERED, result).model_dump(mode="json", by_alias=True, exclude_none=True)
    assert answer["status"] == result["status"]


@pytest.mark.parametrize(
    ("name", "result", "reason"),
    [
        ("navigate", {"status": "shown"}, "what is shown has a view"),
        ("ask_person", {"status": "answered"}, "an answer comes with the status answered"),
        ("ask_person", {"status": "declined", "answer": "x"}, "an answer comes with the status answered"),
        ("ask_person", {"status": "answered", "answer": ""}, "answer: "),
        ("pick_trace", {"status": "picked"}, "a trace comes with the status picked"),
        ("pick_trace", {"status": "picked", "traceId": "t2"}, "traceId: this trace was not offered"),
        ("approve_call", {"status": "nobody_there"}, "status: "),
        ("approve_call", {}, "status: Field required"),
        ("set_filter", {"status": "shown"}, "nothing is waited for by this tool"),
    ],
)
def test_another_answer_is_refused_with_its_reason(name: str, result: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        page_result(name, OFFERED, result)
