"""Questions over recordings, from words that the rules know."""

import pytest

from server.agent.questions.spoken_questions import spoken_question
from server.ports.history import KnownRuns

KNOWN_RUNS = KnownRuns(
    runs=9,
    labels={"release": {"v1": 4, "v2": 5}, "branch": {"main_line": 9}},
    programs={"shop_server": 9},
    functions=(("parse_day", "days.py"), ("find", None)),
    findings=("slow-io",),
    figures=("busy", "total"),
)


def measured(prompt: str) -> tuple[str, str] | None:
    question = spoken_question(prompt, KNOWN_RUNS)
    return None if question is None else (question.measure.kind, question.measure.name)


@pytest.mark.parametrize("name", ["parse_day", "load_orders", "Order::price", "priceOf", "orders.price"])
def test_what_looks_like_a_function_is_measured_known_or_not(name: str) -> None:
    """The checks refuse what is not there: the figure of everything would answer another question."""
    assert measured(f"since when is {name} slow") == ("function", name)
    assert measured(f"since when does `{name}` take more time in total") == ("function", name)


@pytest.mark.parametrize("name", ["v2", "main_line", "shop_server"])
def test_a_label_and_a_program_are_no_functions_however_they_are_written(name: str) -> None:
    assert measured(f"since when is it slow on {name}") == ("figure", "total")


def test_without_a_function_a_figure_is_measured_by_its_words() -> None:
    assert measured("since when is it busy") == ("figure", "busy")
    assert measured("since when is everything slow") == ("figure", "total")
    assert measured("why is it slow") is None
