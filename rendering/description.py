"""What a chart shows, in words: where it is widest and which functions spend the time themselves."""

import math
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from rendering.rows import BoxRows
from rendering.text import printable
from traces.analysis.merged import MergedTree
from traces.analysis.units import format_share, format_value
from traces.kernels.trees import sum_by_node
from traces.model import Trace
from traces.values import Unit

_LARGEST_PATH = 8
_LARGEST_SELF = 6
_NAME_CHARACTERS = 80
_STEP = 0.9
"""Of the widest path only those calls are described whose heaviest callee weighs less than this part of them."""
_LEAST_SHARE = 0.01
"""The widest path ends where it is no longer wide."""
_LONGEST_PATH = 500
"""The most calls followed along the path: nobody reads to the end of a runaway recursion."""


def describe(trace: Trace, tree: MergedTree, unit: Unit) -> list[str]:
    """Sentences about a merged call tree, with handles; shares are of all its roots."""
    roots = tree.parent < 0
    extent = float(tree.total_value[roots].sum())
    if extent <= 0:
        return ["Nothing was recorded here."]
    own = sum_by_node(tree.frame, tree.self_value, len(trace.frames)).astype(np.float64)
    return [
        "Widest path: "
        + " > ".join(
            f"{name_and_handle(trace, int(tree.frame[n]))} {format_share(tree.total_value[n] / extent)} "
            f"at depth {tree.depth[n]}"
            for n in _turns(tree, _widest_path(tree, extent))
        )
        + ".",
        f"Most {'time ' if unit.is_time else ''}in the function itself: {_heaviest(trace, own, extent, unit)}.",
    ]


def _widest_path(tree: MergedTree, extent: float) -> list[int]:
    """From the heaviest root to its heaviest callee, and so on."""
    path: list[int] = []
    inside = np.flatnonzero(tree.parent < 0)
    least = _LEAST_SHARE * extent
    if tree.total_value.dtype.kind == "i":  # which a comparison with a float would copy
        least = math.ceil(least)
    heavy = np.flatnonzero(tree.total_value >= least)  # few, however large the tree
    above = tree.parent[heavy]
    while len(inside) and len(path) < _LONGEST_PATH:
        path.append(int(inside[np.argmax(tree.total_value[inside])]))
        inside = heavy[above == path[-1]]
    return path


def _turns(tree: MergedTree, path: list[int]) -> list[int]:
    """The calls of the path where it narrows, widest first."""
    narrowing = [n for n, following in pairwise(path) if tree.total_value[following] < tree.total_value[n] * _STEP]
    return (narrowing or path[-1:])[:_LARGEST_PATH]


def heaviest_in_row(trace: Trace, rows: BoxRows, depth: int, extent: float) -> str:
    """The widest boxes of one depth with their shares of the extent; empty where there is no such row."""
    if depth >= rows.depth_count or extent <= 0:
        return ""
    row = slice(int(rows.row_offsets[depth]), int(rows.row_offsets[depth + 1]))
    width, frame = rows.end[row] - rows.start[row], rows.kind[row]
    order = np.argsort(-width, kind="stable")[:_LARGEST_SELF].tolist()
    return ", ".join(f"{name_and_handle(trace, int(frame[i]))} {format_share(width[i] / extent)}" for i in order)


def name_and_handle(trace: Trace, frame: int) -> str:
    """`parseJson [f12]`, with a very long name cut at its end."""
    return f"{shown_name(trace.frame_name(frame))} [f{frame}]"


def shown_name(name: str) -> str:
    """A name in a sentence: a very long one is cut at its end."""
    name = printable(name)
    return name if len(name) <= _NAME_CHARACTERS else name[: _NAME_CHARACTERS - 1] + "…"


def _heaviest(trace: Trace, own: npt.NDArray[np.float64], extent: float, unit: Unit) -> str:
    order = np.argsort(-own, kind="stable")[:_LARGEST_SELF]
    return ", ".join(
        f"{name_and_handle(trace, frame)} {format_share(own[frame] / extent)} ({format_value(own[frame], unit)})"
        for frame in order.tolist()
        if own[frame] > 0
    )
