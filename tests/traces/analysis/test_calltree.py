"""The heaviest nodes of a call tree: from a root down, from a function up, and by whom a root may be named."""

import pytest

from tests.traces.insights.recorded import sampled
from traces.analysis.calltree import call_tree
from traces.analysis.filters import FrameFilter
from traces.errors import InvalidQuestion

TRACE = sampled({"main;load;parse": 30, "main;parse;skip": 20, "main;parse": 10, "main": 5})


def rows(**asked: object) -> list[tuple[str, float]]:
    tree = call_tree(TRACE, **asked)  # type: ignore[arg-type]
    return [(node.name, node.total_value / 1e6) for node in tree.nodes]


def test_it_grows_from_the_root_down_and_from_what_works_itself_up() -> None:
    assert rows()[:2] == [("main", 65), ("load", 30)]
    assert rows(inverted=True)[0] == ("parse", 40)


def test_below_a_function_is_what_it_calls_and_inverted_who_calls_it() -> None:
    parse = f"f{[TRACE.frame_name(one) for one in range(4)].index('parse')}"
    assert rows(root=parse) == [("parse", 60), ("skip", 20)]
    assert rows(root=parse, inverted=True)[:3] == [("parse", 60), ("load", 30), ("main", 30)]


def test_a_node_is_of_one_tree_that_is_there_as_it_was_recorded() -> None:
    assert rows(root="n0")[0][1] == 65
    with pytest.raises(InvalidQuestion, match="a tree of several profiles or with a filter starts at a frame"):
        rows(root="n1", frame_filter=FrameFilter(hide="parse"))


@pytest.mark.parametrize(("most", "shown"), [(0, 1), (1, 1), (2, 2)])
def test_so_many_nodes_are_shown_and_at_least_one(most: int, shown: int) -> None:
    assert len(rows(max_nodes=most)) == shown
