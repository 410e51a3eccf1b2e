"""Which functions changed between two groups of recordings."""

from collections.abc import Mapping

import pytest

from server.agent.questions.group_changes import changes_answer
from server.agent.questions.question_schema import Comparison, Runs
from server.agent.questions.run_answers import RunsAnswer
from server.ports.history import RunFunctions

QUESTION = Comparison(form="compare", before=Runs(labels={"branch": "main"}), after=Runs(labels={"branch": "x"}))


def a_run(number: int, functions: Mapping[str, float], unit: str = "nanoseconds") -> RunFunctions:
    own: Mapping[tuple[str, str | None], float] = {(name, "a.c"): value * 1e6 for name, value in functions.items()}
    return RunFunctions(f"t{number}", unit, 100e6, own)


def runs(first: int, many: int, **functions: float) -> list[RunFunctions]:
    return [a_run(first + at, {name: value + at / 100 for name, value in functions.items()}) for at in range(many)]


def answer(before: list[RunFunctions], after: list[RunFunctions]) -> RunsAnswer:
    return changes_answer(QUESTION, before, after)


def test_what_changed_beyond_chance_is_named_and_the_rest_is_in_the_rows() -> None:
    found = answer(
        runs(0, 6, read=20.0, write=30.0, sort=10.0), runs(9, 6, read=40.0, write=30.0, sort=10.3, gather=5.0)
    )
    assert "No difference beyond chance in everything: 100 ms in `branch:main`" in found.headline
    assert "Beyond chance changed `read` from 20.0 ms to 40.0 ms (+99.9%), `gather` from 0 ns to 5" in found.headline
    assert [row[0] for row in found.rows] == ["read", "gather", "sort"]
    assert [row[4] for row in found.rows] == ["+99.9%", "new", "+3.0%"]
    assert all(float(row[5]) < 0.05 for row in found.rows)
    assert next((one["label"], one["value"]) for one in found.chart["points"]) == ("read", pytest.approx(20e6))
    assert found.data["points"][0] == {
        "name": "read",
        "before_ns": pytest.approx(20.025e6),
        "after_ns": pytest.approx(40.025e6),
        "growth_share": pytest.approx(0.99875, abs=1e-4),
    }


def test_three_runs_a_side_are_shown_and_said_to_prove_nothing() -> None:
    found = answer(runs(0, 3, read=20.0, write=30.0), runs(9, 3, read=40.0, write=30.0))
    assert "The largest changes: `read` from" in found.headline
    assert "So few recordings cannot show" in found.notes[0]
    assert [row[5] for row in found.rows] == [""]


def test_noise_is_no_change_beyond_chance() -> None:
    before = [a_run(at, {"read": 20.0 + at % 3, "write": 30.0}) for at in range(6)]
    after = [a_run(at, {"read": 20.0 + (at + 1) % 3, "write": 30.0}) for at in range(6)]
    assert "No function changed by" in answer(before, after).headline
    after = [a_run(at, {"read": 21.0 + at % 3, "write": 30.0}) for at in range(6)]
    assert "No function changed beyond chance" in answer(before, after).headline


def test_two_programs_and_other_units_are_not_compared() -> None:
    one = {f"one{at}": 1.0 for at in range(12)}
    other = {f"other{at}": 1.0 for at in range(12)}
    found = answer(runs(0, 5, **one), runs(9, 5, **other))
    assert "are not of one program, only 0.0%" in found.headline
    assert (found.rows, found.chart) == ((), {})
    mixed = answer([*runs(0, 5, read=1.0), a_run(7, {"read": 1.0}, unit="bytes")], runs(9, 5, read=1.0))
    assert mixed.notes[0] == "1 recording measures another unit and is left out."
    assert "no recording of `branch:x` is measured" in answer(runs(0, 5, read=1.0), []).headline
    assert "no recording of `branch:main` is measured" in answer([], []).headline


def test_a_name_of_a_function_ends_no_sentence_and_no_cell() -> None:
    hostile = {"`**x**](http://e) <b>|": 40.0, "read": 20.0}
    found = answer(runs(0, 6, **dict.fromkeys(hostile, 20.0)), runs(9, 6, **hostile))
    assert "`'**x**](http://e) <b>|`" in found.headline
