"""What the analyst does about memory: which facts an order means, and what became of a proposal."""

from typing import Any

import pytest

from server.analyst.evidence import Result
from server.analyst.memory_answers import OFF, memory_calls, memory_report
from server.analyst.memory_orders import MemoryOrder

FACTS = ("requests stay under 300 ms", "we deploy on Fridays", "the cache is Redis")
REMEMBER = MemoryOrder("remember", "we deploy on Fridays")
FORGET = MemoryOrder("forget", "deploy on Fridays")


def result(tool: str = "core_memory_append", *, text: str = "", failed: bool = False, **data: Any) -> Result:
    return Result(tool, {}, data, text, failed=failed)


def report(order: MemoryOrder, *results: Result, facts: tuple[str, ...] = FACTS, is_on: bool = True) -> str:
    return memory_report(order, facts, results, is_on=is_on)


def test_an_order_to_remember_proposes_its_text_and_without_one_nothing() -> None:
    assert memory_calls(REMEMBER, FACTS) == [("core_memory_append", {"fact": "we deploy on Fridays"})]
    assert memory_calls(MemoryOrder("remember"), FACTS) == []
    assert memory_calls(MemoryOrder("ask"), FACTS) == []


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("deploy on Fridays", [FACTS[1]]),
        ("the Redis cache", [FACTS[2]]),
        ("that we deploy on FRIDAYS!", [FACTS[1]]),
        ("everything", list(FACTS)),
        ("the moon", []),
        ("deploy the moon rocket soon", []),
        ("", []),
    ],
)
def test_an_order_to_forget_means_the_one_fact_that_has_its_words(text: str, meant: list[str]) -> None:
    calls = memory_calls(MemoryOrder("forget", text), FACTS)
    assert calls == [("core_memory_replace", {"old": fact, "new": ""}) for fact in meant]


def test_words_of_two_facts_mean_neither() -> None:
    facts = ("we deploy on Fridays", "we deploy with Helm")
    assert memory_calls(MemoryOrder("forget", "what we deploy"), facts) == []


@pytest.mark.parametrize(
    ("status", "begins"),
    [
        ("proposed", "**Remember this?** we deploy on Fridays. You decide below; "),
        ("kept", "**Remembered**: we deploy on Fridays. You can undo it below."),
        ("known", "**That is remembered already**: we deploy on Fridays."),
        ("declined", "**You have declined this lately**: we deploy on Fridays. "),
    ],
)
def test_what_became_of_a_fact_is_said_with_the_fact(status: str, begins: str) -> None:
    assert report(REMEMBER, result(status=status, text="we deploy on Fridays")).startswith(begins)
    assert report(REMEMBER, result(status=status)).startswith(begins), "the order's own words where none came back"


@pytest.mark.parametrize(("status", "begins"), [("kept", "**Forgotten**: x."), ("proposed", "**Forget this?** x.")])
def test_what_became_of_a_fact_that_is_to_go_is_said(status: str, begins: str) -> None:
    assert report(FORGET, result("core_memory_replace", status=status, old="x")).startswith(begins)


def test_each_of_several_outcomes_has_its_paragraph() -> None:
    results = [result("core_memory_replace", status="kept", old=fact) for fact in FACTS]
    assert report(MemoryOrder("forget", "everything"), *results).split("\n\n") == [
        f"**Forgotten**: {fact}. You can undo it below." for fact in FACTS
    ]


def test_a_refusal_is_passed_on_without_the_tool_s_word_for_it() -> None:
    refused = result(text="Error: the memory is full", failed=True)
    assert report(REMEMBER, refused) == "**That is not remembered**: the memory is full"


def test_an_order_that_names_nothing_is_asked_back() -> None:
    assert report(MemoryOrder("remember")).startswith("**What shall be remembered?**")
    said = report(MemoryOrder("forget", "the moon"), result("get_trace_summary"))
    assert said.startswith("**No fact is meant that I can tell apart.** **3 facts are remembered**:")


def test_what_is_remembered_is_listed() -> None:
    asked = MemoryOrder("ask")
    assert report(asked, facts=("one",)) == "**One fact is remembered**:\n\n- one"
    assert report(asked).splitlines()[2:] == [f"- {fact}" for fact in FACTS]
    assert report(asked, facts=()).startswith("**Nothing is remembered yet.**")


def test_without_a_memory_an_order_is_refused_and_facts_are_shown_all_the_same() -> None:
    assert report(REMEMBER, is_on=False) == report(FORGET, is_on=False) == OFF
    assert report(MemoryOrder("ask"), facts=(), is_on=False) == OFF
    assert "the cache is Redis" in report(MemoryOrder("ask"), is_on=False)
