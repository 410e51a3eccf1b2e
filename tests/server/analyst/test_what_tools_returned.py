"""What a turn's tools returned, as rows: what leads a ranking, which profile is the main one, what else there is."""

from typing import Any

import pytest

from server.analyst.evidence import Evidence, Result, busy_of, first_of_table, lead_of
from server.analyst.pseudo_frames import EVENTS, is_pseudo


def profile(handle: str, **more: Any) -> dict[str, Any]:
    row = {"handle": handle, "name": handle, "kind": "sampled", "unit": "nanoseconds", "total": 10e6}
    return row | {"values": [{"name": "cpu"}], "quality": {}} | more


def evidence(*rows: dict[str, Any], default: str = "p0", more: tuple[Result, ...] = ()) -> Evidence:
    summary = {"default_profile": default, "profiles": list(rows), "unit": "nanoseconds"}
    return Evidence("?", {}, (Result("get_trace_summary", {}, summary, "", failed=False), *more))


def function(name: str, value: float, share: float = 0.1) -> dict[str, Any]:
    return {"name": name, "self_value": value, "self_share": share}


def ranking(*rows: dict[str, Any], profile: str = "p0") -> dict[str, Any]:
    return {"rows": list(rows), "unit": "nanoseconds", "whole": 100.0, "profile": profile}


@pytest.mark.parametrize(
    ("others", "runs"),
    [
        ([profile("p1")], True),
        ([], False),
        ([profile("p1", kind="evented")], False),
        ([profile("p1", unit="bytes")], False),
        ([profile("p1", unit="bytes"), profile("p2")], True),
    ],
)
def test_a_program_runs_in_several_profiles_that_measure_alike(others: list[dict[str, Any]], *, runs: bool) -> None:
    assert evidence(profile("p0"), *others).runs_in_several is runs


def test_two_views_of_one_java_recording_are_not_several_threads() -> None:
    rows = (profile("p0", name="Without native calls"), profile("p1", name="With native calls"))
    assert not evidence(*rows).runs_in_several
    assert evidence(*rows, profile("p2", name="Locks")).runs_in_several


def test_the_main_profile_is_the_one_that_was_ranked_else_the_default() -> None:
    rows = (profile("p0"), profile("p1"))
    assert evidence(*rows, default="p1").main == rows[1]
    assert evidence(*rows, default="p9").main is None
    ranked = Result("get_top_functions", {}, ranking(function("read", 5.0)), "", failed=False)
    assert evidence(*rows, default="p1", more=(ranked,)).main == rows[0]
    assert Evidence("?", {}, ()).main is None
    assert Evidence("?", {}, ()).unit == "nanoseconds"


def test_memory_and_waiting_are_other_profiles_than_the_main_one_that_hold_something() -> None:
    known = evidence(
        profile("p0", unit="bytes"),
        profile("p1", unit="bytes"),
        profile("p2", unit="bytes", total=0),
        profile("p3", waits="waiting", total=1e6),
        profile("p4", waits="waiting", total=9e6),
        profile("p5", waits="waiting", total=None),
    )
    assert known.memory_profiles == ["p1"]
    assert known.waiting_profiles == ["p4", "p3"]


@pytest.mark.parametrize(("name", "measures"), [("delay", True), ("contentions", True), ("cpu", False)])
def test_a_profile_of_delays_measures_waiting(name: str, *, measures: bool) -> None:
    assert evidence(profile("p0", values=[{"name": name}])).measures_waiting is measures


@pytest.mark.parametrize("name", ["(program)", "(idle)", "(root)", "[root]", "(garbage collector)", "(anonymous)"])
def test_a_name_that_the_profiler_gives_never_leads_before_a_function(name: str) -> None:
    rows = (function(name, 90.0, share=0.9), function("read", 5.0))
    lead = lead_of(ranking(*rows))
    assert lead is not None
    assert lead.row["name"] == "read"
    assert name in EVENTS
    assert first_of_table(lead).row["name"] == "read"
    alone = lead_of(ranking(rows[0]))
    assert alone is not None
    assert alone.row["name"] == name, "alone it leads all the same"


def test_nothing_leads_an_empty_ranking_and_what_takes_nothing_leads_none() -> None:
    assert lead_of(ranking()) is None
    lead = lead_of(ranking(function("(idle)", 9.0), function("read", 0.0)))
    assert lead is not None
    assert lead.row["name"] == "(idle)"


@pytest.mark.parametrize(
    ("name", "share", "is_one"),
    [
        ("runtime.gcDrain", 0.29, True),
        ("runtime.gcDrain", 0.30, False),
        ("thread (4711)", 0.9, True),
        ("(other functions)", 0.9, True),
        ("read", 0.1, False),
    ],
)
def test_a_collector_is_passed_over_unless_it_dominates(name: str, share: float, *, is_one: bool) -> None:
    assert is_pseudo(function(name, 1.0, share)) is is_one


def test_a_ranking_of_a_part_leads_nothing() -> None:
    part = Result("get_top_functions", {"filter": "re"}, ranking(function("read", 5.0)), "", failed=False)
    by_total = Result("get_top_functions", {"sort_by": "total"}, ranking(function("main", 5.0)), "", failed=False)
    assert evidence(profile("p0"), more=(part, by_total)).lead is None
    own = Result("get_top_functions", {"my_code": True}, ranking(function("mine", 5.0)), "", failed=False)
    of_mine = evidence(profile("p0"), more=(own,)).own_lead
    assert of_mine is not None
    assert of_mine.row["name"] == "mine"


def test_findings_are_those_that_the_trace_has() -> None:
    rows = [
        {"id": "a", "kind": "code", "state": "fail"},
        {"id": "b", "kind": "code", "state": "pass"},
        {"id": "c", "kind": "page", "state": "fail"},
    ]
    known = evidence(more=(Result("get_insights", {}, {"insights": rows}, "", failed=False),))
    assert [row["id"] for row in known.findings("code")] == ["a"]
    assert [row["id"] for row in known.found()] == ["a", "c"]
    assert known.finding("b") is None
    assert known.finding("b", "c") == rows[2]


def test_a_failed_call_was_made_and_returned_nothing() -> None:
    failed = Result("find_frames", {"pattern": "x"}, {}, "Error", failed=True)
    known = evidence(more=(failed,))
    assert known.called("find_frames")
    assert known.first("find_frames") is None
    assert known.matches == []


def test_how_busy_a_profile_is_falls_back_on_what_it_holds() -> None:
    assert busy_of({"total": 9.0, "busy": 4.0}) == 4.0
    assert busy_of({"total": 9.0, "busy": 0.0}) == 0.0
    assert busy_of({"total": 9.0, "busy": None}) == 9.0
    assert busy_of({"total": None}) == 0
