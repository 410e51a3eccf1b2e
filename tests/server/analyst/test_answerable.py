"""What is answered in place of what a recording cannot answer, and where a word is looked up before it is denied."""

from collections.abc import Sequence

import pytest

from server.analyst.intent import Intent
from server.analyst.understanding import understood
from tests.server.analyst.test_analyst_chat import asked, talk
from tests.server.analyst.written_answers import assert_answered
from tests.server.analyst.written_answers import prompts_of as answers_of
from tests.traces.insights.recorded import Call, sampled, timeline
from traces.model import Trace
from traces.values import Unit

STACKS = {"main;shape;format": 4.0, "main;write": 60.0, "main;load": 36.0}
LOCK = "wait cabinet lock"


def presses() -> Trace:
    """Two threads that wait for each other, one that has a long call among short ones, and a marked moment."""
    first: Sequence[Call] = [("engrave", 0, 40), (LOCK, 40, 80)]
    second: Sequence[Call] = [(LOCK, 0, 40), ("engrave", 40, 80)]
    binds: Sequence[Call] = [("bind", at, at + 2) for at in range(0, 20, 4)] + [("bind", 24, 84)]
    names = ("press-1 (tid 1)", "press-2 (tid 2)", "binder (tid 3)")
    return timeline(first, second, binds, names=names, instants=[("paper jam", 31)])


@pytest.mark.parametrize(
    ("prompt", "has"),
    [
        ("so format() is slow, as always in ruby", "**No: [`format`]"),
        ("how long is the slowest call of format", "**Single calls are not in this trace**"),
        ("8 threads yet hardly quicker than one thread, whats wrong", "[`write`]"),
        ("is it slower than before?", "**One trace alone cannot say"),
        ("format is also a cache, how much does it hold", "[`format`]"),
        ("all from the same code?", "[`write`]"),
    ],
)
async def test_what_a_recording_cannot_answer_gives_way_unless_it_is_asked_for(prompt: str, has: str) -> None:
    answer, _ = await asked(prompt, sampled(STACKS))
    assert has in answer.text.partition("\n")[0], answer.text


async def test_busy_with_what_is_asked_of_the_thread_that_was_spoken_of() -> None:
    *_, answer = await talk(presses(), "which thread is the busiest?", "busy with what")
    assert "works for" in answer
    assert "[`bind`]" in answer.partition("\n")[0]


async def test_the_time_lost_to_a_lock_is_of_all_threads_and_of_each_that_is_named() -> None:
    first, lost, each, holder = await talk(
        presses(), f"how long does `{LOCK}` take?", "total time lost to that", "per press?", "who holds it meanwhile"
    )
    assert LOCK in first
    assert "takes 80.0 ms in total" in lost.partition("\n")[0]
    assert "per thread: [`press-1 (tid 1)`](#p0) 40.0 ms in" in each
    assert f"while one thread waits in [`{LOCK}`](#f1), the others are mostly in [`engrave`](#f0) (80.0 ms)" in holder


async def test_the_outlier_of_a_thread_and_the_average_of_the_rest() -> None:
    outlier, rest = await talk(presses(), "binder thread, any outlier?", "avg without it?")
    assert outlier.startswith("**The longest call took 60.0 ms from 24.0 ms on in [`bind`]")
    assert "the middle one 2.00 ms" in outlier
    assert rest.startswith(
        "**[`bind`](#f2) takes 2.00 ms on average, in [`binder (tid 3)`](#p2), without the longest call**"
        ", 11.7 ms with it"
    )


async def test_a_point_in_time_is_looked_up_before_its_name_is_denied() -> None:
    answer, _ = await asked("when did the paper jam happen", presses())
    assert answer.text.startswith("**`paper jam` is marked at 31.0 ms**")
    answer, _ = await asked("when did the ink jam happen", presses())
    assert "is marked at" not in answer.text


async def test_the_name_of_a_thread_is_no_function_that_is_missing() -> None:
    trace = timeline([("parse", 0, 30)], [("draw", 0, 90)], names=("ScriptStreamerThread", "Drawing"))
    answer, _ = await asked("what's the ScriptStreamerThread doing, how long altogether", trace)
    assert answer.text.startswith("**[`ScriptStreamerThread`](#p0) works for 30.0 ms")


