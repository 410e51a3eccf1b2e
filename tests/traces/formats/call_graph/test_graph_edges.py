"""Who called whom: what files of call graphs say of a caller and a callee comes back exactly, whatever the program."""

import marshal

import pytest
from hypothesis import example, given

from tests.traces.formats.call_graph.runs_of_programs import Call, Sums, as_callgrind, as_pstats, runs, sums_of
from tests.traces.stacks_of_traces import read
from traces.analysis.functions import top_functions
from traces.analysis.recorded_edges import Basis
from traces.analysis.sandwich import NO_CALLER, NeighbourRow, Sandwich, callers_callees
from traces.edges import EVERYONE, UNKNOWN
from traces.formats.call_graph import call_paths, graph_edges
from traces.model import Trace

Flow = dict[str, tuple[float, int | None]]


def around(trace: Trace, name: str, value: str | None = None) -> Sandwich:
    return callers_callees(trace, trace.frame_names.index(name), limit=99, value=value)


def flow(rows: tuple[NeighbourRow, ...]) -> Flow:
    return {row.name: (row.value, row.calls) for row in rows if row.handle}


def expected(sums: Sums, costs: dict[tuple[int, int], int], function: int, *, callers: bool, factor: int = 1) -> Flow:
    found: Flow = {}
    for (caller, callee), times in sums.direct.items():
        here, other = (callee, caller) if callers else (caller, callee)
        if here == function and other != function:
            found[f"f{other}"] = (factor * costs[caller, callee], times)
    return found


@given(runs)
def test_cprofiles_callers_callees_and_totals_are_those_of_the_run(run: Call) -> None:
    sums = sums_of(run)
    trace = read(as_pstats(sums))
    for function, calls in sums.calls.items():
        found = around(trace, f"f{function}")
        assert found.basis is Basis.RECORDED
        assert (found.frame.total_value, found.frame.self_value) == (sums.total[function], sums.own[function])
        assert flow(found.callers) == expected(sums, sums.between, function, callers=True)
        assert flow(found.callees) == expected(sums, sums.between, function, callers=False)
        assert found.recursive == (sums.primitive[function] < calls)
        assert found.calls_itself == sums.direct[function, function]
        root = [(row.calls, row.value) for row in found.callers if row.name == NO_CALLER]
        assert [called for called, _ in root] == ([1] if function == run.function else [])
        if root and not sums.in_a_cycle(function):
            assert root[0][1] == sums.total[function]


@given(runs)
def test_callgrinds_callers_callees_and_totals_are_those_of_the_run(run: Call) -> None:
    sums = sums_of(run)
    trace = read(as_callgrind(sums))
    for value, factor in (("Ir", 1), ("Dr", 3)):
        for function in sums.calls:
            found = around(trace, f"f{function}", value)
            assert found.basis is Basis.RECORDED
            assert flow(found.callers) == expected(sums, sums.paid, function, callers=True, factor=factor)
            assert flow(found.callees) == expected(sums, sums.paid, function, callers=False, factor=factor)
            assert all(0 <= row.share <= 1 for row in found.callers + found.callees)
            if not sums.in_a_cycle(function):
                assert found.frame.total_value == pytest.approx(factor * sums.total[function], rel=1e-12)


LIGHT = Call(3, 1)
"""Below a ten-thousandth of what follows, so that its function is on no path of its own."""


@given(runs)
@example(Call(0, 1, (Call(1, 5_999, (Call(2, 10_000, (LIGHT,)),)),)))
def test_a_ranking_has_the_totals_that_the_callers_have(run: Call) -> None:
    sums = sums_of(run)
    rows = top_functions(read(as_pstats(sums)), sort_by="total", limit=99).rows
    totals = {row.name: row.total_value for row in rows}
    rare = totals.pop(call_paths.RARE, 0)
    assert totals == {f"f{f}": t for f, t in sums.total.items() if t}
    assert 0 <= rare <= sum(sums.own.values()) * call_paths.SMALLEST_PATH * sum(sums.calls.values())
    assert all(row.total_value >= row.self_value for row in rows)


