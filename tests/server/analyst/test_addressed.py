"""An answer without the kind of figure that is asked for says so, instead of answering another question."""

import pytest

from server.analyst.addressed import of_another_question
from server.analyst.evidence import Evidence
from server.analyst.intent import Intent
from server.analyst.question import alone
from tests.server.analyst.test_analyst_chat import asked
from tests.server.analyst.written_answers import assert_answered
from tests.server.analyst.written_answers import prompts_of as answers_of
from tests.traces.insights.recorded import sampled, timeline
from traces.values import Unit

THREAD = "**[`reader-0`](#p1) works for [22.0 ms](#p1.busy) of 172 ms, idle 87.2%.** The most is in [`encode`](#f3)."
TREE = [("walk", 0, 40), ("write", 50, 60)]
OTHER = [("step", 0, 90)]


@pytest.mark.parametrize(
    ("prompt", "opening", "kind"),
    [
        ("how much more does reader-0 do than reader-1", THREAD, "one thing set against another"),
        ("which of them hashes more", THREAD, "one thing set against another"),
        ("what share is that", "**[`encode`](#f3) was called 30 times.**", "a share"),
        ("average wait", "**Yes, it waits: 15.7 s of waiting was recorded.**", "an average"),
        ("median wait", THREAD, "a median or percentile"),
        ("which thread was that", "**[`encode`](#f3) takes 5.0% (3.00 ms) in total**", "a thread"),
        ("which does the least work", THREAD, "the least of them"),
        ("longest single task on reader-0", "**[`reader-0`](#p1) is idle 87.2% of the time.**", "a single call"),
        ("when does reader-0 start", THREAD, "a moment"),
        ("walk and write together", "**[`walk`](#f0)** takes 3.00 ms.", "a sum"),
        ("runtime overall, factor", THREAD, "one thing set against another"),
        (
            "so still slower than reader-1?",
            "**Yes, calls get longer: [`encode`](#f3).**",
            "one thing set against another",
        ),
        ("mean w/o that one", "**[`encode`](#f3) takes 3.00 ms.**", "an average"),
        ("reader-0 w/o that call", THREAD, "what would be gained"),
        ("if i move the write out of the lock whats left", THREAD, "what would be gained"),
        ("n the rest of that thread is?", "**[`reader-0`](#p1) works for 22.0 ms.**", "what is left"),
        ("et les autres ?", "**[`reader-0`](#p1) works for 22.0 ms.**", "what is left"),
        ("how many pages a second", THREAD, "a number per second"),
        ("in welcher Zeile", "**[`encode`](#f3) calls nothing else.**", "a line of the source"),
        ("占总时长的百分之几", "**Outlier call**: One of 40 calls of [`walk`](#f0) lasts 594 ms.", "a share"),
    ],
)
def test_another_kind_of_figure_is_no_answer(prompt: str, opening: str, kind: str) -> None:
    assert f"it asks for {kind}" in of_another_question(alone(prompt, {}, None), Evidence(prompt, {}, ()), opening)


@pytest.mark.parametrize(
    ("prompt", "opening"),
    [
        ("why does it take half a second", THREAD),
        ("why can it read so few pages a second?", THREAD),
        ("which of them takes longer", "**[`a`](#f0) takes more**: 3.00 ms in total, and [`b`](#f1) 1.00 ms."),
        ("average wait", "**The average wait cannot be said**"),
        ("does it take more than 50%", "**No: [`a`](#f0) takes 4.0% (3.00 ms) in total.**"),
        ("which tasks take longer than 50 ms", "**5 tasks last longer than 50 ms**"),
        ("walk: self vs total", "**[`walk`](#f0) takes 3.00 ms in total and 1.00 ms itself**"),
        ("draw the average", "A bar chart."),
        ("does it take at least 5 ms", "**[`a`](#f0) takes 3.00 ms.**"),
        ("when is the longest walk", "**The slowest call of [`walk`](#f0) took 3.00 ms**, from 20.0 ms on."),
        ("walk and write together", "**Together they take 50.0% (30.0 ms) themselves**"),
    ],
)
def test_an_answer_with_that_figure_or_a_plain_cannot_stays(prompt: str, opening: str) -> None:
    assert of_another_question(alone(prompt, {}, None), Evidence(prompt, {}, ()), opening) == ""


