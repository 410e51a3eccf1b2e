"""A kind whose answer begins with the finding of a cause, when that weighs enough."""

from typing import Any

import pytest

from server.analyst.evidence import Evidence, Result
from server.analyst.kinds.kind import Kind, because
from server.analyst.question import Intent, Question

QUESTION = Question(intent=Intent.QUERIES, text="slow queries?")


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


def parts(row: dict[str, Any]) -> list[str]:
    kind = because(Kind(lambda *_: [], lambda *_: ["the answer", "more"]), "n_plus_one", "serial_waits")
    found = Result("get_insights", {}, {"insights": [row]}, "", failed=False)
    return kind.write(QUESTION, Evidence("slow queries?", {}, (found,)))


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
