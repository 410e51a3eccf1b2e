"""The few parts into which the value of a call tree divides, each with the name that says most of it.

Of a program whose time is spread over thousands of functions no leaf explains anything: the parts from the top do. From
each root the heaviest child is followed as long as it carries nearly everything; where the tree forks into heavy parts,
each is followed in turn.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from traces.analysis.calltree import BudgetedTree, TreeNode, call_tree
from traces.analysis.filters import LIBRARY_NAME, FrameFilter, library_frames
from traces.analysis.name_kinds import UNNAMED
from traces.analysis.window import Window
from traces.handles import ProfileChoice
from traces.lazy_regex import lazy_regex
from traces.model import NONE, Trace

NODES = 600
"""Nodes that are looked at: all that are heavy, but for stacks hundreds deep that fork many times."""
ALONG = 0.85
"""Part of the value at the beginning of a way that its next step must carry."""
PART = 0.08
"""Share of the total from which a part is one."""
COVERS = 0.6
"""Part of a fork's value that its heavy children must hold together: else it is spread, and stands for itself."""
MOST = 0.5
"""Part of a branch from which one function below is most of it."""

TOO_MUCH = 0.6
"""Share of the total from which a part says less than its own parts, where these are nearly all of it."""
INSIDE = 3
"""Parts of a branch that are named with it."""

NAMELESS = lazy_regex(
    r"^\(anonymous|^<anonymous|^\(root|^<(?:lambda|listcomp|dictcomp|genexpr)>|\+0x[0-9a-f]+$|^\[.*\]$|^\?+ |"
    r"^(?:file|https?):"
)
"""Frames that only their place distinguishes."""
ENTRY = lazy_regex(
    r"^(?:main|<module>|__main__|_?start|start_thread|clone3?|__libc_start\w*(?:@@.*)?|_dl_start|run|execute|init|"
    r"\(below main\)|\{main\}|<main>|all|Thread\.run|_bootstrap\w*)$"
)
"""Functions through which everything runs."""
MACHINERY = lazy_regex(r"^(?:js::RunScript|EvaluateScript|FunctionCall|v8\.(?:run|callFunction)|\w*RunTask|XRE_\w+)$")
"""What browsers call their own way into a page's code."""


LINE = lazy_regex(r"[:(]\d+\)?$")
"""The line that some recorders write behind a name: calls from several lines are one function's."""


@dataclass(frozen=True, slots=True)
class Branch:
    """`inside` are the parts into which it divides in turn, else the one function below that holds most of it."""

    node: TreeNode
    inside: tuple[TreeNode, ...]


def branches(
    trace: Trace,
    *,
    profile: ProfileChoice = None,
    window: Window | None = None,
    frame_filter: FrameFilter | None = None,
) -> tuple[Branch, ...]:
    """The parts, heaviest first: disjoint, of at least PART of the total each. Raises what `call_tree` raises."""
    tree = call_tree(trace, profile=profile, max_nodes=NODES, window=window, frame_filter=frame_filter)
    return _Division(tree, library_frames(trace)).branches()


