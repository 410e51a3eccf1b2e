"""Small trees of many profiles at once: each as its own tree, and none where it is large or is no time."""

from tests.traces.insights.recorded import threads, values
from traces.analysis.small_trees import small_tree, small_trees
from traces.values import Unit


def test_each_profile_has_what_its_tree_holds() -> None:
    trace = threads(["main;load", "main;load", "main", ""], ["pool;0x7f12ab34"] * 3, [""])
    rows = small_trees(trace)
    first, second, third = (rows.of(profile.index) for profile in trace.profiles)
    assert first is not None
    assert second is not None
    assert third is None, "nothing ran on it"
    assert (first.total, second.total) == (30_000_000, 30_000_000)
    assert (first.unnamed, second.unnamed) == (0, 30_000_000)
    assert (first.count, second.count) == (3, 3)
    assert small_tree(trace, trace.profiles[1]) == second


def test_what_is_no_time_has_none() -> None:
    trace = values({"main": [5]}, [("bytes", Unit.BYTES)])
    assert small_trees(trace).of(0) is None
