"""What traces measured, over every adapter of rows."""

import csv
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import server.adapters.postgres.history as adapter
import server.testing.history as twin
from server.errors import NotFound
from server.ports.history import KnownRuns, LibraryFiles, LibraryTableName, Measured, NamedThings
from server.ports.identity import Caller
from server.ports.run_labels import written_labels
from server.ports.traces import TraceSearch
from tests.plugins.worlds import World, a_trace_of, new_uuid
from traces.gate.run_history import FindingFigures, FunctionFigures, RunFigure, RunHistory

START = datetime(2026, 1, 1, tzinfo=UTC)
MATCH = Measured("function", "matchTrades", "engine.cpp")
ALL = TraceSearch()


def history(own: float | None, *, finding: bool = False, unit: str = "nanoseconds") -> RunHistory:
    functions = [FunctionFigures("main", None, 1.0, 100.0, 0.01, 1.0, None)]
    if own is not None:
        functions.append(FunctionFigures("matchTrades", "engine.cpp", own, own + 1, own / 100, (own + 1) / 100, 7))
    findings = (FindingFigures("collection-pause", "medium", 0.25),) if finding else ()
    return RunHistory(tuple(functions), findings, (RunFigure("total", 100.0, unit), RunFigure("samples", 9.0, "count")))


async def a_run(world: World, caller: Caller, day: int, kept: RunHistory | None, *labels: str) -> str:
    row = replace(a_trace_of(caller), run=written_labels(labels), created_at=START + timedelta(days=day))
    await world.traces.insert(row)
    if kept is not None:
        await world.history.keep(caller, row.trace_id, kept)
    return row.trace_id


async def test_points_come_oldest_first_and_say_what_is_missing(world: World) -> None:
    caller = await world.user()
    ids = [
        await a_run(world, caller, 0, history(20.0), "branch:main", "program:engine"),
        await a_run(world, caller, 1, history(None, finding=True), "branch:main"),
        await a_run(world, caller, 2, history(30.0), "branch:x"),
        await a_run(world, caller, 3, None, "branch:main"),
    ]
    points = await world.history.points(caller, ALL, MATCH)
    assert [(one.trace_id, one.is_there, one.value, one.total_value, one.calls) for one in points] == [
        (ids[0], True, 20.0, 21.0, 7),
        (ids[1], False, None, None, None),
        (ids[2], True, 30.0, 31.0, 7),
    ]
    assert points[0].share == pytest.approx(0.2)
    assert points[0].run == written_labels(["branch:main", "program:engine"])
    assert {one.unit for one in points} == {"nanoseconds"}
    assert [one.trace_id for one in await world.history.points(caller, ALL, MATCH, limit=2)] == ids[1:3]
    on_main = TraceSearch(run=written_labels(["branch:main"]))
    assert [one.trace_id for one in await world.history.points(caller, on_main, MATCH)] == ids[:2]
    later = TraceSearch(since=START + timedelta(days=2))
    assert [one.trace_id for one in await world.history.points(caller, later, MATCH)] == ids[2:3]
    paused = await world.history.points(caller, ALL, Measured("finding", "collection-pause"))
    assert [(one.is_there, one.share) for one in paused] == [(False, None), (True, 0.25), (False, None)]
    samples = await world.history.points(caller, ALL, Measured("figure", "samples"))
    assert [(one.value, one.unit) for one in samples] == [(9.0, "count")] * 3
    elsewhere = await world.history.points(caller, ALL, Measured("function", "matchTrades", "other.cpp"))
    assert not any(one.is_there for one in elsewhere)
    assert await world.history.unmeasured(caller, ALL, limit=5) == ids[3:]
    await world.history.keep(caller, ids[3], history(1.0, unit="bytes"))
    await world.history.keep(caller, ids[3], history(2.0, unit="bytes"))
    assert (await world.history.points(caller, ALL, MATCH))[-1].value == 2.0
    assert await world.history.unmeasured(caller, ALL, limit=5) == []


