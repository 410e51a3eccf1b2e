"""Runs that measure a function in several units: each unit is a group of its own, and the answer says so."""

from datetime import UTC, datetime, timedelta

from server.agent.questions.question_schema import Comparison, Measure, Recurrence, Runs, Series
from server.agent.questions.run_answers import comparison_answer, recurrence_answer, series_answer
from server.ports.history import RunPoint
from server.ports.run_labels import written_labels

START = datetime(2026, 1, 1, tzinfo=UTC)
READ = Measure(kind="function", name="read")


def point(day: int, value: float | None, unit: str = "nanoseconds", *labels: str) -> RunPoint:
    return RunPoint(
        trace_id=f"t{day}",
        name=f"night-{day}",
        created_at=START + timedelta(days=day),
        run=written_labels([f"commit:c{day}", *labels]),
        unit=unit,
        is_there=value is not None,
        value=value,
        share=None if value is None else 0.5,
    )


MIXED = [
    *(point(day, 2e6) for day in range(4)),
    *(point(day, 1_000.0, "count") for day in range(4, 7)),
    *(point(day, 3e6) for day in range(7, 11)),
    point(11, 5e3, "bytes"),
    point(12, None),
]


def test_a_series_is_of_most_and_the_other_units_follow_as_groups() -> None:
    answer = series_answer(Series(form="series", measure=READ), MIXED)
    assert answer.headline.startswith(
        "**From `c7` (2026-01-08) on: the self time of `read` rose from 2.00 ms to 3.00 ms"
    )
    lacking, counts, size, chart = answer.notes
    assert lacking == "1 further recording does not have it among its heaviest functions."
    assert counts.startswith("3 recordings measure count, a group apart: No change of 10.0% or more: the self value of")
    assert counts.endswith("around 1,000 over 3 recordings, between 1,000 and 1,000.")
    assert size.startswith("1 recording measures bytes, a group apart: There is one recording")
    assert "5.00 kB" in size
    assert chart == "The chart is of those in nanoseconds."
    assert [row[0] for row in answer.rows[-5:]] == ["c10", "c4 (count)", "c5 (count)", "c6 (count)", "c11 (bytes)"]
    assert [len(answer.rows), len(answer.data["points"]), len(answer.chart["points"])] == [12, 12, 8]
    assert [one.get("value_ns") for one in answer.data["points"][7:]] == [3e6, None, None, None, None]
    assert [one["name"] for one in answer.data["groups"]] == ["count", "bytes"]


def test_by_a_label_too_each_unit_is_a_group() -> None:
    labelled = [point(one, 2e6, "nanoseconds", "release:1") for one in range(3)]
    labelled += [point(one, 1_000.0, "count", "release:2") for one in range(3, 5)]
    answer = series_answer(Series(form="series", measure=READ, by="release"), labelled)
    assert answer.rows == (("1", "3", "2.00 ms"), ("2 (count)", "2", "1,000"))
    assert any("2 recordings measure count, a group apart" in note for note in answer.notes)


def test_one_unit_has_no_groups() -> None:
    answer = series_answer(Series(form="series", measure=READ), [*MIXED[:4], MIXED[-1]])
    assert "groups" not in answer.data
    assert not any("apart" in note or "chart" in note for note in answer.notes)
    nothing = series_answer(Series(form="series", measure=READ), [MIXED[-1]])
    assert nothing.headline == "**None of these 1 recordings has the self time of `read`.**"


def test_where_values_are_set_against_each_other_one_unit_counts() -> None:
    left = "4 recordings measure bytes, count and are left out."
    again = recurrence_answer(Recurrence(form="recurrence", measure=READ, above=0.1), MIXED)
    assert left in again.notes
    groups = Comparison(form="compare", measure=READ, before=Runs(), after=Runs())
    assert left in comparison_answer(groups, READ, MIXED[:5], MIXED[5:]).notes


def test_a_finding_is_there_in_whatever_unit() -> None:
    found = Measure(kind="finding", name="long-tasks")
    answer = recurrence_answer(Recurrence(form="recurrence", measure=found), MIXED)
    assert (answer.data["runs"], answer.data["found"]) == (13, 12)
