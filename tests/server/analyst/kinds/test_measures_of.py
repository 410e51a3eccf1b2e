"""The figure that is asked for stands first, of the function that is named, over all threads."""

import pytest

from server.analyst.evidence import Evidence, Result
from server.analyst.kinds.measures_of import calls, write
from server.analyst.measured import Measured
from server.analyst.question import Intent, Question
from tests.server.analyst.test_analyst_chat import asked, talk
from tests.server.analyst.written_answers import assert_answered, prompts_of
from tests.traces.insights.recorded import timeline

TREE = [("walk", 0, 40), ("walk", 5, 30), ("walk", 6, 20), ("write", 50, 60), ("writer", 70, 75)]
OTHER = [("write", 0, 90), ("step", 10, 70)]


@pytest.mark.parametrize(
    ("prompt", "begins"),
    [
        ("write self time", "**[`write`](#f1) takes "),
        ("write on which threads", "**[`write`](#f1) runs in all 2 threads: "),
        ("is step on one thread", "**Yes: [`step`]"),
        ("walk in every thread?", "**No: [`walk`](#f0) runs only in [`a`](#p0) (40.0 ms, 3 calls)**, of 2 threads."),
        (
            "walk vs write, calls",
            "**[`walk`](#f0) has more calls**: 3 calls, and [`write`](#f1) 2 calls, of all threads together.",
        ),
        ("is walk called more than write", "**Yes: [`walk`](#f0) has more calls**: "),
        ("is walk slower than write", "**No: [`write`](#f1) takes more**: "),
        ("is walk faster than write", "**Yes: [`write`](#f1) takes more**: "),
        ("average of walk vs write", "**A call of [`write`](#f1) takes more**: 50.0 ms on average, and [`walk`]"),
        ("what percentage of write is step", "**60.0% of [`write`](#f1) is [`step`](#f3)**: 60.0 ms of 100 ms."),
        ("what percentage of step is write", "**Nothing of [`step`](#f3) is [`write`](#f1)**, which runs elsewhere: "),
        ("median of write", "**The middle call of [`write`](#f1) took "),
        ("% of step", "**[`step`](#f3) takes "),
        ("how many of walk's calls come from itself", "**2 of its 3 calls come from [`walk`](#f0) itself**"),
        ("how many of step's calls come from itself", "**None: [`step`](#f3) does not call itself.**"),
    ],
)
async def test_the_figure_that_is_asked_for_comes_first(prompt: str, begins: str) -> None:
    answer, _ = await asked(prompt, timeline(TREE, OTHER, names=("a", "b")))
    assert answer.text.startswith(begins), answer.text


async def test_a_name_that_the_trace_has_goes_before_one_that_only_begins_so() -> None:
    answer, _ = await asked("write total", timeline(TREE, names=("a",)))
    assert "`writer`" not in answer.text.partition("\n")[0]


async def test_the_two_of_a_conversation_are_set_against_each_other() -> None:
    answers = await talk(timeline(TREE, OTHER, names=("a", "b")), "write self time", "and walk?", "which is worse")
    assert answers[1].startswith("**[`walk`](#f0) takes "), answers[1]
    assert answers[2].startswith("**[`write`](#f1) takes more**: "), answers[2]
    assert "`walk`" in answers[2].partition("\n")[0]


async def test_a_name_that_the_trace_has_not_is_not_measured() -> None:
    answer, _ = await asked("uploadAssets self time", timeline(TREE, names=("a",)))
    assert "no function that matches" in answer.text


async def test_what_has_signs_around_its_name_is_named_without_them() -> None:
    trace = timeline([("run", 0, 100), ("## forward ##", 10, 40), ("Net.forward", 12, 20), ("## backward ##", 50, 90)])
    answer, _ = await asked("forward vs backward", trace)
    first = answer.text.partition("\n")[0]
    assert first.startswith("**[`## backward ##`](#f3) takes more**: "), first
    assert "`Net.forward`" not in first


