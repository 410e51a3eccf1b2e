"""An answer held against the tool results: what is verified, what is not found, what is no claim."""

import pytest
from langchain_core.messages import ToolMessage

from server.agent.checks import checks
from server.agent.citations import Resolved, resolve_citations
from server.agent.facts import Dimension, gathered, mentions
from server.agent.tools.functions import TopFunctions, answer_top_functions
from server.protocol.values import Check
from tests.agent.turns import HOSTILE, small_trace


def held(answer: str, *, question: str = "Why is this slow?", hostile: bool = False) -> list[Check]:
    """The checks of an answer after one call of get_top_functions over the small trace."""
    trace = small_trace(hostile=hostile)
    outcome = answer_top_functions(trace, TopFunctions())
    result = ToolMessage(outcome.text, tool_call_id="call_1", artifact={"data": outcome.data, "arguments": {}})
    resolved: tuple[Resolved, ...] = resolve_citations(trace, answer)
    return checks(answer, gathered([result], {}), resolved, question, ["get_top_functions"])


@pytest.mark.parametrize(
    ("claim", "status"),
    [
        ("600 ms", "verified"),
        ("0.6 s", "verified"),
        ("600,000 µs", "verified"),
        ("60.0%", "verified"),
        ("60%", "verified"),
        ("60 percent", "verified"),
        ("61%", "not_found"),
        ("1.0 s", "verified"),
        ("1.2 s", "not_found"),
        ("about 590 ms", "derived"),
        ("about 400 ms", "not_found"),
        ("600 MB", "not_found"),
        ("12,345 calls", "not_found"),
    ],
)
def test_a_number_is_verified_by_its_value_its_rounding_or_its_share(claim: str, status: str) -> None:
    (check,) = held(f"It takes {claim} in all.")
    assert check.status == status
    assert check.tool_call_id == ("call_1" if status != "not_found" else None)


def test_offsets_point_at_the_claim_in_the_answer() -> None:
    answer = "First, [`parse_json`](#f2) takes 600 ms; then `draw` takes 31%."
    found = held(answer)
    assert [answer[check.start : check.end] for check in found] == ["parse_json", "600 ms", "draw", "31%"]
    assert [check.status for check in found] == ["verified", "verified", "verified", "not_found"]
    assert [check.kind for check in found] == ["name", "number", "name", "percentage"]


@pytest.mark.parametrize(
    "text",
    [
        "The three heaviest are below.",
        "Look at the 5 widest boxes.",
        "1. First\n2. Second",
        "See `get_top_functions` and `--cpu-prof`.",
        "Set `OPENAI_API_KEY`.",
        "```\nsleep(9999)\n```",
        "[the parser](#f2)",
    ],
)
def test_what_claims_nothing_is_not_checked(text: str) -> None:
    assert held(text) == []


def test_a_function_nobody_returned_is_not_found() -> None:
    (check,) = held("It is `XmlReader.readAll` that is slow.")
    assert (check.kind, check.status, check.claim) == ("name", "not_found", "XmlReader.readAll")


@pytest.mark.parametrize("citation", ["[`parse_json`](f99)", "[`draw`](#f2)"])
def test_a_citation_of_nothing_or_of_something_else_is_not_found(citation: str) -> None:
    (check,) = held(f"{citation} is slow")
    assert check.status == "not_found"


def test_numbers_of_the_question_are_not_claims() -> None:
    assert held("A frame of 16.6 ms is missed.", question="Why do we miss 16.6 ms?") == []


def test_a_number_inside_a_function_name_proves_nothing() -> None:
    assert "99.9%" in HOSTILE
    (check,) = held("It takes 99.9%.", hostile=True)
    assert check.status == "not_found"


def test_citations_resolve_with_and_without_a_hash_and_only_when_they_exist() -> None:
    answer = (
        "[`parse_json`](#f2), [draw](f3), main (#f0), [`MainThread`](#p0), [x](#n1), [gone](#f77), [`f(a)[0]`](#f1)"
    )
    found = resolve_citations(small_trace(), answer)
    assert [one.citation.handle for one in found] == ["f2", "f3", "f0", "p0", "n1", "f1"]
    assert [one.citation.name for one in found] == ["parse_json", "draw", "main", "MainThread", "load", "load"]
    assert (found[0].citation.file, found[0].citation.line) == ("json/decoder.py", 120)
    assert found[0].citation.engine_version


@pytest.mark.parametrize(
    ("text", "value", "dimension"),
    [
        ("3 min 12 s", 192e9, Dimension.TIME),
        ("1.5 GiB", 1.5 * 2**30, Dimension.BYTES),
        ("2 seconds", 2e9, Dimension.TIME),
        ("1,234", 1234, Dimension.COUNT),
        ("<0.1%", 0.1, Dimension.SHARE),
    ],
)
def test_numbers_are_read_as_people_write_them(text: str, value: float, dimension: Dimension) -> None:
    (mention,) = mentions(f"took {text}, so")
    assert mention.value == pytest.approx(value)
    assert mention.dimension is dimension


@pytest.mark.parametrize("text", ["f12", "utf8", "v3.11.2", "parse2", "a1b2", "main.c:30"])
def test_numbers_that_belong_to_a_word_are_not_numbers(text: str) -> None:
    assert list(mentions(text)) == []