@pytest.mark.parametrize(
    ("prompt", "begins"),
    [
        ("so once at start is enough. how much would I save", "About [`write`]"),
        ("¿cuánto ahorro si lo compilo una sola vez?", "About [`write`]"),
        ("how much would i save without sharpening", "This trace has no function that matches `sharpening`"),
    ],
)
async def test_savings_are_of_what_was_spoken_of_unless_something_else_is_taken_out(prompt: str, begins: str) -> None:
    *_, answer = await talk(sampled(STACKS), "how long does `write` take?", prompt)
    assert answer.startswith(begins), answer


async def test_when_a_sampled_function_ran_counts_what_it_calls() -> None:
    answer, _ = await asked("when is shape done", sampled(STACKS))
    assert "**[`shape`](#f1) runs until 4.00 ms**" in answer.text


async def test_who_has_the_memory_is_who_made_it() -> None:
    trace = sampled({"main;keep;calibrate": 96.0, "main;draw": 4.0}, unit=Unit.BYTES, value="inuse_space")
    answer, _ = await asked("heap grows and grows, who's got it", trace)
    assert "[`calibrate`]" in answer.text.partition("\n")[0].partition(".")[0]
    answer, _ = await asked("calibrate makes arrays each time, why", trace)
    assert "How long anything takes cannot be said" not in answer.text


@pytest.mark.parametrize(
    "prompt",
    [
        "was passiert in den ersten 220 ms?",
        "前220毫秒在干什么",
        "que se passe-t-il dans les 220 premières ms",
        "¿qué pasa en los primeros 220 ms?",
        "back to the old one. between 0 and 220 ms?",
    ],
)
def test_what_runs_in_a_time_is_asked_in_every_language(prompt: str) -> None:
    question = understood(prompt, {})
    assert question.intent is Intent.WINDOW
    assert [one.within(1_000.0) for one in question.time_ranges] == [(0.0, 220.0)]


def test_a_query_is_sql_only_where_it_is_one() -> None:
    assert understood("all from the same code?", {}).intent is not Intent.SQL
    assert understood("select name from spans", {}).intent is Intent.SQL
    assert understood("which tables can i query", {}).intent is Intent.SQL


async def test_what_other_threads_do_in_a_time_is_said_where_it_is_something_else() -> None:
    answer, _ = await asked("what happens in the first 20 ms?", presses())
    assert "leads by self time between 0 s and 20.0 ms" in answer.text.partition("\n")[0]
    assert "Other threads then: [`engrave`](#f0) in [`press-1 (tid 1)`](#p0)" in answer.text.partition("\n")[0]


async def test_a_thing_on_the_main_thread_is_that_thing() -> None:
    trace = timeline([("v8.run", 0, 60), ("v8.compile", 70, 80)], names=("CrRendererMain",))
    *_, answer = await talk(trace, "how long does `v8.run` take?", "and compile on the main thread")
    assert "[`v8.compile`]" in answer.partition("\n")[0]
    *_, answer = await talk(trace, "how long does `v8.run` take?", "and frobnicate on the main thread")
    assert "[`v8.compile`]" not in answer.partition("\n")[0]


async def test_which_of_two_doings_it_is_takes_one_of_them_up() -> None:
    answer, _ = await asked("reading the file or parsing it?", sampled(STACKS))
    assert answer.text.startswith("**I cannot answer that**: it asks which of two it is")
    answer, _ = await asked("writing the file or parsing it?", sampled(STACKS))
    assert "[`write`]" in answer.text.partition("\n")[0]


async def test_a_wait_of_the_others_is_named_with_what_calls_it() -> None:
    writes = [("write", 3, 50), ("time.sleep", 4, 50)]
    trace = timeline([(LOCK, 0, 50)], [(LOCK, 0, 2), *writes], names=("one", "two"))
    *_, holder = await talk(trace, f"how long does `{LOCK}` take?", "who holds it meanwhile")
    assert "the others are mostly in [`time.sleep`](#f2) of [`write`](#f1) (46.0 ms), where they wait, too" in holder


@pytest.mark.parametrize(("module", "trace", "prompt"), answers_of("answerable"))
async def test_an_answer_is_as_it_is_written(module: str, trace: str, prompt: str) -> None:
    await assert_answered(module, trace, prompt)
