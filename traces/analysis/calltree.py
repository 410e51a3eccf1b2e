"""The part of a call tree that matters, within a budget of nodes."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from traces.analysis.filters import FrameFilter
from traces.analysis.merged import MergedTree, above, below, full_tree
from traces.analysis.selection import Selection, select
from traces.analysis.window import NodeValues, Window
from traces.errors import InvalidQuestion, UnknownHandle
from traces.handles import ProfileChoice, profile_of_node, resolve
from traces.kernels.columns import pick
from traces.kernels.trees import sum_by_node
from traces.mapped_profile import as_recorded
from traces.model import NONE, Int64, Profile, Trace, Values
from traces.values import Counts, Unit

LOWERED_BY = 8


@dataclass(frozen=True, slots=True)
class TreeNode:
    """`parent` indexes `BudgetedTree.nodes` (-1: a root); shares are of `scope_total`.

    Hidden children are those past the budget. `handle` is the call-tree node, of a merged tree its largest one.
    """

    handle: str
    frame: str
    name: str
    file: str | None
    line: int | None
    depth: int
    parent: int
    self_value: float
    total_value: float
    self_share: float
    total_share: float
    count: int | None
    hidden_children: int
    hidden_value: float


@dataclass(frozen=True, slots=True)
class BudgetedTree:
    """Nodes depth first, heaviest sibling first, always connected. `cut_*` is what was left out.

    Of an inverted tree `cut_nodes` counts those next to what is shown: the rest is not followed.
    """

    nodes: tuple[TreeNode, ...]
    cut_nodes: int
    cut_value: float
    unit: Unit
    scope_total: float
    profile: str
    counted: str | None = None


def call_tree(
    trace: Trace,
    *,
    profile: ProfileChoice = None,
    root: str | None = None,
    max_nodes: int = 60,
    window: Window | None = None,
    inverted: bool = False,
    value: str | None = None,
    frame_filter: FrameFilter | None = None,
) -> BudgetedTree:
    """The heaviest `max_nodes` nodes, best first by total.

    `root` is a frame (all its calls merged) or a node of one unfiltered profile; `inverted` grows from functions up to
    their callers, by self value (with a frame as root: its callers, by its total). Raises UnknownHandle,
    InvalidQuestion.
    """
    if root is not None and profile is None and root.strip().lstrip("#").startswith("n"):
        profile = _profile_of(trace, root).index
    chosen = select(trace, profile, value=value, frame_filter=frame_filter)
    values = chosen.values(window)
    tree = _tree(chosen, values, root, inverted=inverted, budget=max(max_nodes, 1))
    return _within_budget(chosen, tree, max(max_nodes, 1), chosen.total(values))


def _profile_of(trace: Trace, root: str) -> Profile:
    index = resolve(trace, root, "node", "frame").index
    return next(p for p in reversed(trace.profiles) if p.node_base <= index and len(as_recorded(p).tree))


def _tree(chosen: Selection, values: NodeValues, root: str | None, *, inverted: bool, budget: int) -> MergedTree:
    tree = chosen.tree
    if root is None:
        if not inverted:
            return full_tree(tree, values)
        starts = np.flatnonzero(values.self_value > 0)
        return above(tree, starts, values.self_value[starts], values.count[starts], largest=budget)
    starts = _starts(chosen, root)
    if inverted:
        return above(tree, starts, values.total_value[starts], values.count[starts], largest=budget)
    return below(tree, values, starts)


def _starts(chosen: Selection, root: str) -> Int64:
    handle = resolve(chosen.trace, root, "frame", "node")
    if handle.kind == "frame":
        return np.flatnonzero((chosen.tree.frame == handle.index) & (chosen.tree.outermost == 1))
    if chosen.frame_filter or len(chosen.profiles) > 1:
        raise InvalidQuestion(f"a tree of several profiles or with a filter starts at a frame, not at {handle}.")
    profile = chosen.profiles[0]
    if not 0 <= handle.index - profile.node_base < len(as_recorded(profile).tree):
        raise UnknownHandle(f"{handle} does not lie in {profile.handle}, whose nodes are {_range(profile)}.")
    return np.array([profile_of_node(chosen.trace, handle.index)[1]], np.int64)


def _range(profile: Profile) -> str:
    size = len(as_recorded(profile).tree)
    return f"n{profile.node_base} to n{profile.node_base + size - 1}" if size else "none"


def _within_budget(chosen: Selection, tree: MergedTree, budget: int, everything: float) -> BudgetedTree:
    total, parent = tree.total_value, tree.parent
    present = total > 0
    # No child has more than its parent and parents come first, so that the largest nodes hang together.
    largest = _largest(total, present, budget)
    kept = np.sort(largest[np.argsort(-total[largest], kind="stable")][:budget])
    is_kept = np.zeros(len(tree) + 1, np.uint8)  # the last row stands for the parent of roots
    is_kept[kept] = 1
    below_kept = np.flatnonzero((pick(is_kept, parent) == 1) & present & (is_kept[:-1] == 0))
    place = np.searchsorted(kept.astype(parent.dtype), parent[below_kept]).astype(np.int32)
    hidden_children = dict(zip(kept.tolist(), np.bincount(place, minlength=len(kept)).tolist(), strict=True))
    hidden_value = dict(zip(kept.tolist(), sum_by_node(place, total[below_kept], len(kept)).tolist(), strict=True))
    children: dict[int, list[int]] = {}
    for node in kept[
        np.argsort(-total[kept], kind="stable")[::-1]
    ].tolist():  # lightest first: a stack gives the heaviest
        children.setdefault(int(parent[node]), []).append(node)
    nodes: list[TreeNode] = []
    pending = [(node, NONE) for node in children.get(NONE, [])]
    while pending:
        node, above_it = pending.pop()
        pending.extend((child, len(nodes)) for child in children.get(node, []))
        cut = hidden_children[node], hidden_value[node]
        nodes.append(_node(chosen, tree, node, above_it, everything, *cut))
    roots_cut = total[np.flatnonzero((parent < 0) & present & (is_kept[:-1] == 0))].sum().item()
    return BudgetedTree(
        nodes=tuple(nodes),
        cut_nodes=int(np.count_nonzero(present)) - len(kept),
        cut_value=roots_cut + sum(node.hidden_value for node in nodes),
        unit=chosen.unit,
        scope_total=everything,
        profile=chosen.handle,
        counted=chosen.count_name,
    )


def _largest(total: Values, present: npt.NDArray[np.bool_], budget: int) -> Int64:
    """The present nodes with no less than the last that fits the budget. Few of a large tree are heavy: they are looked
    for among those above a bound that is lowered until there are enough."""
    most = int(np.count_nonzero(present))
    if budget >= most:
        everything: Int64 = np.flatnonzero(present)
        return everything
    bound = total.max().item() / LOWERED_BY
    while np.count_nonzero(total >= bound) < budget:
        bound /= LOWERED_BY
    while bound > 0 and np.count_nonzero(total >= 2 * bound) >= budget:  # no more than need be of many alike
        bound *= 2
    heavy: Int64 = np.flatnonzero((total >= bound) & present)
    least = np.partition(total[heavy], -budget)[-budget]
    found: Int64 = heavy[total[heavy] >= least]
    return found


def _node(
    chosen: Selection,
    tree: MergedTree,
    node: int,
    parent: int,
    everything: float,
    hidden_children: int,
    hidden_value: float,
) -> TreeNode:
    trace, frame = chosen.trace, int(tree.frame[node])
    own, total = tree.self_value[node].item(), tree.total_value[node].item()
    return TreeNode(
        handle=f"n{chosen.refs(tree.ref[node : node + 1])[0]}",
        frame=f"f{frame}",
        name=trace.frame_name(frame),
        file=trace.frame_file(frame),
        line=trace.frame_line(frame),
        depth=int(tree.depth[node]),
        parent=parent,
        self_value=own,
        total_value=total,
        self_share=own / everything if everything else 0.0,
        total_share=total / everything if everything else 0.0,
        count=None if chosen.counts is Counts.NONE else int(tree.count[node]),
        hidden_children=hidden_children,
        hidden_value=hidden_value,
    )
