"""Kinds of question over recordings: sums of a file, single calls, typed SQL, the order of events, what repeats."""

import re
from pathlib import Path

import pytest

from server.analyst.question import Intent
from server.analyst.understanding import understood
from tests.server.analyst.test_analyst_chat import asked, talk
from tests.traces.insights.recorded import sampled
from traces.model import Trace
from traces.reader import read_trace


@pytest.fixture
def calls(fixtures: Path) -> Trace:
    """A recording of every call, with their times."""
    source = fixtures / "redact-documents.viztracer.json.gz"
    return read_trace(source.read_bytes(), name=source.name)


@pytest.fixture
def sums(fixtures: Path) -> Trace:
    """Samples without an order in time."""
    source = fixtures / "settlement.go-cpu.pb.gz"
    return read_trace(source.read_bytes(), name=source.name)


async def test_a_file_is_the_sum_of_its_functions_and_several_are_ranked(sums: Trace) -> None:
    answer, _ = await asked("how much is `main.go`?", sums)
    assert answer.text.startswith("**`main.go` takes ")
    several, _ = await asked("`mgc.go` vs `main.go` vs `proc.go`, by file", sums)
    assert several.text.startswith("**`main.go` takes the most of them**")
    assert {check.status for check in several.checks} <= {"verified", "derived", "unchecked"}


async def test_files_are_ranked_by_what_they_take_themselves(sums: Trace) -> None:
    answer, _ = await asked("which file is the worst?", sums)
    assert re.match(r"\*\*`[^`]*main\.go` takes the most of all files: 54\.6% \(\d\.\d+ s\) itself\*\*", answer.text)
    assert "was not sure" not in answer.text


async def test_words_with_an_ending_find_the_functions_of_their_stem() -> None:
    stacks = {"main;parseFile;read": 30, "main;emit_node": 60, "main;sparse": 10}
    answer, _ = await asked("is it parsing or emitting?", sampled(stacks))
    assert answer.text.startswith(
        "**`emitting` takes more**: in total, `emitting` 60.0% (60.0 ms) (60.0% (60.0 ms) itself) and "
        "`parsing` 30.0% (30.0 ms)"
    )
    none, _ = await asked("how much does the compressor take?", sampled(stacks))
    assert none.text.startswith("This trace has no function that matches `compressor`.")


async def test_a_named_functions_recursion_is_its_own(calls: Trace) -> None:
    answer, _ = await asked("how deep does `redact` recurse?", calls)
    assert answer.text.startswith("**[`redact`](#f9) calls itself only by way of others.**"), answer.text
    trace = sampled({"main;walk;walk;walk;read": 10})
    again, _ = await asked("how often does `walk` call itself?", trace)
    assert again.text.startswith("**[`walk`](#f1) calls itself.** How often and how deep was not recorded.")


async def test_what_asks_which_gets_no_yes(calls: Trace) -> None:
    answer, _ = await asked("which calls are repeated?", calls)
    assert not re.match(r"\*\*(?:Yes|Partly)", answer.text), answer.text


async def test_the_slowest_call_is_given_with_the_spread_of_all(calls: Trace) -> None:
    name = "redact"
    answer, _ = await asked(f"which single call of `{name}` was the slowest, any outliers?", calls)
    assert answer.text.startswith("**The slowest call of [`"), answer.text
    assert "the middle one took" in answer.text
    assert {check.status for check in answer.checks} <= {"verified", "derived", "unchecked"}


async def test_single_calls_of_a_recording_of_samples_cannot_be_given(sums: Trace) -> None:
    answer, _ = await asked("p99 of `main.matchTrades`", sums)
    assert answer.text.startswith("**Single calls are not in this trace**")


async def test_typed_sql_runs_and_a_wrong_one_is_refused_with_the_reason(sums: Trace) -> None:
    query = "SELECT name, sum(self_ms) AS self_ms FROM nodes GROUP BY 1 ORDER BY 2 DESC LIMIT 2"
    answer, _ = await asked(query, sums)
    assert answer.text.startswith("**2 rows**.")
    assert "| `main.matchTrades` | 2.74 s |" in answer.text
    wrong, _ = await asked("select nonsense from nodes", sums)
    assert wrong.text.startswith("**That query could not be run.**")


