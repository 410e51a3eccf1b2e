"""Statements about functions without a figure: decided by the trace, open where it cannot decide them."""

from itertools import count

import pytest

from evals.claims.known_facts import known_facts
from server.agent.verification.answer_checks import checked
from server.agent.verification.facts import Compared, Facts
from server.agent.verification.statements.relation_decisions import by_of
from server.protocol.wire_values import Check
from tests.server.agent.turns import small_trace
from tests.traces.insights.recorded import sampled


def test_code_that_calls_something_is_no_ranking_by_calls() -> None:
    assert by_of("With library code left to the code that calls it, this leads.") == ("self", "total")
    assert by_of("This leads by calls.") == ("count",)


def relation(sentence: str, facts: Facts | None = None) -> Check:
    found = checked(small_trace(), sentence, facts or Facts(), "", ()).checks
    (check,) = [one for one in found if one.kind == "relation"]
    return check


@pytest.mark.parametrize(
    ("sentence", "status"),
    [
        ("`main` calls `load`.", "verified"),
        ("`load` is called by `main`.", "verified"),
        ("`main` calls `load` and `draw`.", "verified"),
        ("`draw` calls `load`.", "contradicted"),
        ("`main` calls `load` and `nope_it_is`.", "verified"),
        ("`main` ruft `load` auf.", "verified"),
        ("`draw` ruft `load` auf.", "contradicted"),
        ("`load` est appelée par `main`.", "verified"),
        ("`main` never calls `load`.", "contradicted"),
        ("`draw` never calls `load`.", "verified"),
        ("`load` is called only by `main`.", "verified"),
        ("`parse_json` is the hottest function.", "verified"),
        ("`load` is the hottest function.", "contradicted"),
        ("The function that takes the most time is `draw`.", "contradicted"),
        ("`draw` ranks second by self.", "verified"),
        ("`main` ranks second by self.", "contradicted"),
        ("`draw` is recursive.", "contradicted"),
        ("`draw` is not recursive.", "verified"),
        ("`parse_json` takes longer than `draw`.", "verified"),
        ("`draw` takes longer than `parse_json`.", "contradicted"),
        ("`draw` is cheaper than `parse_json`.", "verified"),
        ("There is no `HttpClient` in this trace.", "verified"),
        ("There is no `draw` in this trace.", "contradicted"),
        ("`parse_json` runs below `main`.", "verified"),
        ("`main` runs below `parse_json`.", "contradicted"),
        ("`draw` starts before `parse_json`.", "contradicted"),
        ("`parse_json` starts before `draw`.", "verified"),
        ("`draw` calls nothing.", "verified"),
        ("`main` calls nothing.", "contradicted"),
        ("If `draw` calls `load`, that is new.", "unchecked"),
        ("I do not think that `main` calls `load`.", "unchecked"),
        ("`draw` is only called because nobody cached it.", "unchecked"),
    ],
)
def test_a_relation_is_decided_by_the_trace(sentence: str, status: str) -> None:
    assert relation(sentence).status == status


def test_what_is_so_instead_is_named_with_a_contradiction() -> None:
    assert "parse_json" in (relation("`load` is the hottest function.").actual or "")


def test_a_name_that_is_said_to_be_absent_is_no_unknown_name() -> None:
    found = checked(small_trace(), "There is no `HttpClient` in this trace.", Facts(), "", ()).checks
    assert [check.kind for check in found] == ["relation"]


@pytest.mark.parametrize(
    ("compared", "status"),
    [
        (Compared(False, ()), "contradicted"),
        (Compared(True, (("draw", "new", 5.0),)), "contradicted"),
        (Compared(True, (("draw", "grew", 5.0),)), "verified"),
        (Compared(True, (("draw", "shrank", -5.0),)), "contradicted"),
        (Compared(True, ()), "unchecked"),
    ],
)
def test_more_than_before_needs_a_before_that_is_of_the_same_program(compared: Compared, status: str) -> None:
    check = relation("`draw` takes more than before.", Facts(comparisons=[compared]))
    assert check.status == status


