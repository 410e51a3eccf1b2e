"""Figures that are links: exact, contradicted with the true value, or unchecked; and limits of bad input."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.agent.verification.answer_checks import checked
from server.agent.verification.facts import Facts
from server.agent.verification.references.checked_answer import checked_answer
from server.agent.verification.references.tool_results import Conversation
from server.agent.verification.verdicts import LATE
from server.protocol.wire_values import Check
from tests.server.agent.turns import small_trace
from tests.traces.insights.recorded import timeline

TRACE = small_trace()


def checks_of(answer: str) -> list[Check]:
    return list(checked_answer(TRACE, answer, Facts(), "Why?", [], Conversation()).checks)


def of_link(answer: str) -> Check:
    (check,) = [one for one in checks_of(answer) if "](" not in one.claim and answer[one.end : one.end + 2] == "]("]
    return check


@pytest.mark.parametrize(
    "answer",
    [
        "It takes [600 ms](#f2.self).",
        "It takes [0.6 s](#f2.self) of [1 s](#p0.total).",
        "It takes [600](#f2.self) ms.",
        "That is [60%](#f2.self/p0), [60.0 %](#f2.self), **[60%](#f2.total/f0)**.",
        "`parse_json`: about [58 %](#f2.self/p0) of it, over [50%](#f2.self/p0), less than [70 %](#f2.self/p0).",
        "It is [<70%](#f2.self/p0), [about 58 %](#f2.self/p0) and **[over 50%](#f2.self/p0)**.",
        "It was seen in [1](#f2.samples) sample and [3](p0.samples) in all.",
        "| a | b |\n|---|--:|\n| `parse_json` | [600 ms](#f2.self) |",
    ],
)
def test_right_within_the_written_rounding_is_verified(answer: str) -> None:
    links = [one for one in checks_of(answer) if one.address]
    assert len(links) == answer.count("](")
    assert {one.status for one in links} == {"verified"}
    for one in links:
        assert answer[one.start : one.end] == one.claim


@pytest.mark.parametrize(
    ("answer", "actual"),
    [
        ("It takes [379 ms](#f2.self).", "600 ms"),
        ("It takes [600 ms](#f3.self).", "250 ms"),
        ("It takes [600 ms](#f1.self).", "0 ns"),
        ("That is [39%](#f2.self/p0).", "60.0%"),
        ("That is [600 ms](#f2.self/p0).", "60.0%"),
        ("That is over [70%](#f2.self/p0).", "60.0%"),
        ("Less than [50%](#f2.self/p0).", "60.0%"),
        ("It is [5×](#f2.self/f3.self) as much.", "2.4×"),
        (f"It takes [{'9' * 60} ms](#f2.self).", "600 ms"),
        ("It was called [600](#f2.self) times.", "600 ms"),
    ],
)
def test_another_value_is_contradicted_with_the_true_one(answer: str, actual: str) -> None:
    check = of_link(answer)
    assert (check.status, check.actual) == ("contradicted", actual)


@pytest.mark.parametrize("answer", ["It is [2.4×](#f2.self/f3.self) as much.", "Both take [850 ms](#f2.self+f3.self)."])
def test_a_named_formula_is_derived(answer: str) -> None:
    check = of_link(answer)
    assert check.status == "derived"
    assert "parse_json" in (check.how or "")


@pytest.mark.parametrize(
    "answer",
    [
        "It takes [600 ms](#f99.self).",
        "It takes [600 ms](#f2.speed).",
        "It takes [600 ms](#q7.r3.calls).",
        "It takes [600 ms](#w7.f2.self).",
        "It takes [long](#f2.self).",
        "It takes [600 to 700 ms](#f2.self).",
        "All of it, [1,600 ms](#f0.total+f1.total).",
        "There are [3](#x) of them.",
        "`parse_json` takes [600 ms](#f2) itself.",
        "It was seen in [3](p0) samples.",
    ],
)
def test_what_cannot_be_bound_is_unchecked(answer: str) -> None:
    check = of_link(answer)
    assert check.status == "unchecked"
    assert check.how


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ("`parse_json` braucht [0,6 s](#f2.self).", "verified"),
        ("`parse_json` prend [60,0 %](#f2.self/p0) du temps.", "verified"),
        ("`parse_json` takes [0,60 s](#f2.self).", "verified"),
        ("`parse_json` braucht [0,7 s](#f2.self).", "contradicted"),
        ("`parse_json` is [2,4](#f2.self/f3.self) times `draw`.", "derived"),
        ("`parse_json` is [2,9](#f2.self/f3.self) times `draw`.", "contradicted"),
        ("`draw` takes [2.4](#f2.self/f3.self) times as long as `parse_json`.", "contradicted"),
        ("`parse_json` takes [800 ms](#f2.self) or less.", "verified"),
        ("`parse_json` takes [800 ms](#f2.self) or more.", "contradicted"),
    ],
)
def test_commas_ratios_and_bounds_mean_what_they_say(answer: str, status: str) -> None:
    assert of_link(answer).status == status


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ("| function | total |\n|---|--:|\n| load | 600 ms |", "verified"),
        ("| function | self |\n|---|--:|\n| load | 600 ms |", "contradicted"),
        ("`parse_json` spends 600 ms waiting for a lock.", "unchecked"),
        ("`main` calls `parse_json`.", "verified"),
        ("`main` directly calls `parse_json`.", "contradicted"),
        ("`draw` is mainly called by `main`.", "derived"),
        ("`parse_json` is mainly called by `main`.", "contradicted"),
        ("`load` hands 100% of its time to `parse_json`.", "derived"),
        ("`main` hands 90% of its time to `draw`.", "contradicted"),
        ("`parse_json` takes over 400 ms.", "derived"),
        ("Some of it takes over 400 ms.", "unchecked"),
        ("`draw` occupe le premier rang par temps propre, avec 250 ms.", "contradicted"),
        ("All calls of `parse_json` come from `load`.", "verified"),
    ],
)
def test_sentences_without_links_are_decided_by_their_words(answer: str, status: str) -> None:
    found = {one.status for one in checks_of(answer) if one.kind != "name"}
    assert status in found
    assert found <= {status, "verified"}


def test_a_link_in_code_is_no_figure() -> None:
    assert not checks_of("Write `[379 ms](#f2.self)` or\n\n```\n[379 ms](#f2.self)\n```\n")


def test_half_a_link_is_what_it_says() -> None:
    assert {one.address for one in checks_of("It takes [379 ms](#f2.sel")} == {None}


def test_a_figure_of_another_function_than_its_sentence_names_is_contradicted() -> None:
    check = of_link("`load` takes [600 ms](#f2.self) itself.")
    assert check.status == "contradicted"
    assert of_link("`parse_json` takes [600 ms](#f2.self) itself.").status == "verified"


@pytest.mark.parametrize(
    "answer",
    [
        "`draw` takes [600 ms](#f2.self), all in all.",
        "`load` takes [60%](#f2.self/p0) of the time.",
        "| function | total |\n|---|--:|\n| `load` | [600 ms](#f2.self) |",
        "`load` is called. It takes [600 ms](#f2.self).",
        "The regular expressions take [60%](#f2.self/p0).",
        "`parse_json` spends [600 ms](#f2.self) waiting for a lock.",
        "Most of the waiting is on the database: [600 ms](#f2.self).",
        "`main` takes longer than `parse_json` by [600 ms](#f2.self).",
        "`parse_json` does not take [600 ms](#f2.self).",
    ],
)
def test_a_right_figure_does_not_verify_a_sentence_about_something_else(answer: str) -> None:
    assert of_link(answer).status in ("unchecked", "contradicted")


def test_a_first_pronoun_is_what_the_question_named() -> None:
    answer = "It takes [600 ms](#f2.self)."
    asked = {"load": "unchecked", "parse_json": "verified"}
    for name, status in asked.items():
        checks = checked_answer(TRACE, answer, Facts(), f"How long does `{name}` take?", [], Conversation()).checks
        assert [one.status for one in checks] == [status]


def test_rules_read_the_answer_without_its_addresses() -> None:
    (name, figure) = checks_of("[`parse_json`](#f2) takes [600 ms](#f2.self).")
    assert (name.kind, name.status, figure.status) == ("name", "verified", "verified")
    answer = "[600 ms](#f2.self) goes to `nobody_knows_it`, in 77 calls."
    for check in checks_of(answer):
        assert answer[check.start : check.end] == check.claim


def test_three_thousand_figures_and_long_ones_take_less_than_two_seconds() -> None:
    answer = " ".join(f"Row {i} takes [{i + 1} ms](#f{i % 4}.self)." for i in range(3000))
    answer += f" And [{'9' * 400} ms](#f2.self)" + "](#f1." * 2000 + "[1](" * 2000
    began = time.process_time()
    checks = [one for one in checks_of(answer) if one.address]
    assert time.process_time() - began < 2
    assert len(checks) == 3000


def test_rules_that_have_no_time_left_leave_the_rest_unchecked() -> None:
    answer = "It takes 600 ms, and 41 ms, and 42 ms."
    ticks = iter(range(100))
    found = checked(TRACE, answer, Facts(), "Why?", [], clock=lambda: next(ticks)).checks
    assert {(one.status, one.how) for one in found if one.claim == "42 ms"} == {("unchecked", LATE.how)}


@given(st.text(alphabet="[]()#f2.selftotalpcqw/+-19 ms%`\n", max_size=80))
def test_no_answer_raises(answer: str) -> None:
    for check in checks_of(answer):
        assert 0 <= check.start <= check.end <= len(answer)


@pytest.mark.parametrize("said", ["On the main thread `collect` takes", "Im Hauptthread braucht `collect`"])
@pytest.mark.parametrize("scope", ["", "p2."])
def test_the_main_thread_of_a_trace_that_knows_none_proves_nothing(said: str, scope: str) -> None:
    threads = [("work", 0, 100)], [("poll", 0, 9)], [("collect", 20, 50)]
    trace = timeline(*threads, names=("first", "ThreadPoolForegroundWorker", "collector"))
    collect = trace.frame_names.index("collect")
    for answer, status in (
        (f"{said} [30 ms](#{scope}f{collect}.total).", "unchecked"),
        (f"`collect` takes [30 ms](#p2.f{collect}.total).", "verified"),
    ):
        checks = checked_answer(trace, answer, Facts(), "Is that so?", ()).checks
        assert {one.status for one in checks if one.kind != "name"} == {status}, answer
