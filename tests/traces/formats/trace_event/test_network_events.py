"""What a page asked the network for: requests in Chrome's events, their times, and addresses without secrets."""

import json
from pathlib import Path
from typing import Any

import pytest

from traces.cache import decode, encode
from traces.formats.trace_event.network_events import LONGEST_ADDRESS, address
from traces.invariants import check
from traces.model import Requests, Trace
from traces.reader import read_trace

WORK = {"ph": "X", "name": "RunTask", "ts": 1_000_000, "dur": 500_000, "pid": 1, "tid": 1}
TIMING = {"requestTime": 1.001, "sendEnd": 2, "receiveHeadersEnd": 12.5}


def event(name: str, ms: float, **data: Any) -> dict[str, Any]:
    """At so many milliseconds after the second at which the trace begins."""
    at = 1_000_000 + ms * 1000
    return {"ph": "I", "name": f"Resource{name}", "ts": at, "pid": 1, "tid": 1, "args": {"data": data}}


def read(*events: dict[str, Any]) -> Trace:
    """The trace as it comes back from the cache: the file itself is not at hand there."""
    trace = read_trace(json.dumps({"traceEvents": [WORK, *events]}).encode(), name="t")
    check(trace)
    kept = decode(b"".join(encode(trace)))
    check(kept)
    return kept


def texts(trace: Trace, column: str) -> list[str | None]:
    return [None if i < 0 else trace.strings[i] for i in getattr(trace.requests, column).tolist()]


def test_a_request_is_joined_by_its_id_and_takes_the_networks_own_times() -> None:
    sent = event("SendRequest", 5, requestId="1.2", url="https://a.example/app.css", resourceType="Stylesheet",
                 priority="VeryHigh", renderBlocking="blocking", frame="F1",
                 initiator={"type": "parser", "url": "https://a.example/"})  # fmt: skip
    answered = event("ReceiveResponse", 40, requestId="1.2", timing=TIMING)
    finished = event("Finish", 90, requestId="1.2", finishTime=1.03, encodedDataLength=1234)
    trace = read(finished, sent, answered)
    rows: Requests = trace.requests
    assert (rows.start.tolist(), rows.end.tolist()) == ([1_000_000], [30_000_000])
    assert (rows.server.tolist(), rows.size.tolist(), rows.profile.tolist()) == ([10_500_000], [1234], [0])
    said = {name: texts(trace, name)[0] for name in ("url", "kind", "priority", "blocking", "found_in", "document")}
    assert said == {
        "url": "https://a.example/app.css",
        "kind": "Stylesheet",
        "priority": "VeryHigh",
        "blocking": "blocking",
        "found_in": "https://a.example/",
        "document": "F1",
    }


def test_times_of_another_clock_give_way_to_those_of_the_events() -> None:
    trace = read(
        event("SendRequest", 5, requestId="1", url="https://a.example/x"),
        event("ReceiveResponse", 40, requestId="1", timing={"requestTime": 900.0, "receiveHeadersEnd": -1}),
        event("Finish", 90, requestId="1", finishTime=5.0),
    )
    rows = trace.requests
    assert (rows.start.tolist(), rows.end.tolist()) == ([5_000_000], [90_000_000])
    assert (rows.server.tolist(), rows.size.tolist()) == ([-1], [-1])


def test_a_request_without_an_end_lasts_to_the_last_moment() -> None:
    trace = read(event("SendRequest", 5, requestId="1"), event("SendRequest", 300, requestId="2"))
    assert trace.requests.end.tolist() == [300_000_000, 300_000_000]
    assert texts(trace, "url") == [None, None]


def test_a_redirect_counts_from_its_first_request_under_its_last_address() -> None:
    trace = read(
        event("SendRequest", 5, requestId="1", url="http://a.example/"),
        event("SendRequest", 25, requestId="1", url="https://a.example/"),
        event("Finish", 60, requestId="1"),
    )
    assert texts(trace, "url") == ["https://a.example/"]
    assert (trace.requests.start.tolist(), trace.requests.end.tolist()) == ([5_000_000], [60_000_000])


def test_what_a_script_asked_for_was_found_in_the_script() -> None:
    stack = [{"functionName": "load", "url": "https://a.example/app.js?v=2", "lineNumber": 3}]
    trace = read(event("SendRequest", 5, requestId="1", initiator={"type": "script"}, stackTrace=stack))
    assert texts(trace, "found_in") == ["https://a.example/app.js"]


def test_events_that_say_no_id_are_left_out_and_counted() -> None:
    broken = [event("SendRequest", 1, url="https://a.example/"), event("SendRequest", 2, requestId=7)]
    trace = read(*broken, event("Finish", 3, requestId="9"), event("SendRequest", 4, requestId="1", priority="x" * 61))
    assert {warning.code: warning.count for warning in trace.warnings} == {"request_without_id": 2}
    assert texts(trace, "priority") == [None]


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("https://me:secret@a.example:8443/x/y?token=1#part", "https://a.example:8443/x/y"),
        ("data:text/html,<b>ignore all of the above</b>", "data:"),
        ("blob:https://a.example/5a", "blob:"),
        ("javascript:alert(1)", "javascript:"),
        ("chrome://new-tab-page/x.js?y", "chrome://new-tab-page/x.js"),
        ("https://[", None),
        ("/relative", None),
        ("", None),
        (None, None),
    ],
)
def test_an_address_keeps_neither_query_nor_credentials(url: str | None, kept: str | None) -> None:
    assert address(url) == kept


def test_a_long_address_is_cut() -> None:
    cut = address("https://a.example/" + "x" * 10_000)
    assert cut is not None
    assert len(cut) == LONGEST_ADDRESS
    assert cut.endswith("…")


def test_a_recorded_page_shows_what_it_waited_for(request: pytest.FixtureRequest) -> None:
    case = Path(request.config.rootpath) / "evals" / "cases" / "inbox-wait" / "trace.chrome.json.gz"
    trace = read_trace(case.read_bytes(), name="inbox")
    waited = dict(zip(texts(trace, "url"), (trace.requests.end - trace.requests.start).tolist(), strict=True))
    assert waited["https://inbox-wait.example/api/mails"] == pytest.approx(1.2e9, rel=0.02)
    assert texts(trace, "blocking")[1] == "blocking"


def test_what_the_network_does_not_say_is_taken_from_the_events() -> None:
    """The trace begins at the second at which a time of one second would lie."""
    sent = event("SendRequest", 0, requestId="1.2", url="https://a.example/")
    answered = event("ReceiveResponse", 40, requestId="1.2", timing={"receiveHeadersEnd": 12.5})
    finished = event("Finish", 90, requestId="1.2")
    rows = read(sent, answered, finished).requests
    assert (rows.start.tolist(), rows.end.tolist()) == ([0], [90_000_000])
    assert (rows.server.tolist(), rows.size.tolist()) == ([12_500_000], [-1])
    late = event("SendRequest", 5, requestId="1.2", url="https://a.example/")
    assert read(late, answered, finished).requests.start.tolist() == [5_000_000]
