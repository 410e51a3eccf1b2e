"""A trend over recordings is decided as a statement: its direction and since when, not its figures alone."""

from datetime import UTC, datetime, timedelta

import pytest

from server.agent.questions.question_schema import Measure, Series
from server.agent.questions.run_answers import series_answer
from server.agent.verification.answer_checks import checked
from server.agent.verification.references.kept_results import KeptResult, facts_of
from server.ports.history import RunPoint
from server.ports.run_labels import written_labels
from tests.server.agent.turns import small_trace

START = datetime(2026, 1, 1, tzinfo=UTC)


def result(*values: float) -> KeptResult:
    points = [
        RunPoint(
            trace_id=f"t{day}",
            name=f"night-{day}",
            created_at=START + timedelta(days=day),
            run=written_labels([f"commit:c{day}"]),
            unit="nanoseconds",
            is_there=True,
            value=value * 1e6,
        )
        for day, value in enumerate(values)
    ]
    answer = series_answer(Series(form="series", measure=Measure(kind="function", name="read")), points)
    return KeptResult(number=1, tool="ask_traces", arguments={}, data=answer.data, text=answer.headline)


ROSE = result(*[212.0] * 6, *[305.0] * 6)


VERBS = {"rose", "grew", "fell", "dropped", "stieg", "fiel", "risen", "fallen", "fall"}


def verdicts(answer: str, *results: KeptResult) -> list[tuple[str, str]]:
    """Of the verbs of trends: what became of them."""
    facts, _ = facts_of(results)
    found = checked(small_trace(), answer, facts, "how did it develop?", ())
    return [(one.claim, one.status) for one in found.checks if one.claim in VERBS]


@pytest.mark.parametrize(
    ("sentence", "status"),
    [
        ("It rose from 212 ms to 305 ms since `c6`.", "verified"),
        ("It rose from 212 ms to 305 ms.", "verified"),
        ("It grew by 43.9 % since commit `c6`.", "verified"),
        ("Es stieg von 212 ms auf 305 ms seit `c6`.", "verified"),
        ("It fell from 212 ms to 305 ms since `c6`.", "contradicted"),
        ("It fell from 305 ms to 212 ms since `c6`.", "contradicted"),
        ("It rose from 305 ms to 212 ms.", "contradicted"),
        ("It rose from 212 ms to 305 ms since `c2`.", "contradicted"),
        ("It dropped by 43.9 %.", "contradicted"),
        ("Es fiel von 212 ms auf 305 ms.", "contradicted"),
    ],
)
def test_a_trend_is_decided_with_its_direction_and_since_when(sentence: str, status: str) -> None:
    assert [found for _, found in verdicts(sentence, ROSE)] == [status]


@pytest.mark.parametrize(
    "sentence",
    [
        "It rose from 100 ms to 200 ms.",
        "It rose from 212 MB to 305 MB.",
        "It would have fallen from 212 ms to 305 ms.",
        "It has not risen from 212 ms to 305 ms.",
        "Did it fall from 212 ms to 305 ms?",
        "It takes 305 ms.",
    ],
)
def test_what_is_of_no_result_or_claims_nothing_is_left_to_other_checks(sentence: str) -> None:
    assert [one for one in verdicts(sentence, ROSE) if one[1] != "unchecked"] == []


def test_without_a_question_over_recordings_no_trend_is_decided() -> None:
    assert [one for one in verdicts("It fell from 212 ms to 305 ms.") if one[1] != "unchecked"] == []


def test_a_change_that_may_be_chance_proves_nothing() -> None:
    noisy = result(200.0, 320.0, 230.0, 330.0)
    assert "No change that is more than chance" in noisy.text
    before, after = noisy.data["before_ns"] / 1e6, noisy.data["after_ns"] / 1e6
    verb = "rose" if after > before else "fell"
    assert verdicts(f"It {verb} from {before:g} ms to {after:g} ms.", noisy) == [(verb, "unchecked")]


def test_two_levels_are_no_window_of_time() -> None:
    facts, _ = facts_of([ROSE])
    found = checked(small_trace(), "It fell from 212 ms to 305 ms.", facts, "how?", ())
    assert [(one.claim, one.kind, one.status) for one in found.checks] == [("fell", "relation", "contradicted")]
    apart = checked(small_trace(), "It rose from 212 ms before to 305 ms now.", facts, "how?", ())
    assert [one.status for one in apart.checks] == ["verified"] * len(apart.checks)
