"""A gate's judgement over runs whose truth is known."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from traces.analysis.selection import select
from traces.builder import TraceBuilder
from traces.gate.growth import Method
from traces.gate.judgement import Judgement, judge, why_incomparable
from traces.gate.outcome import Outcome, worst
from traces.gate.rules import parse_rules
from traces.gate.run_measures import RunMeasures, measure_run
from traces.model import Trace
from traces.stacks import StackTable
from traces.values import ProfileKind, Unit, ValueType

NOISE = (0, 3, -2, 1, -3, 2, -1, 4, -4, 5)


def run(values: dict[str, int], number: int = 0, *, file: str = "/srv/app.js") -> Trace:
    """A run in which `main` calls each function, which takes so many milliseconds by itself."""
    builder = TraceBuilder(f"run {number}", "example")
    main = builder.frame("main", file, 1)
    stacks = StackTable()
    leaves = stacks.leaves([[main, builder.frame(name, file, 1)] for name in values])
    weights = np.array([value * 1_000_000 for value in values.values()], np.int64)
    builder.add_sampled("t", stacks, leaves, [weights], values=(ValueType("time", Unit.NANOSECONDS),))
    return builder.build(content_key=f"{number:064d}", source_bytes=1)


def measured(values: dict[str, int], number: int = 0, targets: Sequence[str] = ("parse", "draw")) -> RunMeasures:
    trace = run(values, number)
    found = measure_run(select(trace), targets={name: {(name, "app.js")} for name in targets})
    return replace(found, resolution=0.0)


def runs(parse: int, many: int, first: int = 0, **others: int) -> list[RunMeasures]:
    return [measured({"parse": parse + NOISE[place], "draw": 1000, **others}, first + place) for place in range(many)]


def judged(before: list[RunMeasures], after: list[RunMeasures], *rules: str, **options: float) -> Judgement:
    return judge(before, after, parse_rules(rules), **options)


def test_a_run_is_measured_by_function_whatever_its_folder() -> None:
    trace = run({"parse": 3, "draw": 5})
    found = measure_run(select(trace), targets={"both": {("parse", "app.js"), ("draw", "app.js")}})
    assert found.scope_total == 8_000_000
    assert found.functions["parse", "app.js"].self_value == 3_000_000
    assert found.functions["main", "app.js"].total_value == 8_000_000
    assert found.targets["both"].total_value == 8_000_000
    assert found.resolution == 4_000_000
    assert found.names == {"main", "parse", "draw"}


@pytest.mark.parametrize(("many_before", "many_after"), [(5, 5), (10, 1), (10, 3), (5, 1)])
def test_planted_growth_breaks_and_none_is_kept(many_before: int, many_after: int) -> None:
    before = runs(1000, many_before)
    rules = ("self(parse) +5%", "self_share(parse) +5%")
    assert judged(before, runs(1000, many_after, 20), *rules).outcome is Outcome.KEPT
    assert judged(before, runs(900, many_after, 20), *rules).outcome is Outcome.KEPT
    grown = judged(before, runs(1300, many_after, 20), *rules)
    assert [result.outcome for result in grown.results] == [Outcome.BROKEN, Outcome.BROKEN]
    assert grown.results[0].growth is not None
    assert grown.results[0].growth.growth == pytest.approx(0.3, abs=0.01)


def test_growth_within_the_limit_is_kept_though_it_is_no_chance() -> None:
    found = judged(runs(1000, 10), runs(1030, 10, 20), "self(parse) +5%").results[0]
    assert found.outcome is Outcome.KEPT
    assert found.growth is not None
    assert found.growth.p is not None
    assert found.growth.p < 0.05


@pytest.mark.parametrize(("many_before", "many_after"), [(1, 1), (3, 3), (4, 1)])
def test_too_few_runs_are_not_decidable_however_plain_the_truth(many_before: int, many_after: int) -> None:
    found = judged(runs(1000, many_before), runs(9000, many_after, 20), "self(parse) +5%")
    assert found.outcome is Outcome.UNDECIDED
    assert "needs 5 runs before" in found.results[0].reason


def test_many_rules_need_more_runs_than_one_does() -> None:
    rules = [f"self(parse) +{number}%" for number in range(5, 12)]
    found = judged(runs(1000, 5), runs(2000, 5, 20), *rules)
    assert {result.reason for result in found.results} == {"needs 6 runs a side, there are 5 before and 5 after"}
    assert judged(runs(1000, 6), runs(2000, 6, 20), *rules).outcome is Outcome.BROKEN


def test_a_single_run_breaks_only_by_what_the_caller_calls_too_much() -> None:
    before = runs(1000, 1)
    assert judged(before, runs(1200, 1, 20), "self(parse) +5%", single_run=0.25).outcome is Outcome.KEPT
    assert judged(before, runs(1300, 1, 20), "self(parse) +5%", single_run=0.25).outcome is Outcome.BROKEN
    assert judged(before, runs(1300, 1, 20), "self(parse) +50%", single_run=0.25).outcome is Outcome.KEPT


def test_noise_that_hides_the_limit_is_neither_kept_nor_broken() -> None:
    wide = [measured({"parse": value, "draw": 1000}, place) for place, value in enumerate((700, 900, 1000, 1100, 1300))]
    found = judged(wide, wide, "self(parse) +5%").results[0]
    assert found.outcome is Outcome.UNDECIDED
    assert found.reason.startswith("too much noise: these runs cannot show growth below ")
    far = [measured({"parse": 9000 + place, "draw": 1000}, 20 + place) for place in range(5)]
    assert judged(wide, far, "self(parse) +5%").outcome is Outcome.BROKEN


def test_a_new_hot_function_is_one_that_no_run_before_had_hot() -> None:
    before = runs(1000, 5)
    hot, cool, twice = ([*runs(1000, number, 20, extra=200), *runs(1000, 5 - number, 30)] for number in (3, 0, 2))
    broken = judged(before, hot, "new hot function 2%").results[0]
    assert (broken.outcome, broken.reason) == (Outcome.BROKEN, "in 3 of 5 runs after, 0 of 5 before")
    assert broken.occurrences is not None
    assert [one.name for one in broken.occurrences.functions] == ["extra"]
    assert judged(before, cool, "new hot function 2%").outcome is Outcome.KEPT
    assert judged(before, twice, "new hot function 2%").outcome is Outcome.KEPT
    assert judged(before, hot, "new hot function 20%").outcome is Outcome.KEPT
    assert judged(runs(1000, 5, extra=190), hot, "new hot function 10%").outcome is Outcome.KEPT
    assert judged(before, hot[:1], "new hot function 2%").outcome is Outcome.BROKEN
    assert judged(before[:1], hot[:1], "new hot function 2%").outcome is Outcome.UNDECIDED
    assert judged(before[:1], hot[:1], "new hot function 2%", single_run=0.25).outcome is Outcome.BROKEN


def with_finding(states: Sequence[bool | None]) -> list[RunMeasures]:
    return [replace(measured({"parse": 5}), findings={"long-tasks": state}) for state in states]


@pytest.mark.parametrize(
    ("before", "after", "outcome", "reason"),
    [
        ([False] * 5, [True] * 5, Outcome.BROKEN, "in 5 of 5 runs after, 0 of 5 before"),
        ([False] * 5, [True], Outcome.BROKEN, "in 1 of 1 runs after, 0 of 5 before"),
        ([False] * 5, [False] * 5, Outcome.KEPT, "in 0 of 5 runs after"),
        ([False] * 5, [True, True, False, False, False], Outcome.KEPT, "in 2 of 5 runs after"),
        ([True] * 5, [True] * 5, Outcome.KEPT, "not new: in 5 of 5 runs before"),
        ([True] + [False] * 9, [True] * 5, Outcome.BROKEN, "in 5 of 5 runs after, 1 of 10 before, p 0.002"),
        ([True] + [False] * 4, [True], Outcome.UNDECIDED, "in 1 of 1 runs after, 1 of 5 before: it comes and goes"),
        ([False] * 3, [True] * 3, Outcome.UNDECIDED, "needs 5 runs before, there are 3"),
        ([False] * 5, [None] * 5, Outcome.UNDECIDED, "these recordings cannot show it"),
        ([None] * 5, [True] * 5, Outcome.UNDECIDED, "the recordings before cannot show it"),
    ],
)
def test_a_finding_breaks_where_it_appears(
    before: list[bool | None], after: list[bool | None], outcome: Outcome, reason: str
) -> None:
    found = judged(with_finding(before), with_finding(after), "finding long-tasks").results[0]
    assert found.outcome is outcome
    assert reason in found.reason


def test_runs_that_say_nothing_about_each_other_are_not_judged() -> None:
    one = measured({f"f{number}": 5 for number in range(20)})
    assert why_incomparable([one], [one]) is None
    other = measured({f"g{number}": 5 for number in range(20)})
    few = replace(measured({"x": 5}), names=frozenset({"x"}))
    cases = {
        "not of one program": other,
        "not of one program: only 0.0%": few,
        "other unit": replace(one, unit=Unit.BYTES),
        "other kind of recording": replace(one, kind=ProfileKind.EVENTED),
        "other measure": replace(one, value="wall"),
        "measured nothing": replace(one, scope_total=0.0),
    }
    for reason, run_after in cases.items():
        found = judged([one] * 5, [one, run_after], "total +3%", "finding long-tasks")
        assert found.incomparable is not None
        assert reason in found.incomparable
        assert found.outcome is Outcome.UNDECIDED
        assert {result.outcome for result in found.results} == {Outcome.UNDECIDED}
        assert found.changed == ()


def test_a_rule_about_what_no_run_spent_anything_on_is_not_decidable() -> None:
    found = judged(runs(1000, 5), runs(1000, 5, 20), "total +5%")
    assert found.outcome is Outcome.KEPT
    nothing = [replace(one, targets={"gone": one.targets["parse"].__class__(0.0, 0.0)}) for one in runs(1000, 5)]
    assert judged(nothing, nothing, "self(gone) +5%").results[0].reason == "it has no value in any run"


def test_what_changed_is_listed_by_its_share_and_notes_warn() -> None:
    found = judged(runs(1000, 5), runs(1500, 5, 20), "total +90%")
    changed = {row.name: row for row in found.changed}
    assert set(changed) == {"parse", "draw"}
    assert changed["parse"].share_after - changed["parse"].share_before == pytest.approx(0.1, abs=0.01)
    assert found.notes == ()
    before = runs(1000, 5)
    copies = judged(before, before, "total +90%")
    assert copies.notes == ("5 of the runs are copies of another: what does not vary says nothing of noise",)
    other = [replace(one, format="another", profile="worker") for one in runs(1000, 5, 20)]
    mixed = judged([replace(one, profile="main thread") for one in before], other, "total +90%").notes
    assert mixed == (
        "the runs are of several formats (example, another): names may differ",
        "the thread before is main thread, after worker: choose with --profile",
    )


def test_one_broken_rule_outweighs_what_is_not_decidable() -> None:
    assert worst([Outcome.KEPT, Outcome.UNDECIDED, Outcome.BROKEN]) is Outcome.BROKEN
    assert worst([Outcome.KEPT, Outcome.UNDECIDED]) is Outcome.UNDECIDED
    assert worst([Outcome.KEPT]) is Outcome.KEPT


def test_a_rule_is_judged_by_the_method_that_its_runs_allow() -> None:
    found = judged(runs(1000, 10), runs(1000, 1, 20), "self(parse) +5%", "total +3%")
    assert [result.growth.method for result in found.results if result.growth] == [Method.PREDICTION] * 2
    assert found.level == 0.025
