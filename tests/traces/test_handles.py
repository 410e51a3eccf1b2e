"""Handles name a thing of a trace and nothing else: which exist, and what is said of those that do not."""

import pytest

from tests.traces.insights.recorded import sampled, timeline
from traces.errors import UnknownHandle
from traces.handles import (
    count_of,
    frame_behind,
    frame_index,
    parse_handle,
    place_behind,
    profile_at,
    profile_index,
    profile_of_node,
    profile_of_span,
    resolve,
)

TRACE = timeline([("a", 0, 9), ("b", 1, 4)], [("c", 0, 5)], names=("one", "two"))


def test_the_first_and_the_last_of_a_kind_exist_and_the_next_does_not() -> None:
    assert [frame_index(TRACE, f"f{index}") for index in range(3)] == [0, 1, 2]
    with pytest.raises(UnknownHandle, match=r"f3 does not exist in this trace: its frames are f0 to f2\."):
        frame_index(TRACE, "f3")
    assert profile_index(TRACE, "p1") == 1
    with pytest.raises(UnknownHandle, match=r"its profiles are p0 to p1"):
        profile_index(TRACE, "p2")


def test_of_what_a_trace_has_none_there_is_none_to_name() -> None:
    with pytest.raises(UnknownHandle, match=r"s0 does not exist in this trace: its spans are none\."):
        resolve(sampled({"main": 1}), "s0")


@pytest.mark.parametrize("text", ["", "f", "x1", "f-1", "f01x", "1f", "f1 f2", "F1"])
def test_what_has_not_the_form_of_a_handle_is_refused(text: str) -> None:
    with pytest.raises(UnknownHandle):
        parse_handle(text)


def test_a_handle_of_another_kind_is_refused_by_what_was_expected() -> None:
    with pytest.raises(UnknownHandle, match=r"p0 is a profile; expected a frame or a node"):
        resolve(TRACE, "p0", "frame", "node")


def test_without_a_profile_the_default_one_is_meant() -> None:
    assert profile_at(TRACE, None) is TRACE.profiles[TRACE.default_profile]
    assert profile_at(TRACE, 1) is TRACE.profiles[1]
    for index in (-1, 2):
        with pytest.raises(UnknownHandle, match=f"p{index} does not exist"):
            profile_at(TRACE, index)


def test_nodes_and_spans_are_numbered_through_all_profiles() -> None:
    assert [profile_of_node(TRACE, node)[0].index for node in range(3)] == [0, 0, 1]
    assert [profile_of_node(TRACE, node)[1] for node in range(3)] == [0, 1, 0]
    assert [(profile.index, row) for profile, row in (profile_of_span(TRACE, span) for span in range(3))] == [
        (0, 0),
        (0, 1),
        (1, 0),
    ]
    with pytest.raises(UnknownHandle, match="n3 does not exist"):
        profile_of_node(TRACE, 3)
    with pytest.raises(UnknownHandle, match="s3 does not exist"):
        profile_of_span(TRACE, 3)


def test_behind_a_frame_a_node_and_a_span_is_a_frame() -> None:
    names = [TRACE.frame_names[frame_behind(TRACE, resolve(TRACE, text))] for text in ("f1", "n1", "s1", "n2", "s2")]
    assert names == ["b", "b", "b", "c", "c"]


def test_a_place_is_the_name_with_the_file_and_line_where_they_are_known() -> None:
    trace = sampled({"main@app.py;read": 1})
    assert place_behind(trace, resolve(trace, "f0")) == ("main", "app.py", 1)
    assert place_behind(trace, resolve(trace, "n1")) == ("read", None, None)
    assert place_behind(TRACE, resolve(TRACE, "p1")) == ("two", None, None)


def test_things_are_counted_by_their_kind() -> None:
    assert [count_of(TRACE, "frame"), count_of(TRACE, "profile")] == [3, 2]
    assert [count_of(TRACE, "node"), count_of(TRACE, "span")] == [3, 3]


def test_a_handle_is_read_with_space_and_hash_around_it_and_written_without() -> None:
    assert str(parse_handle("  #n17 ")) == "n17"