async def test_when_a_function_runs_and_what_leads_in_order(calls: Trace, sums: Trace) -> None:
    name = "redact"
    assert understood(f"when does `{name}` start and end?", {}).intent is Intent.TIMELINE
    answer, _ = await asked(f"when does `{name}` start and end?", calls)
    assert " runs first at " in answer.text
    phases, _ = await asked("walk me through the phases in order, what ran first, what then?", calls)
    assert phases.text.startswith("**In order, what leads is ")
    none, _ = await asked("walk me through the phases in order, what ran first, what then?", sums)
    assert none.text.startswith("**This trace cannot say what happened when**")


async def test_whether_work_repeats_or_grows_is_not_claimed_of_samples(sums: Trace) -> None:
    repeated, _ = await asked("is the same work done again and again?", sums)
    assert repeated.text.startswith("**This trace cannot say whether work is repeated**")
    grows, _ = await asked("does it get slower over time?", sums)
    assert grows.text.startswith("**This trace cannot say whether anything gets slower**")


async def test_a_correction_asks_the_question_before_of_what_was_meant(sums: Trace) -> None:
    answers = await talk(sums, "who calls memeqbody?", "no, i meant `main.makeTrades`", "and `main.balances`?")
    assert answers[1].startswith("**[`main.makeTrades`](#f22) is called from")
    assert answers[2].startswith("**[`main.balances`](#f6) is called from")


async def test_a_conversation_is_summarised_by_the_openings_of_its_answers(sums: Trace) -> None:
    answers = await talk(sums, "who calls memeqbody?", "summarise this conversation")
    assert answers[1].startswith("**1 answer so far in this conversation**: (1) **[`memeqbody`](#f5) is called from")
    alone = await talk(sums, "summarise this conversation")
    assert alone[0].startswith("**Nothing was answered in this conversation yet.**")


async def test_a_suspicion_is_decided_by_what_the_suspect_takes(sums: Trace) -> None:
    yes, _ = await asked("I think it's `main.matchTrades`", sums)
    assert yes.text.startswith("**Yes: [`main.matchTrades`](#f4) takes 90.3%")
    no, _ = await asked("could it be `runtime.gcBgMarkWorker`", sums)
    assert no.text.startswith("**No: [`runtime.gcBgMarkWorker`](#f45) takes 0.6%")


async def test_an_answer_is_short_unless_a_list_was_asked_for(sums: Trace, calls: Trace) -> None:
    for trace in (sums, calls):
        for prompt in ("why is it slow", "is it the gc", "who calls main", "longest tasks?", "is anything waiting"):
            answer, _ = await asked(prompt, trace)
            read = len(answer.text) - sum(len(one) for one in answer.text.split("](#")[1:])
            assert read <= 1_100, prompt


async def test_how_many_is_not_answered_from_samples(sums: Trace) -> None:
    often, _ = await asked("which function has the most calls?", sums)
    assert "cannot be said" in often.text


async def test_the_most_called_function_is_that_of_all(calls: Trace) -> None:
    answers = await talk(calls, "what about `luhn_sum`?", "most called function?")
    assert answers[1].startswith("**The most calls go to [`")


async def test_a_saving_is_what_a_function_and_its_callees_take(sums: Trace) -> None:
    answer, _ = await asked("how much would I save if `main.matchTrades` was free?", sums)
    assert answer.text.startswith("**At most 90.3% (4.58 s) would be saved, if [`main.matchTrades`](#f4)")


async def test_a_suspect_that_takes_less_than_another_is_not_mainly_the_cause(sums: Trace) -> None:
    answer, _ = await asked("it's `memeqbody`, right?", sums)
    assert answer.text.startswith("**Not mainly: [`memeqbody`](#f5) takes 29.4%")
    assert "`main.matchTrades`" in answer.text


async def test_waiting_for_a_thread_to_end_is_no_contended_lock() -> None:
    trace = sampled({"main;Thread.join;_wait_for_tstate_lock": 96, "main;work": 4})
    answer, _ = await asked("do the threads wait for a lock?", trace)
    assert not answer.text.startswith("**Yes")
    contended = sampled({"main;acquire;Lock.acquire": 96, "main;work": 4})
    assert (await asked("do the threads wait for a lock?", contended))[0].text.startswith("**Yes")


@pytest.mark.parametrize("prompt", ["how long was the longest gc?", "und wie lange war der längste gc?"])
async def test_how_long_a_collection_lasted_is_not_said_from_samples(prompt: str) -> None:
    answer, _ = await asked(prompt, sampled({"main;work": 60, "main;Minor GC": 30, "main": 10}))
    assert answer.text.startswith("**How long single collections lasted cannot be said: samples were taken.**")
