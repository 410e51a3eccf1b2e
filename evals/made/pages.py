"""Timelines as events."""

import json
from typing import Any

from evals.made.files import Made

Event = dict[str, Any]


def _document(name: str, thread: str, events: list[Event]) -> Made:
    named: Event = {"ph": "M", "name": "thread_name", "pid": 7, "tid": 1, "args": {"name": thread}}
    return f"{name}.json", json.dumps({"traceEvents": [named, *events]}).encode()


def _span(name: str, start_ms: float, length_ms: float, category: str, args: Event | None = None) -> Event:
    return {
        "ph": "X",
        "name": name,
        "cat": category,
        "pid": 7,
        "tid": 1,
        "ts": start_ms * 1000,
        "dur": length_ms * 1000,
        "args": args or {},
    }


def quiet_page() -> Made:
    """Ten seconds in which the main thread works for 60 ms, in pieces of 2 ms."""
    events = []
    for n in range(30):
        events.append(_span("RunTask", n * 330, 2, "disabled-by-default-devtools.timeline"))
        events.append(
            _span("FunctionCall", n * 330 + 0.2, 1.5, "devtools.timeline", {"data": {"functionName": f"tick{n % 5}"}})
        )
    events.append(_span("RunTask", 9_998, 2, "disabled-by-default-devtools.timeline"))
    return _document("quiet", "CrRendererMain", events)


def sequential_queries() -> Made:
    """A request of 1.2 s that asks the same question 40 times, one after another: 40 of 25 ms."""
    events = [_span("GET /orders", 0, 1200, "http"), _span("render_page", 1080, 100, "app")]
    events += [_span(f"SELECT name FROM customers WHERE id = {n}", 20 + n * 26, 25, "db") for n in range(40)]
    return _document("request", "request handler", sorted(events, key=lambda event: (event["ts"], -event["dur"])))
