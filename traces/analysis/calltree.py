"""The part of a call tree that matters, within a budget of nodes."""

import heapq
from dataclasses import dataclass

import numpy as np

from traces.analysis.merged import MergedTree, above, below, whole_tree
from traces.analysis.window import NodeValues, Window, node_values, whole
from traces.errors import UnknownHandle
from traces.handles import profile_at, resolve
from traces.model import NONE, CallTree, Int64, Profile, Trace
from traces.values import Unit


@dataclass(frozen=True, slots=True)
class TreeNode:
    """`parent` indexes `BudgetedTree.nodes` (-1: a root); shares are of `whole`.

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
    count: int
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
    whole: float
    profile: str


def call_tree(
    trace: Trace,
    *,
    profile: int | None = None,
    root: str | None = None,
    max_nodes: int = 60,
    window: Window | None = None,
    inverted: bool = False,
) -> BudgetedTree:
    """The heaviest `max_nodes` nodes, best first by total.

    `root` is a frame (all its calls merged) or a node; `inverted` grows from functions up to their callers, by self
    value (with a frame as root: its callers, by its total). Raises UnknownHandle.
    """
    chosen = profile_at(trace, profile)
    if root is not None and profile is None and root.strip().lstrip("#").startswith("n"):
        chosen = _profile_of(trace, root)
    values = node_values(chosen, window)
    tree = _tree(trace, chosen, values, root, inverted=inverted, budget=max(max_nodes, 1))
    everything = whole(chosen.tree, values.total_value)
    return _within_budget(trace, chosen, tree, max(max_nodes, 1), everything)


def _profile_of(trace: Trace, root: str) -> Profile:
    index = resolve(trace, root, "node", "frame").index
    return next(p for p in reversed(trace.profiles) if p.node_base <= index and len(p.tree))


def _tree(
    trace: Trace, profile: Profile, values: NodeValues, root: str | None, *, inverted: bool, budget: int
) -> MergedTree:
    tree = profile.tree
    if root is None:
        if not inverted:
            return whole_tree(tree, values)
        starts = np.flatnonzero(values.self_value > 0)
        return above(tree, starts, values.self_value[starts], values.count[starts], largest=budget)
    starts = _starts(trace, profile, tree, root)
    if inverted:
        return above(tree, starts, values.total_value[starts], values.count[starts], largest=budget)
    return below(tree, values, starts)


def _starts(trace: Trace, profile: Profile, tree: CallTree, root: str) -> Int64:
    handle = resolve(trace, root, "frame", "node")
    if handle.kind == "frame":
        return np.flatnonzero((tree.frame == handle.index) & (tree.outermost == 1))
    local = handle.index - profile.node_base
    if not 0 <= local < len(tree):
        raise UnknownHandle(f"{handle} does not lie in {profile.handle}, whose nodes are {_range(profile)}.")
    return np.array([local], np.int64)


def _range(profile: Profile) -> str:
    return f"n{profile.node_base} to n{profile.node_base + len(profile.tree) - 1}" if len(profile.tree) else "none"


def _within_budget(trace: Trace, profile: Profile, tree: MergedTree, budget: int, everything: float) -> BudgetedTree:
    children_order = np.lexsort((-tree.total_value, tree.parent))
    first = np.searchsorted(tree.parent[children_order], np.arange(-1, len(tree) + 1))

    def children(node: int) -> list[int]:
        rows: list[int] = children_order[first[node + 1] : first[node + 2]].tolist()
        return rows

    chosen: set[int] = set()
    total = tree.total_value
    heap = [(-total[node].item(), node) for node in children(NONE) if total[node] > 0]
    heapq.heapify(heap)
    while heap and len(chosen) < budget:
        _, node = heapq.heappop(heap)
        chosen.add(node)
        for child in children(node):
            if total[child] > 0:
                heapq.heappush(heap, (-total[child].item(), child))
    nodes: list[TreeNode] = []
    pending = [(node, NONE) for node in reversed(children(NONE)) if node in chosen]
    while pending:
        node, parent = pending.pop()
        below_it = [child for child in children(node) if total[child] > 0]
        shown = [child for child in below_it if child in chosen]
        hidden = [child for child in below_it if child not in chosen]
        pending.extend((child, len(nodes)) for child in reversed(shown))
        nodes.append(_node(trace, profile, tree, node, parent, everything, hidden))
    roots_cut = sum(total[node].item() for node in children(NONE) if node not in chosen)
    return BudgetedTree(
        nodes=tuple(nodes),
        cut_nodes=int((total > 0).sum()) - len(nodes),
        cut_value=roots_cut + sum(node.hidden_value for node in nodes),
        unit=profile.unit,
        whole=everything,
        profile=profile.handle,
    )


def _node(
    trace: Trace, profile: Profile, tree: MergedTree, node: int, parent: int, everything: float, hidden: list[int]
) -> TreeNode:
    frame = int(tree.frame[node])
    own, total = tree.self_value[node].item(), tree.total_value[node].item()
    return TreeNode(
        handle=f"n{profile.node_base + int(tree.ref[node])}",
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
        count=int(tree.count[node]),
        hidden_children=len(hidden),
        hidden_value=sum(tree.total_value[child].item() for child in hidden),
    )
