"""A kind whose answer begins with the finding of a cause, when that weighs enough."""

from typing import Any

import pytest

from server.analyst.evidence import Evidence, Result
from server.analyst.kinds.kind import NONE_FOUND, Kind, because
from server.analyst.question import Intent, Question
from tests.server.analyst.written_answers import assert_answered, prompts_of

QUESTION = Question(intent=Intent.QUERIES, text="which queries are slow")


def finding(**changed: Any) -> dict[str, Any]:
    return {
        "id": "n-plus-one",
        "kind": "requests",
        "title": "N+1 queries",
        "cause": "n_plus_one",
        "state": "fail",
        "severity": "medium",
        "confidence": "high",
        "share": 0.4,
        "template": "600 queries.",
        "advice": "Batch them.",
        "evidence": [],
    } | changed


def parts(row: dict[str, Any], text: str = QUESTION.text, unknown: tuple[str, ...] = ()) -> list[str]:
    kind = because(Kind(lambda *_: [], lambda *_: ["the answer", "more"]), "n_plus_one", "serial_waits")
    found = Result("get_insights", {}, {"insights": [row], "not_applicable": list(unknown)}, "", failed=False)
    return kind.write(Question(intent=Intent.QUERIES, text=text), Evidence(text, {}, (found,)))


@pytest.mark.parametrize("changed", [{}, {"share": None, "severity": "high"}, {"share": 0.15}])
def test_a_finding_of_the_cause_that_weighs_is_the_answer(changed: dict[str, Any]) -> None:
    assert parts(finding(**changed)) == ["**N+1 queries**: 600 queries. Batch them.", "the answer", "more"]


@pytest.mark.parametrize("changed", [{"share": 0.14}, {"share": None}])
def test_one_that_does_not_comes_second(changed: dict[str, Any]) -> None:
    assert parts(finding(**changed)) == ["the answer", "**N+1 queries**: 600 queries. Batch them.", "more"]


@pytest.mark.parametrize(
    "changed", [{"state": "pass"}, {"cause": "leak"}, {"cause": None}, {"confidence": "low", "share": 0.05}]
)
def test_what_is_not_found_of_another_class_or_a_light_guess_is_left_out(changed: dict[str, Any]) -> None:
    assert parts(finding(**changed)) == ["the answer", "more"]


@pytest.mark.parametrize("text", ["is it an n+1?", "does it query per row?", "n+1 here?", "ist es ein n+1?"])
def test_yes_or_no_is_answered_by_yes_or_no(text: str) -> None:
    assert parts(finding(), text)[0].startswith("**Yes: N+1 queries**: 600 queries.")
    none = parts(finding(state="pass"), text)
    assert none == ["**No: no query per row (N+1) was found.** the answer", "more"]


def test_no_is_not_said_of_what_could_not_be_looked_for_or_is_a_light_guess() -> None:
    detectors = ("n-plus-one", "n-plus-one-calls", "repeated-queries")
    assert parts(finding(state="pass"), "is it an n+1?", detectors)[0] == "the answer"
    assert parts(finding(confidence="low", share=0.05), "is it an n+1?")[0] == "the answer"


def test_a_lock_is_denied_where_something_else_blocks() -> None:
    kind = because(Kind(lambda *_: [], lambda *_: ["the answer"]), "lock_contention", "blocked_event_loop")
    row = finding(cause="blocked_event_loop", title="Blocked event loop")
    found = Result("get_insights", {}, {"insights": [row]}, "", failed=False)
    first, *_ = kind.write(
        Question(intent=Intent.WAITING, text="is it a lock?"), Evidence("is it a lock?", {}, (found,))
    )
    assert first.startswith("**Not lock contention, as far as it was recorded.** **Blocked event loop**: 600")


def test_yes_is_not_said_of_a_function_that_is_no_part_of_what_was_found() -> None:
    kind = because(Kind(lambda *_: [], lambda *_: ["the answer"]), "n_plus_one")
    row = finding(evidence=[{"name": "lines_of", "handle": "f1"}])
    evidence = Evidence("", {}, (Result("get_insights", {}, {"insights": [row]}, "", failed=False),))
    for name, begins in (("lines_of", "**Yes: N+1"), ("tax_of", "**N+1 queries**")):
        asked = Question(intent=Intent.QUERIES, text=f"is it {name}?", names=(name,))
        assert kind.write(asked, evidence)[0].startswith(begins)


def ranked(handle: str, self_share: float) -> Result:
    row = {"name": "score", "handle": handle, "self_share": self_share, "self_value": 9.0, "total_value": 9.0}
    data = {"rows": [row], "unit": "nanoseconds", "whole": 10.0, "profile": "p0"}
    return Result("get_top_functions", {"sort_by": "self"}, data, "", failed=False)


def begins(lead: Result, share: float, text: str, *, of_all: bool = True) -> str:
    kind = because(Kind(lambda *_: [], lambda *_: ["the answer"]), "n_plus_one", of_all=of_all)
    row = finding(share=share, evidence=[{"handle": "f9", "name": "load"}])
    found = Result("get_insights", {}, {"insights": [row], "not_applicable": []}, "", failed=False)
    return kind.write(Question(intent=Intent.LONG_TASKS, text=text), Evidence(text, {}, (lead, found)))[0]


def test_a_function_that_takes_more_comes_before_a_smaller_cause() -> None:
    first = begins(ranked("f1", 0.47), 0.2, "why does typing lag?")
    assert first.startswith("**[`score`](#f1) takes the most**: 47.0%")
    assert "**N+1 queries**" in first


@pytest.mark.parametrize(
    ("lead", "share", "text"),
    [
        (ranked("f1", 0.47), 0.5, "why does typing lag?"),
        (ranked("f9", 0.47), 0.2, "why does typing lag?"),
        (ranked("f1", 0.29), 0.2, "why does typing lag?"),
        (ranked("f1", 0.47), 0.2, "is it an n+1?"),
    ],
)
def test_a_larger_cause_one_about_that_function_or_one_asked_for_comes_first(
    lead: Result, share: float, text: str
) -> None:
    assert begins(lead, share, text).startswith(("**N+1 queries**", "**Yes: N+1 queries**"))
    assert begins(ranked("f1", 0.47), 0.2, "why does typing lag?", of_all=False).startswith("**N+1 queries**")


def test_no_repetition_is_not_said_before_one_that_was_found() -> None:
    kind = because(Kind(lambda *_: [], lambda *_: [f"{NONE_FOUND} in a way.**", "more"]), "n_plus_one")
    found = Result("get_insights", {}, {"insights": [finding(share=0.1)], "not_applicable": []}, "", failed=False)
    first, *others = kind.write(QUESTION, Evidence(QUESTION.text, {}, (found,)))
    assert (first, others) == ("**N+1 queries**: 600 queries. Batch them.", ["more"])


@pytest.mark.parametrize(("module", "trace", "prompt"), prompts_of("kind"))
async def test_an_answer_is_as_it_is_written(module: str, trace: str, prompt: str) -> None:
    await assert_answered(module, trace, prompt)
