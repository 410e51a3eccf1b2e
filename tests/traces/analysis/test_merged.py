"""What one node and its callees spent: the same by its own short way as merged from several."""

import numpy as np

from tests.traces.insights.recorded import MS, sampled
from traces.analysis.merged import above, below, full_tree
from traces.analysis.window import node_values

TRACE = sampled({"main;load;parse;read": 3, "main;load;parse": 2, "main;load": 1, "main;draw": 4, "main;load;check": 5})


def test_below_one_node_each_knows_its_parent_and_how_deep_it_is() -> None:
    profile = TRACE.profiles[0]
    tree = profile.tree
    names = [TRACE.frame_names[frame] for frame in tree.frame.tolist()]
    part = below(tree, node_values(profile, None), np.array([names.index("load")]))
    own = {TRACE.frame_names[frame]: row for row, frame in enumerate(part.frame.tolist())}
    assert set(own) == {"load", "parse", "read", "check"}
    parents = {name: part.parent[row] for name, row in own.items()}
    assert parents == {"load": -1, "parse": own["load"], "read": own["parse"], "check": own["load"]}
    rows = [own[name] for name in ("load", "parse", "read", "check")]
    assert part.depth[rows].tolist() == [0, 1, 2, 1]
    assert part.total_value[rows].tolist() == [11 * MS, 5 * MS, 3 * MS, 5 * MS]
    assert part.self_value[rows].tolist() == [1 * MS, 2 * MS, 3 * MS, 5 * MS]


def test_below_several_nodes_like_paths_are_one_with_the_sum_of_both() -> None:
    trace = sampled({"a;load;read": 3, "a;load": 1, "b;load;read": 20, "b;load;check": 5, "b": 7})
    profile = trace.profiles[0]
    tree, names = profile.tree, [trace.frame_names[frame] for frame in profile.tree.frame.tolist()]
    loads = np.array([node for node, name in enumerate(names) if name == "load"])
    part = below(tree, node_values(profile, None), loads)
    rows = {trace.frame_names[frame]: row for row, frame in enumerate(part.frame.tolist())}
    assert set(rows) == {"load", "read", "check"}
    assert len(part) == 3
    at = [rows[name] for name in ("load", "read", "check")]
    assert part.total_value[at].tolist() == [29 * MS, 23 * MS, 5 * MS]
    assert part.self_value[at].tolist() == [1 * MS, 23 * MS, 5 * MS]
    assert part.depth[at].tolist() == [0, 1, 1]
    assert part.parent[at].tolist() == [-1, rows["load"], rows["load"]]
    assert names[part.ref[rows["read"]]] == "read"
    assert names[tree.parent[tree.parent[part.ref[rows["read"]]]]] == "b", "the heaviest stands for both"


def test_above_several_nodes_their_callers_are_children_with_their_weights() -> None:
    trace = sampled({"a;read": 3, "b;load;read": 20, "c;load;read": 5})
    profile = trace.profiles[0]
    tree, names = profile.tree, [trace.frame_names[frame] for frame in profile.tree.frame.tolist()]
    reads = np.array([node for node, name in enumerate(names) if name == "read"])
    values = node_values(profile, None)
    part = above(tree, reads, values.total_value[reads], values.count[reads])
    rows = {trace.frame_names[frame]: row for row, frame in enumerate(part.frame.tolist())}
    totals = {name: part.total_value[row] / MS for name, row in rows.items()}
    assert totals == {"read": 28, "a": 3, "load": 25, "b": 20, "c": 5}
    parents = {name: part.parent[row] for name, row in rows.items()}
    assert parents == {"read": -1, "a": rows["read"], "load": rows["read"], "b": rows["load"], "c": rows["load"]}


def test_the_tree_as_it_is_has_every_node_and_its_values() -> None:
    profile = TRACE.profiles[0]
    values = node_values(profile, None)
    part = full_tree(profile.tree, values)
    assert len(part) == len(profile.tree)
    assert part.ref.tolist() == list(range(len(profile.tree)))
    assert part.total_value.tolist() == values.total_value.tolist()
