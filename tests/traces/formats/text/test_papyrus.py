"""Papyrus: pushes and pops of several scripts on one line of time."""

import pytest

from tests.traces.stacks_of_traces import read, warnings
from traces.errors import DamagedTrace, EmptyTrace
from traces.model import Trace


def spans(trace: Trace) -> list[tuple[int, str, int, int]]:
    """Depth, name, start and end in milliseconds."""
    profile = trace.profiles[0]
    assert profile.spans is not None
    frames = profile.tree.frame[profile.spans.node].tolist()
    rows = zip(
        profile.spans.depth.tolist(), frames, profile.spans.start.tolist(), profile.spans.end.tolist(), strict=True
    )
    return [
        (depth, trace.frame_names[frame], start // 1_000_000, end // 1_000_000) for depth, frame, start, end in rows
    ]


def test_a_stack_is_a_frame_that_lasts_while_it_goes_on() -> None:
    trace = read(
        "Script_abc log opened (PC)\n10:PUSH:7:1:Quest (2):a..one\n20:POP:7:1:Quest (2):a..one\n"
        "30:PUSH:7:1:None:a..two\n35:PUSH:9:1:None:b..other\n36:POP:9:1:None:b..other\n40:POP:7:1:None:a..two\n"
        "Log closed\n"
    )
    assert spans(trace) == [
        (0, "STACK 7", 0, 30),
        (1, "a..one", 0, 10),
        (1, "a..two", 20, 30),
        (2, "STACK 9", 25, 26),
        (3, "b..other", 25, 26),
    ]
    assert warnings(trace) == {}


def test_what_cannot_be_matched_is_counted() -> None:
    trace = read("20:PUSH:7:1:None:a..one\nnoise\n25:POP:7:1:None:a..zero\n30:PUSH:7:2:None:a..two\n")
    assert warnings(trace) == {"unmatched_end": 1, "unclosed": 3, "unread_lines": 1}


def test_a_stack_lasts_from_the_logs_first_pop_to_its_last_and_waiting_lines_are_no_calls() -> None:
    trace = read(
        "Stack_7 log opened (PC)\n10:START:7\n10:POP:7:3:None:Debug..Start\n12:QUEUE_PUSH:7:1:None:a.??.one\n"
        "20:PUSH:7:1:None:a..one\n30:POP:7:1:None:a..one\n30:QUEUE_POP:7:0:None:a..zero\n40:POP:7:0:None:a..zero\n"
    )
    assert spans(trace) == [(0, "STACK 7", 0, 30), (1, "Debug..Start", 0, 0), (1, "a..one", 10, 20)]
    assert warnings(trace) == {"unmatched_end": 1}


def test_a_clock_that_runs_backwards_is_refused() -> None:
    with pytest.raises(DamagedTrace, match="backwards"):
        read("10:PUSH:7:1:None:a..one\n5:POP:7:1:None:a..one\n")


def test_pops_alone_are_empty() -> None:
    with pytest.raises(EmptyTrace):
        read("10:POP:7:1:None:a..one\n")
