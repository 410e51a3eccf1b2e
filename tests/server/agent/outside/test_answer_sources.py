"""Whom an answer asked outside, as it is named with the answer."""

from langchain_core.messages import AnyMessage, HumanMessage, ToolMessage

from server.agent.outside.answer_sources import answer_sources
from server.agent.outside.known_so_far import known_so_far
from server.agent.outside.outside_text import outside_text

URLS = ["https://docs.example/7", "https://blog.example/slow"]


def result(name: str, by: str, **data: object) -> ToolMessage:
    text = f"q1: {outside_text(by, 'what it says')}" if by else "q1: the trace"
    return ToolMessage(content=text, tool_call_id="c", name=name, artifact={"data": data})


def named(*messages: AnyMessage, answer: str = "") -> list[tuple[str, str | None]]:
    return [(one.name, one.url) for one in answer_sources([HumanMessage("why?"), *messages], answer)]


def test_each_source_is_named_once_in_the_order_of_the_calls() -> None:
    called = [result("tracker_search", "tracker"), result("get_insights", ""), result("tracker_search", "tracker")]
    assert named(*called, result("wiki_find", "wiki")) == [("tracker", None), ("wiki", None)]
    assert named(result("read_source", "", repository="acme/shop at 1f1f", file="a.py")) == [
        ("acme/shop at 1f1f", None)
    ]
    assert named(result("read_source", "", repository="", file="a.py")) == []
    assert named(result("read_page", "docs.example", url=URLS[0])) == [("docs.example", URLS[0])]


def test_a_search_is_named_by_the_pages_that_the_answer_names() -> None:
    search = result("search_web", "the web", urls=URLS)
    assert named(search) == [("the web", None)]
    assert named(search, answer=f"See {URLS[1]}.") == [("blog.example", URLS[1])]
    read = result("read_page", "blog.example", url=URLS[1])
    assert named(search, read, answer=f"See {URLS[1]}.") == [("blog.example", URLS[1])]


def test_calls_of_earlier_prompts_and_failed_ones_are_no_sources() -> None:
    failed = ToolMessage(content="tracker is away", tool_call_id="c", name="tracker_search", status="error")
    assert named(result("tracker_search", "tracker"), HumanMessage("and now?"), failed) == []


def test_lines_of_a_repository_are_known_and_do_not_leave_with_a_search() -> None:
    line = "return self.secret_discount_of(customer, month)"
    read = ToolMessage(content=f'q1: f1 "x" of acme/shop\n>3: "{line}"', tool_call_id="c", name="read_source")
    known = known_so_far([HumanMessage("why?"), read], ())
    assert known.leaks_in(f"what is {line}") == "40 characters in a row of the trace"
    assert known.leaks_in("discount slow") is None
