"""Which part of a profile's call tree a chart shows, and in which row."""

from dataclasses import dataclass

import numpy as np

from rendering.errors import InvalidOption
from traces.analysis.merged import MergedTree, below, full_tree
from traces.analysis.subtrees import depth_without_recursion, subtree, without_recursion
from traces.analysis.window import Window, node_values
from traces.errors import UnknownHandle
from traces.handles import parse_handle
from traces.mapped_profile import as_recorded, nodes_of_refs
from traces.model import NONE, Int32, Profile


@dataclass(frozen=True, slots=True)
class Part:
    """`tree` has the weights, merged by path from the part's own roots; `node_row` is the row of each node of the
    profile's call tree, -1 where it is not shown."""

    profile: Profile
    tree: MergedTree
    node_row: Int32


def part_of(profile: Profile, window: Window | None, focus: str | None, *, flatten: bool) -> Part:
    """The full call tree, or one node with what it calls, or all calls of one function. Raises InvalidOption."""
    tree = profile.tree
    values = node_values(profile, window)
    merged = full_tree(tree, values)
    row = tree.depth
    kept = np.arange(len(tree))
    if focus is not None:
        roots, is_frame = _roots(profile, focus)
        own, kept = subtree(merged, roots)
        merged = below(tree, values, roots) if is_frame else own
        row = np.full(len(tree), NONE, np.int32)
        row[kept] = own.depth
    else:
        own = merged
    if flatten:
        row = np.full(len(tree), NONE, np.int32)
        row[kept] = depth_without_recursion(own)[0]
        merged = without_recursion(merged)
    return Part(profile, merged, row)


def _roots(profile: Profile, focus: str) -> tuple[np.ndarray[tuple[int], np.dtype[np.int64]], bool]:
    tree = profile.tree
    try:
        handle = parse_handle(focus)
    except UnknownHandle as error:
        raise InvalidOption("focus", str(error)) from error
    if handle.kind == "frame":
        roots = np.flatnonzero((tree.frame == handle.index) & (tree.outermost == 1))
        if not len(roots):
            raise InvalidOption("focus", f"{handle} is never called in profile {profile.handle}")
        return roots, True
    if handle.kind == "node":
        recorded = len(as_recorded(profile).tree)
        if not 0 <= handle.index - profile.node_base < recorded:
            last = profile.node_base + recorded - 1
            text = f"{handle} is not in profile {profile.handle}, whose nodes are n{profile.node_base} to n{last}"
            raise InvalidOption("focus", text)
        node = nodes_of_refs(profile, np.array([handle.index]))
        if node[0] < 0:
            raise InvalidOption("focus", f"{handle} is not shown: the transforms leave it out, or merge it")
        return node, False
    raise InvalidOption("focus", f"{handle} is a {handle.kind}; focus takes a frame (f12) or a call-tree node (n345)")
