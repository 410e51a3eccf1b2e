"""Sentences about recordings so small that every figure is known: of functions, of threads, of the recording before."""

import pytest
from langchain_core.messages import ToolMessage

from server.agent.verification.answer_checks import checked
from server.agent.verification.facts import Facts, gathered
from server.protocol.wire_values import Check
from tests.traces.insights.recorded import sampled, timeline
from traces.analysis.units import format_share
from traces.model import Trace

ONE = sampled({"main;load;parse": 40, "main;load;check": 20, "main;draw": 30, "main": 10})
TWO = timeline(
    [("main", 0, 40), ("read", 0, 30)], [("step", 0, 90), ("draw", 10, 60)], names=("gui", "worker"), length=100
)
LONG_NAME = "a_function_with_a_name_that_is_longer_than_sixty_characters_as_generated_code_has"


def claims(sentence: str, trace: Trace = ONE, facts: Facts | None = None) -> list[Check]:
    """What is checked of a sentence but for its names."""
    found = checked(trace, sentence, facts or Facts(), "Is that so?", ()).checks
    return [one for one in found if one.kind != "name"]


def compared() -> Facts:
    """`draw` had a third of what it has now, and `parse` was not there."""
    before, after = ({"self_share": share, "total_share": share, "self_value": share * 1e8} for share in (0.1, 0.3))
    facts = Facts()
    facts.add_comparison(
        {
            "rows": [
                {"name": "draw", "status": "changed", "change": {"self_value": 2e7}, "before": before, "after": after},
                {"name": "parse", "status": "new", "change": {"self_value": 4e7}, "after": {"self_share": 0.4}},
            ],
            "before": {"whole": 5e7},
            "after": {"whole": 1e8},
        }
    )
    return facts


@pytest.mark.parametrize(
    ("sentence", "status", "shown"),
    [
        ("`load` hands 67% of its time to `parse`.", "derived", "parse of load: 66.7%"),
        ("`load` hands 50% of its time to `parse`.", "contradicted", "parse of load: 66.7%"),
        ("`load` passes 33% of its time on to `check`.", "derived", "check of load: 33.3%"),
    ],
)
def test_a_part_of_a_function_s_time_is_of_that_function_and_not_of_all(sentence: str, status: str, shown: str) -> None:
    ((check),) = claims(sentence)
    assert (check.status, check.how or check.actual) == (status, shown)


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ("just over 29 ms", "derived"),
        ("just over 20 ms", "contradicted"),
        ("just under 45 ms", "contradicted"),
        ("slightly less than 45 ms", "contradicted"),
        ("slightly less than 31 ms", "derived"),
        ("just over 31 ms", "contradicted"),
        ("just over 50 ms", "contradicted"),
        ("just under 31 ms", "derived"),
        ("just under 29 ms", "contradicted"),
        ("slightly more than 29 ms", "derived"),
        ("slightly more than 20 ms", "contradicted"),
        ("barely over 20 ms", "contradicted"),
        ("more than 20 ms", "derived"),
        ("about 31 ms", "derived"),
        ("at least 29 ms", "derived"),
        ("at most 29 ms", "contradicted"),
        ("over 31 ms", "contradicted"),
    ],
)
def test_a_bound_has_its_side(words: str, status: str) -> None:
    """`draw` takes 30 ms."""
    (check,) = claims(f"`draw` takes {words}.")
    assert check.status == status


@pytest.mark.parametrize(
    ("sentence", "status"),
    [
        ("`draw` takes 30%. That is about a third of all.", "derived"),
        ("`parse` takes 40%. That is about two fifths.", "derived"),
    ],
)
def test_a_fraction_is_of_the_share_in_the_sentence_before(sentence: str, status: str) -> None:
    share, fraction = claims(sentence)
    assert (share.status, fraction.status) == ("verified", status)
    assert fraction.how is not None
    assert "self share of" in fraction.how


@pytest.mark.parametrize(
    ("sentence", "status"),
    [
        ("`gui` is mostly idle.", "verified"),
        ("`gui` is mostly busy.", "contradicted"),
        ("`worker` is mostly busy.", "verified"),
        ("`worker` is mostly waiting.", "contradicted"),
        ("The thread `worker` is busy most of the time.", "verified"),
        ("The thread `worker` waits most of the time.", "contradicted"),
    ],
)
def test_what_a_thread_mostly_does_is_compared_with_its_time(sentence: str, status: str) -> None:
    (check,) = claims(sentence, TWO)
    assert check.status == status
    share = "40% busy, 0% waiting, 60% idle" if "gui" in sentence else "90% busy, 0% waiting, 10% idle"
    assert (check.how or check.actual) == share