class _Division:
    """The heavy part of a tree, and what its frames are."""

    def __init__(self, tree: BudgetedTree, library: npt.NDArray[np.bool_]) -> None:
        self._library = library
        self._place = {node.handle: index for index, node in enumerate(tree.nodes)}
        self._below: dict[int, list[TreeNode]] = {}
        self._labels: dict[str, TreeNode] = {}
        for node in tree.nodes:
            self._below.setdefault(node.parent, []).append(node)

    def branches(self) -> tuple[Branch, ...]:
        pending = [self._way(root) for root in self._below.get(NONE, []) if root.total_share >= PART]
        ways: list[list[TreeNode]] = []
        while pending:
            way = pending.pop()
            parts = self._parts(way) if self._says_nothing(way) or self._is_everything(way) else []
            pending.extend(parts)
            if not parts:
                ways.append(way)
        found = [self._branch(way) for way in ways]
        return tuple(sorted(found, key=lambda branch: -branch.node.total_value))

    def _is_everything(self, way: list[TreeNode]) -> bool:
        """Whether its parts say all that there is to say of it."""
        parts = self._parts(way)
        inside = sum(part[0].total_value for part in parts)
        return len(parts) > 1 and way[0].total_share >= TOO_MUCH and inside >= ALONG * way[-1].total_value

    def _way(self, start: TreeNode) -> list[TreeNode]:
        """Down the heaviest child as long as it carries nearly all that the first step holds."""
        way = [start]
        while (further := self._heaviest(way[-1])) and further.total_value >= ALONG * start.total_value:
            way.append(further)
        return way

    def _parts(self, way: list[TreeNode]) -> list[list[TreeNode]]:
        """The ways into which one forks; none where it is spread. Parts that differ in their lines alone, or the depth
        of a recursion, are no parts."""
        heavy = [node for node in self._children(way[-1]) if node.total_share >= PART]
        if len(heavy) == 1 and self._says_nothing(way) and heavy[0].total_value >= COVERS * way[-1].total_value:
            return [self._way(heavy[0])]
        if len(heavy) < 2 or sum(node.total_value for node in heavy) < COVERS * way[-1].total_value:
            return []
        ways = [self._way(node) for node in heavy]
        apart = [self._apart(one, [other for other in ways if other is not one]) for one in ways]
        names = [self._name(one) for one in apart if one]
        if len(names) < len(ways) or len(set(names)) < len(names):
            return []
        self._labels |= {way[0].handle: self._named(rest) for way, rest in zip(ways, apart, strict=True)}
        calls_itself = self._name(way) in names and not self._says_nothing(way)
        return [] if calls_itself else ways

    def _name(self, way: list[TreeNode]) -> str:
        """What distinguishes a way from others; of one without a name its place in the tree."""
        named = self._named(way)
        return named.handle if _is_nameless(named) else _base(named.name)

    def _says_nothing(self, way: list[TreeNode]) -> bool:
        named = self._named(way)
        is_machinery = self._is_library(named) and _is_runtime(named)
        return _is_nameless(named) or is_machinery or MACHINERY.match(named.name) is not None

    def _branch(self, way: list[TreeNode]) -> Branch:
        node, mostly = self._named(way), self._mostly(way)
        if mostly is not None and _is_nameless(node):
            return Branch(mostly, ())
        parts = sorted((self._named(part) for part in self._parts(way)), key=lambda part: -part.total_value)
        return Branch(node, tuple(parts[:INSIDE]) or (() if mostly is None else (mostly,)))

    def _apart(self, way: list[TreeNode], others: list[list[TreeNode]]) -> list[TreeNode]:
        """The steps of a way by which it differs from others that end in a function of the same name."""
        alike = [other for other in others if self._name(other) == self._name(way)]
        theirs = {_base(node.name) for other in alike for node in other}
        return [node for node in way if _base(node.name) not in theirs]

    def _children(self, node: TreeNode) -> list[TreeNode]:
        return self._below.get(self._place[node.handle], [])

    def _heaviest(self, node: TreeNode) -> TreeNode | None:
        return max(self._children(node), key=lambda one: one.total_value, default=None)

    def _mostly(self, way: list[TreeNode]) -> TreeNode | None:
        """The first function with a name, further down, that holds most of the branch."""
        names, node = {_base(one.name) for one in way}, self._heaviest(way[-1])
        while node is not None and node.total_value >= MOST * way[0].total_value:
            if _base(node.name) not in names and not _is_nameless(node):
                return node
            node = self._heaviest(node)
        return None

    def _named(self, way: list[TreeNode]) -> TreeNode:
        """The last of one's own functions on the way, else of a library's; what only begins a program comes last."""
        if known := self._labels.get(way[0].handle if way else ""):
            return known
        named = [node for node in way if not _is_nameless(node)]
        for choice in (
            [node for node in named if not ENTRY.match(node.name) and not self._is_library(node)],
            [node for node in named if not ENTRY.match(node.name) and not _is_runtime(node)],
            [node for node in named if not self._is_library(node)],
            named,
        ):
            if choice:
                return choice[-1]
        return way[-1]

    def _is_library(self, node: TreeNode) -> bool:
        return bool(self._library[int(node.frame[1:])])


def _is_nameless(node: TreeNode) -> bool:
    return bool(NAMELESS.search(node.name) or UNNAMED.match(node.name))


def _is_runtime(node: TreeNode) -> bool:
    return (
        node.file is None or node.file.startswith(("node:", "internal")) or LIBRARY_NAME.search(node.name) is not None
    )


def _base(name: str) -> str:
    return LINE.sub("", name)
