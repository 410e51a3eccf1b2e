"""Answers about threads: whether the main one is blocked."""

from typing import Any

import pytest

from server.analyst.evidence import Evidence, Result
from server.analyst.kinds.threads import main_thread, one, profiles
from server.analyst.question import Intent, Question
from tests.server.analyst.test_analyst_chat import talk
from tests.server.analyst.written_answers import assert_answered, prompts_of
from tests.traces.insights.recorded import timeline

ASKED = Question(intent=Intent.MAIN_THREAD, text="Is the main thread blocked?")


def a_thread(handle: str, **more: Any) -> dict[str, Any]:
    row = {"handle": handle, "name": handle, "pid": "1", "tid": handle, "kind": "sampled", "unit": "nanoseconds"}
    return {
        **row,
        "total": 60e6,
        "busy": 60e6,
        "waiting": None,
        "idle": 40e6,
        "unknown": None,
        "stands_for_thread": True,
        "idle_share": None,
        "values": [],
        **more,
    }


def said(*threads: dict[str, Any]) -> str:
    results = (
        Result("get_trace_summary", {}, {"default_profile": "p0", "profiles": list(threads)}, "", failed=False),
        Result("list_profiles", {}, {"profiles": list(threads)}, "", failed=False),
    )
    return " ".join(main_thread(ASKED, Evidence(ASKED.text, {}, results)))


@pytest.mark.parametrize(
    ("idle", "verdict"),
    [
        (None, "**Yes, the main thread is busy.**"),
        (0.1, "**Yes, the main thread is busy.**"),
        (0.6, "**Not for long: the main thread is idle most of the time.**"),
        (0.95, "**No, the main thread is mostly idle.**"),
    ],
)
def test_how_idle_it_is_decides_the_answer(idle: float | None, verdict: str) -> None:
    assert said(a_thread("p0", idle_share=idle)).startswith(verdict)


def listed(text: str, *threads: dict[str, Any], processes: list[dict[str, Any]] | None = None) -> str:
    data = {"profiles": list(threads), "total_profiles": len(threads), "processes": processes or []}
    results = (
        Result("get_trace_summary", {}, {"default_profile": "p0", "profiles": list(threads)}, "", failed=False),
        Result("list_profiles", {}, data, "", failed=False),
    )
    names = tuple(row["name"] for row in processes or () if row["name"] in text)
    question = Question(intent=Intent.PROFILES, text=text, names=names)
    return " ".join(profiles(question, Evidence(text, {}, results)))


def test_who_waits_longest_is_said_by_the_waiting() -> None:
    slow = a_thread("p1", busy=10e6, waiting=80e6, idle=10e6)
    answer = listed("which thread waits longest?", a_thread("p0", waiting=1e6, idle=39e6), slow)
    assert answer.startswith("**Of 2 threads the one that waits longest is [`p1`](#p1) for 80.0 ms (80.0%)**")


def test_whether_any_is_idle_is_answered_by_their_number() -> None:
    rows = (a_thread("p0", idle_share=0.1), a_thread("p1", idle_share=0.9), a_thread("p2", idle_share=0.5))
    assert listed("is anything idle?", *rows).startswith(
        "**Yes: 2 of 3 threads are idle for half of the time or more.**"
    )
    assert listed("is anything idle?", rows[0]).startswith("**No: none of 1 threads is idle for half of the time.**")


def test_a_thread_that_is_gone_on_about_is_shown_by_its_samples() -> None:
    tasks, samples = a_thread("p0", tid="7", kind="evented"), a_thread("p1", tid="7")
    question = Question(intent=Intent.THREAD, text="what's it busy with", thread="p0")
    data = {"default_profile": "p9", "profiles": [tasks, samples]}
    results = (
        Result("get_trace_summary", {}, data, "", failed=False),
        Result("list_profiles", {}, {"profiles": [tasks, samples]}, "", failed=False),
    )
    assert one(question, Evidence("", {}, results))[0].startswith("**[`p1`](#p1) works for")


def test_kinds_of_events_are_no_threads() -> None:
    sums = a_thread("p0", name="Without native calls", unit="count", busy=None, total=59, tid="", idle=None)
    waits = a_thread("p1", name="Waits of main", busy=0.0, waiting=99e6, idle=1e6)
    answer = listed("which threads are there?", sums, waits)
    assert answer.startswith("**Which thread that is, I cannot say: samples of all threads are counted together here**")


def test_programs_are_set_against_each_other() -> None:
    processes = [{"name": "cc1", "share": 0.3, "busy": 30e6}, {"name": "ruby", "share": 0.2, "busy": 20e6}]
    answer = listed("ruby vs cc1, who used more", a_thread("p0"), a_thread("p1"), processes=processes)
    assert answer.startswith(
        "**Of all that was recorded `cc1` takes 30.0% (30.0 ms) and `ruby` takes 20.0% (20.0 ms).**"
    )