def test_functions_of_one_frame_are_one() -> None:
    """The same name in two objects without a file: what is between them is a call of itself."""
    trace = read(
        "# callgrind format\nevents: Ir\nfl=a.c\nob=one\nfn=main\n1 1\ncob=one\ncfn=get\ncalls=2 1\n1 30\n"
        "cob=two\ncfn=get\ncalls=3 1\n1 50\nfn=get\n1 10\ncob=two\ncfn=get\ncalls=4 1\n1 20\nob=two\nfn=get\n1 70\n"
    )
    found = around(trace, "get")
    assert flow(found.callers) == {"main": (80, 5)}
    assert (found.frame.total_value, found.frame.count, found.calls_itself, found.recursive) == (80, 9, 4, True)


def test_the_same_function_in_two_files_stays_two() -> None:
    text = "# callgrind format\nevents: Ir\nfl={}.c\nfn=main\n1 1\ncfl=a.c\ncfn=get\ncalls=1 1\n1 5\ncfl=b.c\ncfn=get\n"
    trace = read(text.format("m") + "calls=2 1\n1 7\nfl=a.c\nfn=get\n1 5\nfl=b.c\nfn=get\n1 7\n")
    found = {trace.frame_file(f): flow(callers_callees(trace, f).callers) for f in range(3)}
    assert found == {"m.c": {}, "a.c": {"main": (5, 1)}, "b.c": {"main": (7, 2)}}


def test_a_total_that_contradicts_the_rest_is_not_believed() -> None:
    sums = sums_of(Call(0, 10, (Call(1, 20),)))
    sums.total[0], sums.total[1] = 1_000, 5
    trace = read(as_pstats(sums))
    everyone = trace.edges.caller == EVERYONE
    assert trace.edges.total_value[everyone].tolist() == [UNKNOWN, UNKNOWN]
    assert (around(trace, "f0").frame.total_value, around(trace, "f1").frame.total_value) == (30, 20)


def test_callers_that_the_file_does_not_have_are_nobody() -> None:
    sums = sums_of(Call(0, 1, (Call(1, 60), Call(1, 40))))
    sums.direct[0, 1], sums.between[0, 1] = 1, 60
    (main, nobody) = around(read(as_pstats(sums)), "f1").callers
    assert (main.name, main.value, main.calls) == ("f0", 60, 1)
    assert (nobody.name, nobody.value, nobody.calls) == (NO_CALLER, 40, 1)


def test_of_many_edges_those_of_the_first_value_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_edges, "MAX_ROWS", 3)
    trace = read(as_callgrind(sums_of(Call(0, 1, (Call(1, 2),)))))
    assert (around(trace, "f1").basis, around(trace, "f1", "Dr").basis) == (Basis.RECORDED, Basis.ESTIMATED)
    assert around(trace, "f1", "Dr").callers[0].calls is None


RECURSIVE = Call(0, 2, (Call(1, 3, (Call(0, 5),)),))


def test_the_outermost_call_of_functions_that_call_each_other_came_from_nobody() -> None:
    found = around(read(as_pstats(sums_of(RECURSIVE))), "f0")
    assert [(row.name, row.value, row.calls) for row in found.callers] == [(NO_CALLER, 10, 1), ("f1", 5, 1)]
    assert (found.recursive, found.calls_itself) == (True, 0)


def test_of_functions_that_call_each_other_callgrind_has_no_total() -> None:
    trace = read(as_callgrind(sums_of(Call(2, 100, (RECURSIVE,)))))
    known = {
        trace.frame_name(frame): total
        for frame, caller, value, total in zip(
            trace.edges.callee.tolist(),
            trace.edges.caller.tolist(),
            trace.edges.value.tolist(),
            trace.edges.total_value.tolist(),
            strict=True,
        )
        if caller == EVERYONE and value == 0
    }
    assert known == {"f0": UNKNOWN, "f1": UNKNOWN, "f2": 110}


def test_a_caller_that_the_file_only_names_and_no_path_has_is_a_frame() -> None:
    main, ghost = ("app.py", 1, "main"), ("app.py", 9, "ghost")
    work = (2, 2, 1.0, 1.0, {main: (1, 1, 1.0, 1.0), ghost: (1, 1, 0.0, 0.0)})
    trace = read(marshal.dumps({main: (1, 1, 0.5, 1.5, {}), ("app.py", 3, "work"): work}))
    assert "ghost" not in {trace.frame_name(frame) for frame in trace.profiles[0].tree.frame.tolist()}
    assert flow(around(trace, "work").callers) == {"main": (1e9, 1), "ghost": (0, 1)}