@pytest.mark.parametrize(
    ("sentence", "claim", "status"),
    [
        ("Die Eigenzeit von `draw` beträgt 250,0 ms.", "250,0 ms", "verified"),
        ("`draw` braucht selbst 600 ms.", "600 ms", "contradicted"),
        ("Le temps propre de `draw` est de 0,25 s.", "0,25 s", "verified"),
        ("`parse_json` and `main` together take 1.6 s in total.", "1.6 s", "contradicted"),
        ("`main` takes 1.0 s in total.", "1.0 s", "verified"),
        ("`main` itself takes 1.0 s.", "1.0 s", "contradicted"),
        ("`draw` makes up 25% of `main`.", "25%", "derived"),
        ("`draw` makes up 40% of `main`.", "40%", "contradicted"),
        ("`parse_json` is 2.4 times as expensive as `draw`.", "2.4 times", "derived"),
        ("`draw` is 2.4 times as expensive as `parse_json`.", "2.4 times", "contradicted"),
        ("`draw` takes 600 ms, `parse_json` 250 ms.", "600 ms", "contradicted"),
        ("Caching could save 600 ms in `draw`.", "600 ms", "unchecked"),
        ("The recording is 1.0 s long.", "1.0 s", "verified"),
        ("The recording is 3.0 s long.", "3.0 s", "contradicted"),
    ],
)
def test_a_figure_is_bound_to_function_measure_and_base(sentence: str, claim: str, status: str) -> None:
    found = checked(small_trace(), sentence, Facts(), "", ()).checks
    (check,) = [one for one in found if one.claim.startswith(claim)]
    assert check.status == status


def test_checking_ends_in_time_and_what_is_late_is_open() -> None:
    answer, ticks = " ".join(f"`draw` takes {number} ms." for number in range(400)), count(step=3)
    found = checked(small_trace(), answer, Facts(), "", (), clock=lambda: next(ticks)).checks
    assert found
    assert {check.status for check in found} == {"unchecked"}


@pytest.mark.parametrize(
    "answer",
    [
        "9" * 40_000 + " ms",
        "1 " * 20_000,
        " ".join(f"L{n}:0001@1795362501.{n:04}" for n in range(800)),
        "`draw` " * 3_000,
    ],
    ids=["digits", "ones", "log", "names"],
)
@pytest.mark.timeout(10)
def test_no_text_takes_long(answer: str) -> None:
    checked(small_trace(), answer, Facts(), "", ())


def test_a_window_of_threads_that_share_no_clock_is_no_error() -> None:
    trace = known_facts("sample/order-service.speedscope.json.gz").trace
    answer = "Between 1 s and 2 s, `find_discount` takes 900 ms itself, and `price_line` leads."
    assert checked(trace, answer, Facts(), "", ()).checks


def test_a_figure_of_a_window_is_of_that_window() -> None:
    answer = "Between 0 ms and 600 ms `parse_json` takes 600 ms itself. Between 600 ms and 850 ms `draw` takes 600 ms."
    found = checked(small_trace(), answer, Facts(), "", ()).checks
    assert [check.status for check in found if check.kind == "number"] == ["verified", "contradicted"]


@pytest.mark.parametrize(
    ("sentence", "status"),
    [
        ("`tick` is the hottest function.", "verified"),
        ("`(program)` is the hottest.", "verified"),
        ("`draw` is the hottest function.", "contradicted"),
    ],
)
def test_time_in_no_function_takes_no_functions_place(sentence: str, status: str) -> None:
    trace = sampled({"(root);(program)": 60, "(root);<module>": 50, "(root);tick": 30, "(root);draw": 10})
    (check,) = [one for one in checked(trace, sentence, Facts(), "", ()).checks if one.kind == "relation"]
    assert check.status == status
