"""What one node and its callees spent: the same by its own short way as merged from several."""

import numpy as np

from tests.traces.insights.recorded import MS, sampled
from traces.analysis.merged import below
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
