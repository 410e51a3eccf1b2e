"""Which question is answered once the words of a prompt were looked up in the trace."""

from typing import Any

from server.analyst.evidence import Evidence, Result
from server.analyst.plan import next_calls
from server.analyst.question import Intent, Question
from server.analyst.settled_question import settled
from server.analyst.topic_words import pattern_of
from tests.server.analyst.test_analyst_chat import talk
from tests.traces.insights.recorded import sampled

OFFERED = frozenset({"get_trace_summary", "get_top_functions", "find_frames", "get_callers_callees", "list_profiles"})


def row(name: str, handle: str, **more: Any) -> dict[str, Any]:
    return {
        "name": name,
        "handle": handle,
        "file": None,
        "total_share": 0.2,
        "self_share": 0.1,
        "self_value": 1e6,
    } | more


def found(pattern: str, *rows: dict[str, Any], regex: bool = False) -> Result:
    data = {"rows": list(rows), "total_matches": len(rows), "unit": "nanoseconds", "total_share": 0.2}
    return Result("find_frames", {"pattern": pattern} | ({"regex": True} if regex else {}), data, "", failed=False)


def evidence(*results: Result) -> Evidence:
    profile: dict[str, Any] = {
        "handle": "p0",
        "name": "main",
        "kind": "sampled",
        "unit": "nanoseconds",
        "pid": "1",
        "tid": "1",
        "stands_for_thread": False,
    }
    profile |= {"values": [{"name": "cpu"}]}
    summary = {"default_profile": "p0", "profiles": [profile], "name": "shop.json"}
    return Evidence("?", {}, (Result("get_trace_summary", {}, summary, "", failed=False), *results))


def asked(intent: Intent, text: str, **more: Any) -> Question:
    return Question(intent=intent, text=text, **more)


def test_a_word_that_is_a_function_s_name_is_meant() -> None:
    question = asked(Intent.TOP, "how slow is read", maybe=("read",))
    settled_one = settled(question, evidence(found("read", row("read", "f1"))))
    assert (settled_one.intent, settled_one.names, settled_one.maybe) == (Intent.FUNCTION, ("read",), ())
    callers = asked(Intent.CALLERS, "who calls read", maybe=("read",))
    assert settled(callers, evidence(found("read", row("read", "f1")))).intent is Intent.CALLERS


def test_a_word_that_no_function_has_leaves_the_question_for_everything() -> None:
    question = asked(Intent.CALLERS, "who calls that", maybe=("that",), otherwise=Intent.HOT_PATH)
    settled_one = settled(question, evidence(found("that")))
    assert (settled_one.intent, settled_one.maybe) == (Intent.HOT_PATH, ())


def test_something_new_that_has_no_name_here_is_said_not_to_be_there_and_not_what_was_spoken_of() -> None:
    question = asked(
        Intent.SUSPECT,
        "is there any minification",
        stems=("minif",),
        carried="[`read`](#f1)",
        handle="f1",
        profile="p0",
    )
    assert question.asks_for_any
    settled_one = settled(question, evidence(found(pattern_of(("minif",)), regex=True)))
    assert (settled_one.intent, settled_one.handle, settled_one.carried) == (Intent.FUNCTION, None, None)
    assert settled_one.maybe in (("minification",), ("minif",))


def test_a_place_in_the_ranking_is_the_function_that_stands_there() -> None:
    ranking = {
        "rows": [row("(idle)", "f0"), row("read", "f1"), row("draw", "f2"), row("rest", "f3", self_value=0)],
        "unit": "nanoseconds",
        "whole": 1e7,
        "profile": "p0",
    }
    ranked = evidence(Result("get_top_functions", {}, ranking, "", failed=False))
    for place, handle in ((0, "f1"), (1, "f2"), (-1, "f2")):
        assert settled(asked(Intent.FUNCTION, "that one", place=place), ranked).handle == handle
    beyond = settled(asked(Intent.FUNCTION, "the fourth", place=3), ranked)
    assert (beyond.handle, beyond.names) == (None, ("the fourth",))


def test_words_are_looked_up_first_with_the_summary_and_the_ranking() -> None:
    question = asked(Intent.FUNCTION, "how slow is read", maybe=("read",))
    calls = next_calls(question, Evidence("?", {}, ()), OFFERED)
    assert [name for name, _ in calls] == ["get_trace_summary", "find_frames", "get_top_functions"]
    assert calls[1][1]["pattern"] == "read"


def test_only_what_is_offered_is_called_and_nothing_twice() -> None:
    question = asked(Intent.OVERVIEW, "why is it slow")
    assert next_calls(question, Evidence("?", {}, ()), frozenset()) == []
    only = next_calls(question, Evidence("?", {}, ()), frozenset({"get_trace_summary"}))
    assert [name for name, _ in only] == ["get_trace_summary"]
    assert next_calls(question, evidence(), frozenset({"get_trace_summary"})) == []


def test_a_word_with_a_hyphen_is_the_thread_of_that_name() -> None:
    question = asked(Intent.OVERVIEW, "what does gpu-worker do", labels=("gpu-worker",))
    assert [name for name, _ in next_calls(question, Evidence("?", {}, ()), OFFERED)] == [
        "get_trace_summary",
        "list_profiles",
    ]
    listed = {"profiles": [{"handle": "p1", "name": "GPU-Worker 3", "pid": "1", "tid": "3"}]}
    known = evidence(Result("list_profiles", {}, listed, "", failed=False))
    settled_one = settled(question, known)
    assert (settled_one.intent, settled_one.thread) == (Intent.THREAD, "gpu-worker")


async def test_a_comparison_with_what_was_spoken_of_is_one_that_is_known() -> None:
    trace = sampled({"main;parse": 60, "main;heap_sort": 40})
    _, answer = await talk(trace, "what about `parse`?", "by how much vs heap sort")
    assert answer.startswith("**[`parse`](#f1) takes more**: 60.0% (60.0 ms) in total, and [`heap_sort`](#f2) 40.0%")


def test_a_comparison_with_a_function_that_is_there_is_understood() -> None:
    question = asked(Intent.COMPARE, "vs heap_sort?", against="parse", maybe=("heap_sort",), understood=False)
    settled_one = settled(question, evidence(found("heap_sort", row("heap_sort", "f2"))))
    assert (settled_one.intent, settled_one.names) == (Intent.TWO_FUNCTIONS, ("parse", "heap_sort"))
    assert settled_one.understood


def test_what_burns_so_much_is_not_what_all_of_it_runs_under() -> None:
    passing = row("season", "f1", total_share=1.0, self_share=0.0)
    question = asked(Intent.OVERVIEW, "one season takes 10 s, what burns the cpu", maybe=("season",))
    assert settled(question, evidence(found("season", passing))).intent is Intent.OVERVIEW
    slow = asked(Intent.OVERVIEW, "one season takes 10 s", maybe=("season",))
    assert settled(slow, evidence(found("season", passing))).intent is Intent.FUNCTION