ALL = "**[`encode`](#f3) dominates** (`a.py:3`): 60.0% (1.00 s) of 1.67 s is spent in it itself."


@pytest.mark.parametrize(
    "prompt", ["so both were overweight i guess", "und wie viel Diesel?", "page faults?", "json then"]
)
def test_the_report_on_everything_is_no_answer_to_what_goes_on_about_something(prompt: str) -> None:
    spoken = Evidence(prompt, {}, (), openings=("**[`walk`](#f0) takes 3.00 ms.**",))
    assert of_another_question(alone(prompt, {}, None), spoken, ALL).startswith("**I cannot answer that**: ")


@pytest.mark.parametrize(
    "prompt", ["so what dominates", "ok then what is it", "et pourquoi ?", "was kostet am meisten?", "and encode?"]
)
def test_who_asks_for_all_gets_the_report_on_it(prompt: str) -> None:
    spoken = Evidence(prompt, {}, (), openings=("**[`walk`](#f0) takes 3.00 ms.**",))
    assert of_another_question(alone(prompt, {}, None), spoken, ALL) == ""


def test_who_begins_may_describe_a_symptom_and_not_only_name_a_thing() -> None:
    for prompt, is_answered in (("two lanes, who takes the cpu", True), ("script evaluation", False)):
        assert (of_another_question(alone(prompt, {}, None), Evidence(prompt, {}, ()), ALL) == "") is is_answered


async def test_three_questions_that_can_be_answered_stand_with_it() -> None:
    answer, _ = await asked("which thread has the fewest tasks", timeline(TREE, OTHER, names=("a", "b")))
    assert answer.text.startswith("**I cannot answer that**: it asks for the least of them, ")
    assert answer.text.count("“") == 3
    again, _ = await asked("how long does `walk` take?", timeline(TREE, names=("a",)))
    assert again.text.startswith("**[`walk`](#f0) takes "), again.text


def test_of_two_that_are_asked_for_one_alone_is_no_answer() -> None:
    question = alone("via sexp or lexer?", {}, None).about(Intent.GROUP)
    evidence = Evidence(question.text, {}, ())
    assert "it asks for one of two" in of_another_question(
        question, evidence, "**The functions named `sexp` take 52.3%**"
    )
    assert of_another_question(question, evidence, "**It is called from `sexp` (3) and `lexer` (1)**") == ""


def test_a_pronoun_after_an_answer_about_nothing_is_asked_back() -> None:
    question = alone("how often is it called", {}, None)
    spoken = Evidence(question.text, {}, (), openings=("**I cannot answer that**: it asks for a share.",))
    opening = "**The most calls go to [`walk`](#f0), with 5 calls.**"
    assert of_another_question(question, spoken, opening).startswith("**Which function do you mean?**")
    assert of_another_question(question, Evidence(question.text, {}, ()), opening) == ""


@pytest.mark.parametrize(("module", "trace", "prompt"), answers_of("addressed"))
async def test_an_answer_is_as_it_is_written(module: str, trace: str, prompt: str) -> None:
    await assert_answered(module, trace, prompt)


@pytest.mark.parametrize("prompt", ["what's holding the memory", "which function keeps hogging memory"])
async def test_a_verb_for_taking_memory_is_no_name(prompt: str) -> None:
    answer, _ = await asked(prompt, sampled({"main;ledger": 90, "main;names": 10}, unit=Unit.BYTES, value="space"))
    assert "cannot answer" not in answer.text.partition("\n")[0]