async def test_all_functions_of_a_search_come_with_what_each_run_measured(world: World) -> None:
    caller, stranger = await world.user(), await world.user()
    ids = [
        await a_run(world, caller, 0, history(20.0), "branch:main"),
        await a_run(world, caller, 1, history(None, unit="bytes"), "branch:main"),
        await a_run(world, caller, 2, RunHistory((), (), (RunFigure("total", 0.0, "count"),)), "branch:main"),
        await a_run(world, caller, 3, history(30.0), "branch:x"),
        await a_run(world, caller, 4, None, "branch:main"),
    ]
    on_main = TraceSearch(run=written_labels(["branch:main"]))
    found = await world.history.functions(caller, on_main)
    assert [(one.trace_id, one.unit, one.total, dict(one.functions)) for one in found] == [
        (ids[0], "nanoseconds", 100.0, {("main", None): 1.0, ("matchTrades", "engine.cpp"): 20.0}),
        (ids[1], "bytes", 100.0, {("main", None): 1.0}),
        (ids[2], "count", 0.0, {}),
    ]
    assert [one.trace_id for one in await world.history.functions(caller, ALL, limit=2)] == ids[2:4]
    assert await world.history.functions(stranger, ALL) == []
    assert await world.history.functions(replace(stranger, account_id=caller.account_id), ALL) == []


async def test_runs_that_are_gone_are_counted_by_their_labels(world: World) -> None:
    caller, stranger = await world.user(), await world.user()
    ids = [await a_run(world, caller, day, history(1.0), "branch:main", "program:engine") for day in range(4)]
    assert await world.history.removed(caller, ALL) == 0
    await world.traces.delete(caller, ids[0])
    await world.traces.label(caller, ids[2], {"branch": "x"})
    await world.traces.delete(caller, ids[2])
    on_main = TraceSearch(run=written_labels(["branch:main", "program:engine"]))
    later = TraceSearch(since=START + timedelta(days=1))
    assert [await world.history.removed(caller, one) for one in (ALL, on_main, later)] == [2, 1, 1]
    assert await world.history.removed(caller, TraceSearch(run=written_labels(["program:other"]))) == 0
    assert await world.history.removed(stranger, ALL) == 0
    assert await world.history.removed(replace(stranger, account_id=caller.account_id), ALL) == 0


async def test_what_was_never_measured_is_found_in_every_account_for_whoever_uploaded_it(world: World) -> None:
    first, second = await world.user(), await world.user()
    old = await a_run(world, first, 0, None)
    await a_run(world, first, 1, history(1.0))
    new = await a_run(world, second, 2, None)
    found = [one for one in await world.history.unmeasured_anywhere(limit=10_000) if one[1] in (old, new)]
    assert found == [(second, new), (first, old)]
    assert old not in {one for _, one in await world.history.unmeasured_anywhere(limit=10_000, without=[old])}
    assert len(await world.history.unmeasured_anywhere(limit=1)) == 1


async def test_what_can_be_asked_about_is_known(world: World) -> None:
    caller = await world.user()
    await a_run(world, caller, 0, history(20.0, finding=True), "branch:main", "release:4.0", "program:engine")
    await a_run(world, caller, 1, history(None), "branch:main", "program:engine")
    await a_run(world, caller, 2, None, "branch:x")
    known = await world.history.known(caller, ALL)
    assert known.runs == 3
    assert known.labels == {"branch": {"main": 2, "x": 1}, "release": {"4.0": 1}}
    assert known.programs == {"engine": 2}
    assert known.functions == (("main", None), ("matchTrades", "engine.cpp"))
    assert known.findings == ("collection-pause",)
    assert known.figures == ("samples", "total")
    later = TraceSearch(since=START + timedelta(days=1))
    assert (await world.history.known(caller, later)).functions == (("main", None),)
    named = await world.history.known(caller, later, name="matchTrades")
    assert named.functions == (("main", None), ("matchTrades", "engine.cpp"))


