"""What a model reads of a call tree, line by line."""

import pytest

from server.agent.tools.get_call_tree import CallTreeArguments, answer_call_tree
from tests.server.agent.tools.written_outcomes import assert_answered, calls_of
from tests.traces.insights.recorded import sampled

TRACE = sampled({"main;load;parse": 30, "main;parse;skip": 20, "main;parse": 10, "main": 5})
COLUMNS = "a line is: depth node frame name place total share, self share"


def test_each_node_has_a_line_below_its_caller() -> None:
    assert answer_call_tree(TRACE, CallTreeArguments()).text.splitlines() == [
        f'call tree of p0 "thread", whole 65.0 ms; {COLUMNS}',
        '0 n0 f0 "main" 65.0 ms 100.0%, self 7.7%',
        '1 n1 f1 "load" 30.0 ms 46.2%, self 0.0%',
        '2 n2 f2 "parse" 30.0 ms 46.2%, self 46.2%',
        '1 n3 f2 "parse" 30.0 ms 46.2%, self 15.4%',
        '2 n4 f3 "skip" 20.0 ms 30.8%, self 30.8%',
    ]


def test_inverted_it_grows_to_callers_and_what_is_cut_is_counted() -> None:
    assert answer_call_tree(TRACE, CallTreeArguments(inverted=True, max_nodes=4)).text.splitlines() == [
        f'inverted call tree of p0 "thread", whole 65.0 ms; {COLUMNS}',
        '0 n2 f2 "parse" 40.0 ms 61.5%, self 0.0% (+1 children cut)',
        '1 n1 f1 "load" 30.0 ms 46.2%, self 0.0%',
        '2 n0 f0 "main" 30.0 ms 46.2%, self 46.2%',
        '0 n4 f3 "skip" 20.0 ms 30.8%, self 0.0% (+1 children cut)',
        "… 4 lighter nodes cut: raise max_nodes or start at a root",
    ]


@pytest.mark.parametrize(("module", "call"), calls_of("get_call_tree"))
async def test_an_outcome_is_as_it_is_written(module: str, call: str) -> None:
    await assert_answered(module, call)