async def test_a_thread_is_known_by_a_word_of_its_name_and_goes_on() -> None:
    trace = timeline(TREE, OTHER, names=("scanner", "uploader"))
    answers = await talk(trace, "what keeps the uploader busy", "walk self time", "what does that thread do")
    assert answers[0].startswith("**[`uploader`](#p1) works for"), answers[0]
    assert answers[2].startswith("**[`scanner`](#p0) works for"), answers[2]


async def test_a_sum_over_all_threads_is_of_all_of_them() -> None:
    answer, _ = await asked("write sum over all threads", timeline(TREE, OTHER, names=("a", "b")))
    assert answer.text.startswith("**[`write`](#f1) takes "), answer.text
    assert "100 ms" in answer.text.partition("\n")[0]
    assert "could not place" not in answer.text


async def test_the_hottest_function_overall_is_that_of_all_threads() -> None:
    work, others = [("step", 0, 50), ("spin", 50, 90)], [("spin", 0, 60)]
    answer, _ = await asked("hottest fn overall", timeline(work, others, others, names=("a", "b", "c")))
    assert answer.text.startswith("**[`spin`](#f1) leads by self time** of all threads together: "), answer.text


async def test_what_was_spoken_of_is_set_against_one_name_more() -> None:
    trace = timeline(TREE, OTHER, names=("a", "b"))
    answers = await talk(
        trace, "how often is walk called", "more than write?", "by how many percent", "average of each"
    )
    assert answers[1].startswith("**Yes: [`walk`](#f0) has more calls**: "), answers[1]
    assert "`walk`" in answers[2].partition("\n")[0]
    assert "`write`" in answers[2].partition("\n")[0]
    assert answers[3].count(" on average") == 2, answers[3]


async def test_one_of_the_two_named_again_is_set_against_the_other() -> None:
    trace = timeline(TREE, OTHER, names=("a", "b"))
    answers = await talk(trace, "walk vs write", "how much longer is write in %")
    assert answers[1].startswith("**[`write`](#f1) takes more**: "), answers[1]
    assert "`walk`" in answers[1].partition("\n")[0]


async def test_whether_it_calls_itself_is_decided_of_what_was_spoken_of() -> None:
    answers = await talk(
        timeline(TREE, names=("a",)), "walk self time", "is it recursive", "write total", "is it recursive"
    )
    assert "**Yes: 2 of its 3 calls come from [`walk`]" in answers[1], answers[1]
    assert "**No: [`write`](#f1) does not call itself.**" in answers[3], answers[3]


async def test_the_single_call_of_the_answer_before_is_what_that_call_is() -> None:
    answers = await talk(timeline(TREE, names=("a",)), "write longest", "which call was that?")
    assert "**The slowest call of [`write`]" in answers[1].partition("\n")[0], answers[1]


async def test_the_collector_that_was_spoken_of_is_set_against_the_next_name() -> None:
    trace = timeline([("copy", 0, 60), ("(garbage collector)", 60, 80), ("check", 80, 90)])
    answers = await talk(trace, "gc?", "more than check")
    assert "`(garbage collector)`" in answers[1].partition("\n")[0], answers[1]


def test_a_function_that_was_not_looked_up_is_said_to_be_unknown() -> None:
    question = Question(
        intent=Intent.FUNCTION,
        text="read self time",
        handles=("f1", "f2"),
        measured=Measured(("self",), ("read", "write")),
    )
    assert write(question, Evidence(question.text, {}, ())) == ["**That function could not be looked up.**"]
    around = {"frame": {"handle": "f1", "total_value": 1.0}, "profile": "all"}
    one = (Result("get_callers_callees", {"frame": "f1"}, around, "", failed=False),)
    assert write(question, Evidence(question.text, {}, one)) == ["**That function could not be looked up.**"]


def test_before_anything_is_known_the_summary_and_the_ranking_are_asked_for() -> None:
    question = Question(intent=Intent.FUNCTION, text="read self time", handles=("f1",))
    assert [name for name, _ in calls(question, Evidence(question.text, {}, ()))] == [
        "get_trace_summary",
        "get_top_functions",
    ]


@pytest.mark.parametrize(("module", "trace", "prompt"), prompts_of("measures_of"))
async def test_an_answer_is_as_it_is_written(module: str, trace: str, prompt: str) -> None:
    await assert_answered(module, trace, prompt)
