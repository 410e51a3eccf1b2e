"""What a model reads of functions, their callers and callees, line by line."""

import pytest

from server.agent.tools.find_frames import FindFrames, answer_find_frames
from server.agent.tools.get_top_functions import (
    CallersCallees,
    TopFunctions,
    answer_callers_callees,
    answer_top_functions,
)
from tests.server.agent.tools.written_outcomes import assert_answered, calls_of
from tests.traces.insights.recorded import sampled, timeline
from traces.losses import LOST_CALLS
from traces.restated import restated
from traces.values import TraceWarning

CALLS = timeline([("main", 0, 100), ("load", 10, 40), ("parse", 12, 30), ("load", 50, 60), ("draw", 70, 95)])
SAMPLES = sampled({"main;load;parse": 30, "main;parse;skip": 20, "main;parse": 10, "main": 5})
PARSE = 'f2 "parse" self 40.0 ms 61.5%, total 60.0 ms 92.3%, ×2 samples'
A_CALL = "a call: least/median/99th percentile"
FLOWS = ", with what flows through each and its share of this function's total:"


def test_functions_are_ranked_by_what_is_asked_for() -> None:
    assert answer_top_functions(SAMPLES, TopFunctions()).text.splitlines() == [
        'functions 1 to 4 of 4 in p0 "thread" by self; whole 65.0 ms, idle left out',
        PARSE,
        'f3 "skip" self 20.0 ms 30.8%, total 20.0 ms 30.8%, ×1 samples',
        'f0 "main" self 5.00 ms 7.7%, total 65.0 ms 100.0%, ×1 samples',
        'f1 "load" self 0 ns 0.0%, total 30.0 ms 46.2%, ×0 samples',
    ]


def test_calls_have_their_durations_and_what_is_left_out_is_counted() -> None:
    assert answer_top_functions(CALLS, TopFunctions(sort_by="total", limit=2)).text.splitlines() == [
        f'functions 1 to 2 of 4 in p0 "CrRendererMain" by total; whole 100 ms, idle left out; {A_CALL}',
        'f0 "main" self 35.0 ms 35.0%, total 100 ms 100.0%, ×1 calls, a call 100 ms/100 ms/100 ms',
        'f1 "load" self 22.0 ms 22.0%, total 40.0 ms 40.0%, ×2 calls, a call 10.0 ms/20.0 ms/30.0 ms',
        "… 2 more: offset=2, or filter",
    ]


def test_what_flows_to_a_function_and_from_it_is_its_own_share() -> None:
    assert answer_callers_callees(SAMPLES, CallersCallees(frame="parse")).text.splitlines() == [
        f"{PARSE} in p0",
        f"callers{FLOWS}",
        '  f0 "main" 30.0 ms 50.0%',
        '  f1 "load" 30.0 ms 50.0%',
        f"callees{FLOWS}",
        '  f3 "skip" 20.0 ms 33.3%',
    ]
    assert answer_callers_callees(CALLS, CallersCallees(frame="load")).text.splitlines() == [
        'f1 "load" self 22.0 ms 22.0%, total 40.0 ms 40.0%, ×2 calls in p0',
        f"callers{FLOWS}",
        '  f0 "main" 40.0 ms 100.0%, 2 calls',
        f"callees{FLOWS}",
        '  f2 "parse" 18.0 ms 45.0%, 1 call',
    ]


def test_functions_are_found_by_a_part_of_their_name() -> None:
    assert answer_find_frames(SAMPLES, FindFrames(pattern="pars")).text.splitlines() == ['1 frames match "pars"', PARSE]
    assert answer_find_frames(SAMPLES, FindFrames(pattern="qqq")).text.splitlines() == ['0 frames match "qqq"']


def test_of_calls_of_which_some_were_lost_it_is_said() -> None:
    trace = restated(CALLS, warnings=(TraceWarning("overflow", "the buffer was full"),))
    assert answer_top_functions(trace, TopFunctions()).text.splitlines()[-1] == LOST_CALLS
    assert LOST_CALLS not in answer_top_functions(CALLS, TopFunctions()).text


@pytest.mark.parametrize(("module", "call"), calls_of("get_top_functions"))
async def test_an_outcome_is_as_it_is_written(module: str, call: str) -> None:
    await assert_answered(module, call)