@pytest.mark.parametrize(
    ("sentence", "status"),
    [
        ("`gui` is busy for 40 ms.", "verified"),
        ("`gui` is busy for 90 ms.", "contradicted"),
        ("The thread `gui` is busy 40% of the time.", "verified"),
        ("The thread `worker` is busy 10% of the time.", "contradicted"),
        ("The thread `worker` is idle 0% of the time.", "contradicted"),
    ],
)
def test_how_long_a_thread_is_busy_is_shown_with_the_rest_of_its_time(sentence: str, status: str) -> None:
    (check,) = claims(sentence, TWO)
    shown = {
        "gui": "40.0 ms (40.0%) busy, 0 ns (0.0%) waiting, 60.0 ms (60.0%) idle",
        "worker": "90.0 ms (90.0%) busy, 0 ns (0.0%) waiting, 10.0 ms (10.0%) idle",
    }
    assert (check.status, check.how or check.actual) == (status, shown["gui" if "gui" in sentence else "worker"])


def test_the_hottest_function_is_named_against_one_that_is_not_and_a_long_name_is_cut() -> None:
    (right,) = claims("`parse` is the hottest function of all by its own time.")
    assert (right.status, right.how) == ("verified", "place 1 by self in p0")
    (wrong,) = claims("`draw` is the hottest function of all by its own time.")
    assert (wrong.status, wrong.actual) == ("contradicted", "place 1 by self is parse")
    (long,) = claims(
        "`draw` is the hottest function of all by its own time.",
        sampled({f"main;{LONG_NAME}": 60, "main;draw": 40}),
    )
    assert long.actual == f"place 1 by self is {LONG_NAME[:60]}"


@pytest.mark.parametrize(
    ("sentence", "status", "shown"),
    [
        ("`draw` grew since the earlier recording.", "verified", "self 10.0% before, 30.0% after"),
        ("`draw` shrank since the earlier recording.", "contradicted", "self 10.0% before, 30.0% after"),
        ("The share of `draw` grew compared with the earlier recording.", "verified", "self 10.0% before"),
        ("`parse` was not in the earlier recording.", "verified", "it is not in the recording before"),
        ("`draw` was not in the earlier recording.", "contradicted", "it is in the recording before, too"),
        ("`draw` is new.", "contradicted", "it is in the recording before, too"),
        ("`parse` is new.", "verified", "it is not in the recording before"),
        ("The new recording takes twice as long as the one before.", "derived", "2 times what was measured before"),
        ("The new recording takes half as long as the one before.", "contradicted", "2 times what was"),
    ],
)
def test_what_changed_is_compared_by_what_a_tool_found(sentence: str, status: str, shown: str) -> None:
    (check,) = claims(sentence, facts=compared())
    assert check.status == status
    assert (check.how or check.actual or "").startswith(shown)


def test_without_a_comparison_nothing_is_known_of_the_recording_before() -> None:
    assert {one.status for one in claims("`draw` grew since the earlier recording.")} <= {"unchecked"}
    assert claims("`draw` is new.") == []


@pytest.mark.parametrize("around", ["{}", "- {}  \n", "* {}", "> {} \n\n"])
def test_what_nobody_decided_is_marked_from_its_first_word_to_its_last(around: str) -> None:
    said = "Compared to `load`, `draw` is more of a nuisance."
    text = around.format(said)
    (check,) = claims(text)
    assert check.status == "unchecked"
    assert text[check.start : check.end] == said


@pytest.mark.parametrize("tool", ["core_memory_append", "core_memory_replace", "manage_memories"])
def test_what_people_had_remembered_proves_no_figure(tool: str) -> None:
    def numbers(name: str) -> int:
        artifact = {"data": {"total_ns": 7}, "arguments": {}}
        facts = gathered([ToolMessage("it takes 600 ms", name=name, tool_call_id="1", artifact=artifact)], {})
        return sum(map(len, facts.numbers.values()))

    assert numbers(tool) == 0
    assert numbers("get_top_functions") > 0


def test_shares_that_round_to_nothing_and_to_all_are_right_as_they_are_written() -> None:
    nearly_all = sampled({"main;work": 99_980, "main;rest": 20})
    text = f"`work` takes {format_share(0.9998)} itself. `rest` takes {format_share(0.0002)} itself."
    assert [(one.claim, one.status) for one in claims(text, nearly_all)] == [("99.9%", "derived"), ("0.1%", "derived")]
    assert [one.status for one in claims("`draw` takes >99.9% itself.")] == ["contradicted"]
