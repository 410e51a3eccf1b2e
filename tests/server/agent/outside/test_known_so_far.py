"""What may not leave with a search, however it is spelled, and which pages a search has found."""

import base64
import codecs
from typing import Any

import pytest
from langchain_core.messages import AnyMessage, HumanMessage, ToolMessage

from server.agent.outside.known_so_far import IN_A_ROW, KnownSoFar, known_so_far, readings
from server.agent.outside.outside_text import outside_text

FACT = "our invoices table has 4,000,000 rows"
TEXT = "load_customer_orders at shop/orders.py line 120 takes 600 ms of the recording"


def returned(name: str, text: str, data: Any = None) -> ToolMessage:
    return ToolMessage(text, name=name, tool_call_id="call", artifact=None if data is None else {"data": data})


@pytest.mark.parametrize(
    "query",
    [
        f"why has {FACT} become slow",
        "invoices  TABLE has 4000000 rows",
        FACT[::-1],
        codecs.encode(FACT, "rot13"),
        base64.b64encode(FACT.encode()).decode(),
        base64.urlsafe_b64encode(FACT.encode()).decode().rstrip("="),
        FACT.encode().hex(),
        "our%20invoices%20table%20has%20rows",
    ],
)
def test_what_is_remembered_leaves_in_no_spelling(query: str) -> None:
    assert KnownSoFar(facts=(FACT,)).leaks_in(query) == "what is remembered"


@pytest.mark.parametrize("query", ["how to make invoices faster", "postgres table with 4,000,000 rows", ""])
def test_words_that_anybody_may_know_leave(query: str) -> None:
    assert KnownSoFar(facts=(FACT,)).leaks_in(query) is None


def test_a_short_fact_is_found_as_all_of_it_and_one_that_says_nothing_is_not() -> None:
    assert KnownSoFar(facts=("Redis 7",)).leaks_in("is redis-7 slow?") == "what is remembered"
    assert KnownSoFar(facts=("Redis 7",)).leaks_in("is redis slow?") is None
    assert KnownSoFar(facts=("Go 1",)).leaks_in("is go 1 slow?") is None


def test_an_argument_of_a_span_does_not_leave() -> None:
    known = KnownSoFar(arguments=("customer=4711; mail=anna@example.org",))
    assert known.leaks_in("who is anna@example.org; customer=4711 mail=anna@example") == "an argument of a span"
    assert known.leaks_in("what is an e-mail") is None


def test_so_many_characters_of_the_trace_in_a_row_do_not_leave() -> None:
    known = KnownSoFar(texts=(TEXT.lower(),))
    assert known.leaks_in(TEXT[5 : 5 + IN_A_ROW].upper()) == f"{IN_A_ROW} characters in a row of the trace"
    assert known.leaks_in(f"{TEXT[5:25]}\n {TEXT[25 : 5 + IN_A_ROW]}") is None, "a space more is another text"
    assert known.leaks_in(TEXT[: IN_A_ROW - 1]) is None
    assert known.leaks_in("load_customer_orders is slow, what can be done about it in Django?") is None


def test_arguments_are_those_of_spans_of_this_turn_and_of_earlier_ones() -> None:
    messages: list[AnyMessage] = [
        returned("get_span_details", 'Arguments:\n"sql": "SELECT secret FROM a"\n"n": "1"'),
        HumanMessage("and now?"),
        returned("get_span_details", "none", {"arguments": [{"text": "user=anna"}, {"text": "user=anna"}, "odd"]}),
        returned("get_top_functions", '"sql": "SELECT other"', {"arguments": [{"text": "no"}]}),
    ]
    known = known_so_far(messages, [FACT])
    assert known.arguments == ("SELECT secret FROM a", "1", "user=anna")
    assert known.facts == (FACT,)
    assert len(known.texts) == 3
    assert known.texts[0].startswith('arguments: "sql": "select secret from a"')


def test_pages_are_those_of_this_prompt_s_own_searches() -> None:
    page = outside_text("a page", "https://a.example")
    messages: list[AnyMessage] = [
        returned("search_web", page, {"urls": ["https://old.example"]}),
        HumanMessage("and now?"),
        returned("search_web", page, {"urls": ["https://a.example", "https://b.example"]}),
        returned("read_page", page, {"urls": ["https://c.example"]}),
        returned("search_web", page),
    ]
    known = known_so_far(messages, [])
    assert known.urls == {"https://a.example", "https://b.example"}
    assert known.texts == (), "what came from outside may go there again"


def test_a_text_is_read_as_it_stands_and_unpacked() -> None:
    found = list(readings("say SGVsbG8gdGhlcmU= now"))
    assert "say SGVsbG8gdGhlcmU= now" in found
    assert "Hello there" in found
    assert "Hello there" in list(readings(b"Hello there".hex()))
