"""shown_spans.c and its reference against a walk from each call to the calls around it."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from traces.kernels.library import NotReadable, kernels
from traces.kernels.shown_spans import shown_spans, shown_spans_reference

NODES = 5
calls = st.integers(0, 30).flatmap(
    lambda count: st.tuples(
        *(st.tuples(st.integers(-1, at - 1), st.integers(0, NODES - 1), st.integers(0, 9)) for at in range(count))
    )
)
leads = st.lists(st.integers(-1, 3), min_size=NODES, max_size=NODES)


@given(calls, leads, leads, st.sampled_from([np.int64, np.float64, np.float32]))
def test_a_call_that_is_not_shown_goes_into_the_nearest_around_it(
    made: tuple[tuple[int, int, int], ...], shown: list[int], leaf: list[int], kind: type
) -> None:
    parent, node, self_value = ([call[column] for call in made] for column in range(3))
    columns: tuple[Any, Any, Any] = np.array(node, np.int32), np.array(parent, np.int32), np.array(self_value, kind)
    rows = [at for at in range(len(made)) if shown[node[at]] >= 0]

    def around(at: int) -> int:
        while at >= 0 and at not in rows:
            at = parent[at]
        return rows.index(at) if at >= 0 else -1

    own = [0] * len(rows)
    for at in range(len(made)):
        if around(at) >= 0 and leaf[node[at]] >= 0:
            own[around(at)] += self_value[at]
    for way in (shown_spans, shown_spans_reference):
        found = way(*columns, np.array(shown, np.int32), np.array(leaf, np.int32))
        assert found.row.tolist() == rows
        assert found.place.tolist() == [around(at) for at in range(len(made))]
        assert found.above.tolist() == [around(parent[at]) for at in rows]
        assert found.node.tolist() == [shown[node[at]] for at in rows]
        assert found.own.tolist() == own
        assert found.own.dtype == kind


@pytest.mark.skipif(kernels() is None, reason="no compiled kernels: no C compiler was found")
@pytest.mark.parametrize(("node", "parent"), [((0, NODES), (-1, 0)), ((0, -1), (-1, 0)), ((0, 1), (-1, 1))])
def test_nodes_that_do_not_exist_and_parents_that_come_later_are_refused(
    node: tuple[int, int], parent: tuple[int, int]
) -> None:
    tree = np.zeros(NODES, np.int32)
    with pytest.raises(NotReadable):
        shown_spans(np.array(node, np.int32), np.array(parent, np.int32), np.zeros(2, np.int64), tree, tree)
