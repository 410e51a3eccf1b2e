"""Graders pass a right answer and fail each way of being wrong."""

import pytest
from pydantic import ValidationError

from evals.answer import Answer, ToolCall
from evals.case import Case, Expected
from evals.graders import ANSWER_CHARACTERS, failures
from evals.reading import amounts, not_called_cause, opening
from server.protocol.wire_values import Citation

CAUSE = ("find_discount",)


def case(**expect: object) -> Case:
    return Case(name="x", prompt="Why?", kind="known", made="x", expect=Expected.model_validate(expect))


def answer(text: str, **more: object) -> Answer:
    return Answer(text=text, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        "**[`find_discount`](#f9) dominates** (`pricing.py:29`): 46.5% (6.2 s) of 13.4 s is spent in it itself.",
        "The bottleneck is `find_discount`, which takes 46.5 % of the time.",
        "Most of the time is spent in find_discount.",
        "`render_page` spends 90% of its time in `find_discount`.",
        "# Answer\n\nIt is slow because of `order_service.pricing.find_discount`, asked for every line.",
        "This is not about the database: `find_discount` is the hottest function.",
    ],
)
def test_an_opening_that_calls_the_cause_the_cause_passes(text: str) -> None:
    assert not_called_cause(text, CAUSE) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "`strptime` dominates: 46.5% of the time is spent in it. It is called by `find_discount`.",
        "It is `strptime`. Later on, `find_discount` takes some time.",
        "`find_discount` is not the bottleneck.",
        "The time is not spent in `find_discount`.",
        "Candidates are `a_b`, `c_d`, `e_f`, `g_h`, `i_j` and `find_discount`, which takes 46.5 % of the time.",
        "Functions: `find_discount`.",
        "`find_discounts_for_all` dominates the time.",
        "`find_discount.inner` dominates the time.",
        "First.\n\nSecond thing.\n\nThird thing.\n\nThe cause is `find_discount`.",
        "The functions are:\n\n| function | self |\n|---|---|\n| `find_discount` | 46.5% of 13 s |",
        "Look:\nf1 main 0.1% of it\nf2 load 0.2% of it\nf3 draw 0.2% of it\nf4 find_discount takes 46% of it",
    ],
)
def test_an_opening_that_does_not_call_the_cause_the_cause_fails(text: str) -> None:
    assert not_called_cause(text, CAUSE) is not None


def test_two_causes_must_both_stand_in_the_opening() -> None:
    both = case(causes=[["compress"], ["encrypt"]])
    assert failures(both, answer("`compress` and `encrypt` take 45 % each.")) == []
    assert failures(both, answer("`compress` takes 45 %.\n\n- `encrypt` takes 45 % too.")) == [
        "the opening does not name encrypt"
    ]


@pytest.mark.parametrize(
    ("text", "passes"),
    [
        ("`parse` takes 46.5% of it.", True),
        ("| `parse` | 46.5% (6.2 s) |", True),
        ("`parse` takes 46.9% of it.", True),
        ("`parse` takes 47.2% of it.", False),
        ("`parse` takes 46.5 s.", False),
        ("`draw` takes 46.5%. `parse` is beside it.", False),
        ("`parse46.5%`", False),
    ],
)
def test_a_figure_must_be_right_in_value_unit_and_place(text: str, passes: bool) -> None:
    expected = case(figures=[{"value": 46.5, "unit": "%", "within": 0.5, "near": "parse"}])
    assert (failures(expected, answer(text)) == []) is passes


def test_numbers_are_read_in_the_unit_that_is_asked_for() -> None:
    assert amounts("1.5 s, 20 ms and 3 µs", "ms") == [1500.0, 20.0, 0.003]
    assert amounts("12 kB of 3 MB", "kB") == [12.0, 3000.0]
    assert amounts("113,220 calls, 12% and 5 ms", "count") == [113220.0]


def test_words_are_looked_for_where_they_must_stand_and_must_not() -> None:
    strict = case(opening=["idle"], says=["network"], never_opening=["dominates"], never=["99 ?%"])
    assert failures(strict, answer("It is idle.\n\nIt waits for the network.")) == []
    assert len(failures(strict, answer("`poll` dominates.\n\n- Idle? 99 % of it."))) == 4


def test_a_citation_must_resolve_to_the_name() -> None:
    cited = Citation(handle="f1", label="parse", name="json.parse", engine_version="1")
    other = Citation(handle="f2", label="parse", name="draw", engine_version="1")
    expected = case(cites=["parse"], says=["."])
    assert failures(expected, answer("`parse`", citations=(cited,))) == []
    assert failures(expected, answer("`parse`", citations=(other,))) == ["no citation resolves to parse"]
    assert failures(expected, answer("`parse`", with_tools=False)) == []


def test_a_finding_counts_only_when_a_tool_said_that_the_trace_has_it() -> None:
    expected = case(finding="forced-reflow", says=["."])
    said = ToolCall(
        tool="get_insights", text="findings, worst first:\nhigh forced-reflow (high): Scripts force layouts."
    )
    passed = ToolCall(tool="get_insights", text="forced-reflow: Forced reflow: pass (info, confidence high)")
    assert failures(expected, answer("x", calls=(said,))) == []
    assert failures(expected, answer("x", calls=(passed,))) != []
    assert failures(expected, answer("forced-reflow", calls=())) != []


def test_tool_calls_are_compared_with_what_had_to_and_must_not_be_called() -> None:
    expected = case(calls=["find_frames"], never_calls=["show_in_viewer"], says=["."])
    assert failures(expected, answer("x", calls=(ToolCall(tool="find_frames"),))) == []
    assert failures(expected, answer("x", calls=(ToolCall(tool="show_in_viewer"),))) == [
        "it did not call find_frames",
        "it called show_in_viewer",
    ]


def test_a_dump_and_no_answer_fail() -> None:
    anything = case(says=["."])
    assert failures(anything, answer("x" * (ANSWER_CHARACTERS + 1))) != []
    assert failures(anything, answer("", error="the provider is down")) == ["no answer: the provider is down"]


def test_an_opening_ends_where_a_listing_begins() -> None:
    assert opening("It is idle.\n\n- one\n- two") == "It is idle."
    assert opening("# Title\n\nOne. Two. Three. Four.") == "One. Two. Three."


def test_a_case_that_expects_nothing_is_refused() -> None:
    with pytest.raises(ValidationError, match="nothing is expected"):
        case(never=["x"])