async def test_what_a_question_names_is_looked_for_alone(world: World) -> None:
    caller, stranger = await world.user(), await world.user()
    await a_run(world, caller, 0, history(20.0), "branch:main", "commit:4f2a1c0", "program:engine")
    await a_run(world, caller, 1, history(None), "branch:main", "program:engine")
    await a_run(world, caller, 2, None, "branch:x")
    labels = frozenset({("commit", "4f2a1c0"), ("commit", "none"), ("branch", None), ("host", None), ("host", "h")})
    names = NamedThings(labels=labels, function="matchTrades", figure="samples")
    found = await world.history.named(caller, names)
    assert found == KnownRuns(
        runs=3,
        labels={"commit": {"4f2a1c0": 1}, "branch": {}},
        programs={"engine": 2},
        functions=(("matchTrades", "engine.cpp"),),
        findings=(),
        figures=("samples",),
    )
    nothing = await world.history.named(caller, NamedThings(function="none", figure="none"))
    assert (nothing.labels, nothing.functions, nothing.figures) == ({}, (), ())
    for who in (stranger, replace(stranger, account_id=caller.account_id)):
        assert await world.history.named(who, names) == KnownRuns(0, {}, {}, (), (), ())


async def test_labels_of_the_words_are_known_though_there_are_more_than_are_listed(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (adapter, twin):
        monkeypatch.setattr(module, "MOST_LABELS", 2)
    caller = await world.user()
    for day in range(4):
        await a_run(world, caller, day, None, f"commit:c{day}", "branch:main")
    assert (await world.history.known(caller, ALL)).labels == {"branch": {"main": 4}, "commit": {"c0": 1}}
    assert (await world.history.known(caller, ALL, words=["c3", "x"])).labels == {
        "branch": {"main": 4},
        "commit": {"c3": 1},
    }


async def test_names_of_any_letters_are_kept(world: World) -> None:
    caller = await world.user()
    name = "a\x00'; drop table traces; --\u202e\ud800<b>" + "x" * 400
    odd = FunctionFigures(name, "é'.js", 1.0, 1.0, 1.0, 1.0, None)
    kept = RunHistory((odd,), (), (RunFigure("total", 1.0, "count"), RunFigure("counter:\x00", float("nan"), "level")))
    await a_run(world, caller, 0, kept)
    known = await world.history.known(caller, ALL)
    assert known.functions[0][0].startswith("a\ufffd'; drop table")
    assert known.figures == ("total",)
    points = await world.history.points(caller, ALL, Measured("function", *known.functions[0]))
    assert [one.value for one in points] == [1.0]


async def test_nothing_of_anothers_traces_is_kept_or_read(world: World) -> None:
    caller, stranger = await world.user(), await world.user()
    trace_id = await a_run(world, caller, 0, history(20.0, finding=True), "branch:main", "program:engine")
    for who in (stranger, replace(stranger, account_id=caller.account_id)):
        assert await world.history.points(who, ALL, MATCH) == []
        assert await world.history.unmeasured(who, ALL, limit=5) == []
        known = await world.history.known(who, ALL, name="matchTrades")
        assert (known.runs, known.labels, known.programs, known.functions, known.findings) == (0, {}, {}, (), ())
        assert known.figures == ()
        with pytest.raises(NotFound):
            await world.history.keep(who, trace_id, history(1.0))
    with pytest.raises(NotFound):
        await world.history.keep(caller, new_uuid(), history(1.0))
    assert (await world.history.points(caller, ALL, MATCH))[0].value == 20.0


async def test_measures_go_with_their_trace(world: World) -> None:
    caller = await world.user()
    trace_id = await a_run(world, caller, 0, history(20.0))
    await world.traces.delete(caller, trace_id)
    assert await world.history.points(caller, ALL, MATCH) == []


def lines_of(files: LibraryFiles, table: LibraryTableName) -> list[list[str]]:
    """As any reader of comma-separated values reads them."""
    with files.files[table].open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file, lineterminator="\n"))


