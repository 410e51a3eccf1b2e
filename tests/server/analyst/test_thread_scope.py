"""A prompt is narrowed to the thread that it names by number or by a word of its name, and to no other."""

import pytest

from server.analyst.evidence import Evidence, Result
from server.analyst.intent import Intent
from server.analyst.question import alone
from server.analyst.thread_scope import narrowed, of_a_named_thread, threads_alike
from tests.server.analyst.written_answers import assert_answered
from tests.server.analyst.written_answers import prompts_of as answers_of

NAMES = (("CrRendererMain", 10, 71), ("ServiceWorker thread", 10, 75), ("CrGpuMain", 12, 90))


def evidence() -> Evidence:
    """A summary with three threads."""
    profiles = [
        {"handle": f"p{at}", "name": f"{name} (tid {tid})", "pid": pid, "tid": tid, "unit": "nanoseconds"}
        | {"stands_for_thread": True, "busy": 5.0 - at, "total": 5.0}
        for at, (name, pid, tid) in enumerate(NAMES)
    ]
    summary = {"profiles": profiles, "default_profile": "p0", "unit": "nanoseconds"}
    return Evidence("", {}, (Result("get_trace_summary", {}, summary, "", failed=False),))


@pytest.mark.parametrize(
    ("prompt", "profile"),
    [
        ("hottest function on tid 75", "p1"),
        ("longest task of the service worker", "p1"),
        ("top functions of the gpu track", "p2"),
        ("hottest function", None),
        ("hottest function of the compositor", None),
    ],
)
def test_a_thread_is_named_by_its_number_or_its_words(prompt: str, profile: str | None) -> None:
    assert narrowed(alone(prompt, {}, None).about(Intent.TOP), evidence()).profile == profile


def test_a_time_of_a_thread_is_the_question_for_that_time_there() -> None:
    found = narrowed(alone("what happened on thread 75 between 1 and 2 s", {}, None).about(Intent.THREAD), evidence())
    assert (found.intent, found.time_ranges[0].profile) == (Intent.WINDOW, "p1")


def of_clerks(prompt: str, *names: str) -> str:
    rows = [{"handle": f"p{at}", "name": name, "stands_for_thread": True} for at, name in enumerate(names)]
    summary = Result("get_trace_summary", {}, {"profiles": rows, "default_profile": "p0"}, "", failed=False)
    return threads_alike(alone(prompt, {}, None), Evidence("", {}, (summary,)))


@pytest.mark.parametrize(
    ("prompt", "names", "word"),
    [
        ("which clerk waits the most", ("clerk-1", "clerk-2", "main"), "clerk"),
        ("do the clerks wait", ("clerk-1", "clerk-2"), "clerk"),
        ("how busy are the presses", ("press-1", "press-2"), "press"),
        ("what does the clerk do", ("clerk-1", "clerk-2"), ""),
        ("which clerk waits the most", ("clerk-1", "main"), ""),
        ("which clerk waits the most", ("clerk a", "clerk b"), ""),
        ("which `clerk` waits the most", ("clerk-1", "clerk-2"), ""),
        ("why is it slow", ("clerk-1", "clerk-2"), ""),
    ],
)
def test_a_word_is_of_several_threads_where_their_names_differ_by_a_number(
    prompt: str, names: tuple[str, ...], word: str
) -> None:
    assert of_clerks(prompt, *names) == word


@pytest.mark.parametrize(("module", "trace", "prompt"), answers_of("thread_scope"))
async def test_an_answer_is_as_it_is_written(module: str, trace: str, prompt: str) -> None:
    await assert_answered(module, trace, prompt)


def test_a_thread_is_the_one_whose_name_stands_next_to_a_word_for_it() -> None:
    asked = alone("what keeps the plugin thread (CrGpuMain) busy", {}, None)
    assert of_a_named_thread(asked, evidence()).thread == "CrGpuMain"
    assert of_a_named_thread(alone("what does the plugin thread do", {}, None), evidence()).thread == "plugin"
