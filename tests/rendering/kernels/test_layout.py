"""Nodes side by side, by the kernel: what it cannot do is not drawn."""

from types import SimpleNamespace

import numpy as np
import pytest

from rendering.kernels import layout
from rendering.kernels.cells import Scale
from rendering.kernels.library import kernels
from traces.kernels.library import NotReadable, Outcome


def test_a_kernel_that_got_no_memory_gives_no_places(monkeypatch: pytest.MonkeyPatch) -> None:
    failing = SimpleNamespace(
        find_rows=lambda *_: 1, side_by_side=lambda *_: Outcome.NO_MEMORY, merge_tree=lambda *_: Outcome.NO_MEMORY
    )
    monkeypatch.setattr(layout, "kernels", lambda: failing)
    parent, weight = np.array([-1, 0], np.int32), np.array([2.0, 1.0])
    with pytest.raises(MemoryError):
        layout.side_by_side(parent, np.array([0, 1], np.int32), weight, np.zeros(2, np.int32), np.zeros(1, np.int64))
    rest = np.zeros(2, np.int32), np.zeros(1, np.int64), range(1), Scale(0, 2, 9), np.zeros((1, 3), np.uint8)
    with pytest.raises(MemoryError):
        layout.merge_tree(parent, np.array([0, 1], np.int32), weight, *rest)


@pytest.mark.parametrize(("parent", "kind"), [((-1, 1), (0, 0)), ((-1, 0), (0, 1)), ((-1, 0), (-1, 0))])
def test_a_tree_that_leads_forwards_or_names_what_does_not_exist_is_refused(
    parent: tuple[int, int], kind: tuple[int, int]
) -> None:
    columns = np.array(parent, np.int32), np.array([0, 1], np.int32), np.array([2.0, 1.0]), np.array(kind, np.int32)
    if kernels() is None:
        pytest.skip("the kernels are not built")
    with pytest.raises(NotReadable):
        layout.side_by_side(*columns, np.zeros(1, np.int64))


def test_a_path_of_a_hundred_thousand_calls_is_walked_to_its_end() -> None:
    count = 100_000
    depth = np.arange(count, dtype=np.int32)
    places = layout.side_by_side(depth - 1, depth, np.ones(count), np.zeros(count, np.int32), np.zeros(1, np.int64))
    assert places.node.tolist() == depth.tolist()
    assert len(places.row_offsets) == count + 1