async def test_tables_leave_as_values_newest_first_narrowed_and_bounded(world: World, tmp_path: Path) -> None:
    caller, stranger = await world.user(), await world.user()
    labels = ["branch:ma\"in'", "program:engine"]
    first = await a_run(world, caller, 0, history(20.0, finding=True), *labels)
    second = await a_run(world, caller, 1, history(30.5), "branch:x")
    unmeasured = await a_run(world, caller, 2, None)
    await a_run(world, stranger, 0, history(99.0), *labels)
    tables: tuple[LibraryTableName, ...] = ("traces", "functions", "findings", "measures")
    found = await world.history.write_library(caller, ALL, tables, tmp_path)
    assert (found.runs, found.left_out) == (3, 0)
    traces = lines_of(found, "traces")
    assert [row[0] for row in traces] == [unmeasured, second, first]
    assert (traces[2][3], json.loads(traces[2][4]), traces[2][8:]) == (
        "engine",
        {"branch": "ma\"in'"},
        ["nanoseconds", traces[2][9]],
    )
    assert float(traces[2][9]) == 100.0
    assert traces[0][8:] == ["", ""]
    assert int(traces[0][2]) - int(traces[1][2]) == 86_400_000_000
    functions = lines_of(found, "functions")
    assert [(row[0], row[1], row[2], float(row[3]), row[7]) for row in functions] == [
        (second, "main", "", 1.0, ""),
        (second, "matchTrades", "engine.cpp", 30.5, "7"),
        (first, "main", "", 1.0, ""),
        (first, "matchTrades", "engine.cpp", 20.0, "7"),
    ]
    assert lines_of(found, "findings") == [[first, "collection-pause", "medium", "0.25"]]
    assert {(row[1], float(row[2])) for row in lines_of(found, "measures")} == {("samples", 9.0), ("total", 100.0)}
    named = await world.history.write_library(caller, ALL, ["functions"], tmp_path, functions=["matchTrades"])
    assert [row[0] for row in lines_of(named, "functions")] == [second, first]
    assert set(named.files) == {"traces", "functions"}
    of_x = TraceSearch(run=written_labels(["branch:x"]))
    on_x = await world.history.write_library(caller, of_x, [], tmp_path)
    assert [row[0] for row in lines_of(on_x, "traces")] == [second]
    bounded = await world.history.write_library(caller, ALL, ["functions"], tmp_path, most_rows=3)
    assert (bounded.runs, bounded.left_out) == (2, 1)
    assert {row[0] for row in lines_of(bounded, "functions")} == {second}


async def test_no_table_has_anothers_recordings(world: World, tmp_path: Path) -> None:
    caller, stranger = await world.user(), await world.user()
    await a_run(world, caller, 0, history(20.0, finding=True), "branch:main")
    tables: tuple[LibraryTableName, ...] = ("traces", "functions", "findings", "measures")
    for who in (stranger, replace(stranger, account_id=caller.account_id)):
        found = await world.history.write_library(who, ALL, tables, tmp_path)
        assert found.runs == 0
        assert [lines_of(found, table) for table in tables] == [[], [], [], []]


async def test_the_state_changes_with_recordings_labels_and_measures(world: World) -> None:
    caller, stranger = await world.user(), await world.user()
    states = [await world.history.state(caller)]
    first = await a_run(world, caller, 0, None, "branch:main")
    states.append(await world.history.state(caller))
    await world.history.keep(caller, first, history(20.0))
    states.append(await world.history.state(caller))
    await world.traces.label(caller, first, {"branch": "x"})
    states.append(await world.history.state(caller))
    assert await world.history.state(caller) == states[-1]
    await a_run(world, stranger, 0, history(1.0), "branch:main")
    assert await world.history.state(caller) == states[-1]
    second = await a_run(world, caller, 1, history(20.0))
    states.append(await world.history.state(caller))
    await world.traces.delete(caller, second)
    assert await world.history.state(caller) == states[-2]
    assert len(set(states)) == len(states)
