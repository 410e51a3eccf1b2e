"""The parts into which a program's value divides: disjoint, heavy, and named for what says most."""

from hypothesis import given

from tests.traces.analysis.test_laws import LAWS, sampled, stacks
from traces.analysis.branches import INSIDE, PART, Branch, branches
from traces.analysis.calltree import call_tree
from traces.model import Trace
from traces.reader import read_trace


def trace_of(text: str) -> Trace:
    return read_trace(text.encode(), name="stacks.collapsed.txt")


def named(found: tuple[Branch, ...]) -> list[tuple[str, float]]:
    return [(branch.node.name, round(branch.node.total_share, 2)) for branch in found]


BUILD = """
start;run;(anonymous);bundle;compress;mangle;a 30
start;run;(anonymous);bundle;compress;mangle;b 14
start;run;(anonymous);bundle;parse;c 10
start;run;(anonymous);types;check;d 9
start;run;(anonymous);types;bind;e 6
start;run;(anonymous);types;emit;f 8
(garbage collector) 12
tick;g 3
tick;h 4
tick;i 4
"""


def test_a_spread_program_divides_into_its_parts() -> None:
    assert named(branches(trace_of(BUILD))) == [
        ("bundle", 0.54),
        ("types", 0.23),
        ("(garbage collector)", 0.12),
        ("tick", 0.11),
    ]


def test_what_holds_most_of_a_part_is_named_with_it() -> None:
    bundle, types, *_ = branches(trace_of(BUILD))
    assert [node.name for node in bundle.inside] == ["mangle", "c"]
    assert [node.name for node in types.inside] == ["d", "f"]


def test_calls_from_several_lines_of_one_function_are_one_part() -> None:
    lines = [f"check;walk (w.py:{line});{leaf} 4\n" for line in (87, 90) for leaf in "abcdefghij"]
    assert named(branches(trace_of("".join(lines) + "other;z 20\n"))) == [("check", 0.8), ("z", 0.2)]


def test_frames_without_a_name_are_passed_over() -> None:
    found = branches(trace_of("0x7ff1;lib.so+0x12;work;a 60\n0x7ff1;lib.so+0x12;rest;b 40\n"))
    assert named(found) == [("a", 0.6), ("b", 0.4)]


@LAWS
@given(rows=stacks)
def test_parts_are_disjoint_and_heavy(rows: list[tuple[list[int], int]]) -> None:
    trace = sampled(rows)

    found = branches(trace)

    above = {node.handle: node for node in call_tree(trace, max_nodes=1_000).nodes}
    parents = {node.handle: node.parent for node in above.values()}
    order = list(above)
    for branch in found:
        assert branch.node.total_share >= PART / 2 or not branch.inside
        assert len(branch.inside) <= INSIDE
        assert all(node.total_value <= branch.node.total_value for node in branch.inside)
        chain, at = set(), parents[branch.node.handle]
        while at >= 0:
            chain.add(order[at])
            at = parents[order[at]]
        assert not chain & {other.node.handle for other in found}, "one part lies inside another"
    assert sum(branch.node.total_share for branch in found) <= 1 + 1e-9
