"""Which rows are equal, and which nodes of a tree stand for one path: the groups come in order of their first rows."""

import numpy as np
import numpy.typing as npt

from traces.kernels.trees import NONE, Paths, paths_of_spans

Int64 = npt.NDArray[np.int64]
Int32 = npt.NDArray[np.int32]


def shared_paths(frame: Int32, shown: npt.NDArray[np.bool_], above: Int64, max_depth: int) -> Paths:
    """What a tree is when only the nodes shown are left and those of one path are one; `above` is the node shown above
    each of them (-1: none), `leaf` where each of them went."""
    nodes = np.flatnonzero(shown)
    place = np.full(len(frame) + 1, NONE, np.int32)  # the last row answers for NONE
    place[nodes] = np.arange(len(nodes), dtype=np.int32)
    return paths_of_spans(frame[nodes], place[above], max_depth)