def test_another_thread_that_is_busier_is_named() -> None:
    answer = said(a_thread("p0", idle_share=0.1), a_thread("p1", busy=90e6))
    assert "The busiest is [`p1`](#p1), with 90.0 ms." in answer
    assert "The busiest is" not in said(a_thread("p0", idle_share=0.1), a_thread("p1", busy=50e6))


LONG = {
    "id": "long-tasks",
    "kind": "timeline",
    "state": "fail",
    "severity": "medium",
    "profile": "p0",
    "advice": "",
    "title": "Long tasks",
}


@pytest.mark.parametrize(
    ("prompt", "begins"),
    [
        ("how many long tasks on the main thread, and the longest?", "**5 tasks last longer than 50 ms."),
        ("which script blocks the main thread longest", "**5 tasks last longer than 50 ms."),
        ("主线程有几个长任务？最长多久？", "**5 tasks last longer than 50 ms."),
        ("is the main thread blocked?", "**Not for long:"),
    ],
)
def test_a_number_or_a_name_is_not_answered_with_yes_or_no(prompt: str, begins: str) -> None:
    thread = a_thread("p0", idle_share=0.6)
    long = LONG | {"template": "5 tasks last longer than 50 ms.", "evidence": [], "share": 0.1}
    results = (
        Result("get_trace_summary", {}, {"default_profile": "p0", "profiles": [thread]}, "", failed=False),
        Result("list_profiles", {}, {"profiles": [thread]}, "", failed=False),
        Result("get_insights", {}, {"insights": [long]}, "", failed=False),
    )
    question = Question(intent=Intent.MAIN_THREAD, text=prompt)
    assert " ".join(main_thread(question, Evidence(prompt, {}, results))).startswith(begins)


def test_a_program_is_known_without_its_version() -> None:
    rows = [
        {"name": "python3", "share": 0.5, "busy": 50e6},
        {"name": "ruby", "share": 0.2, "busy": 20e6},
    ]
    threads = [a_thread("p0"), a_thread("p1")]
    data = {"profiles": threads, "total_profiles": 2, "processes": rows}
    results = (
        Result("get_trace_summary", {}, {"default_profile": "p0", "profiles": threads}, "", failed=False),
        Result("list_profiles", {}, data, "", failed=False),
    )
    question = Question(intent=Intent.PROFILES, text="python or ruby", names=("python", "ruby"))
    said_of = " ".join(profiles(question, Evidence(question.text, {}, results)))
    assert said_of.startswith("**Of all that was recorded `python3` takes 50.0% (50.0 ms) and `ruby` takes 20.0%")


@pytest.mark.parametrize(("count", "rest"), [(12, ""), (13, "- and 1 more"), (20, "- and 8 more")])
def test_twelve_threads_are_listed_the_busiest_first_and_the_rest_is_counted(count: int, rest: str) -> None:
    rows = [a_thread(f"p{number}", busy=(number + 1) * 1e6) for number in range(count)]
    lines = [line for line in listed("which threads are there?", *rows).splitlines() if "- " in line]
    assert len(lines) == 12 + bool(rest)
    assert f"p{count - 1}`" in lines[0]
    assert rest in lines[-1]


def test_one_thread_works_and_is_not_the_busiest_of_one() -> None:
    assert "**[`p0`](#p0) works for 60.0 ms.**" in listed("which threads are there?", a_thread("p0"))
    two = listed("which threads are there?", a_thread("p0", busy=90e6), a_thread("p1", busy=10e6))
    assert "**[`p0`](#p0) is the busiest of 2: 90.0 ms.**" in two


def test_the_least_busy_is_named_where_it_is_asked_for() -> None:
    rows = (a_thread("p0", busy=90e6), a_thread("p1", busy=10e6), a_thread("p2", busy=50e6))
    assert listed("which thread is least busy?", *rows).startswith("**The least busy of 3 is [`p1`](#p1): 10.0 ms.**")


@pytest.mark.parametrize(("module", "trace", "prompt"), prompts_of("threads"))
async def test_an_answer_is_as_it_is_written(module: str, trace: str, prompt: str) -> None:
    await assert_answered(module, trace, prompt)


async def test_what_is_odd_on_a_thread_is_its_longest_call_and_how_much_longer_than_the_others_that_is() -> None:
    pumps = [("pump", at, at + 5) for at in range(0, 100, 10)]
    recorded = timeline([*pumps, ("pump", 100, 170)], [("step", 0, 90)], names=("engine", "captain"))
    odd, longer = await talk(recorded, "anything weird on the engine thread?", "how much slower than the rest of them")
    assert odd.startswith("**The longest call took 70.0 ms from 100 ms on in [`pump`]"), odd
    assert "14 times as long as the middle one**" in longer.partition("\n")[0], longer
