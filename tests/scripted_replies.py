"""A model that is a pure function of what it is sent: some tools, chosen by the question, then an answer of what they
said. Ids of calls, messages and the local time make no difference to it."""

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

from tests.openai_endpoint import Reply

CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("get_insights", {}),
    ("get_trace_summary", {}),
    ("get_top_functions", {"limit": 5}),
    ("get_call_tree", {}),
    ("list_profiles", {}),
    ("get_hottest_windows", {}),
    ("find_frames", {"pattern": "a"}),
    ("get_top_functions", {"limit": -3}),
    ("query_trace", {"sql": "select count(*) from functions"}),
    ("generate_flamegraph_screenshot", {}),
    ("no_such_tool", {"why": "not"}),
    ("get_schema", {}),
)
"""Two of them are refused by every server."""

ROUNDS = 3
FALSE_CLAIM = "[`no_such_function`](#f99999) takes 98.7654% (12,345.6 s) of the time."
"""In the first answer of every third question: the graph lets it be written again."""

_FUNCTION = re.compile(r'^(f\d+) "([^"`\n]+)".*?([\d.]+ (?:ns|µs|ms|s)) ([\d.]+%)', re.MULTILINE)
_AFTER_QUESTION = "\n\n(The person is looking at"


def scripted(request: Mapping[str, Any]) -> Reply:
    """What it replies to this request of Chat Completions."""
    messages = request["messages"]
    asked = max(place for place, one in enumerate(messages) if one["role"] == "user" and _AFTER_QUESTION in text(one))
    question = text(messages[asked]).partition(_AFTER_QUESTION)[0]
    seed = int.from_bytes(hashlib.sha256(question.encode()).digest()[:8], "big")
    since = messages[asked + 1 :]
    rounds = sum(bool(one.get("tool_calls")) for one in since)
    if request.get("tools") and rounds < 1 + seed % ROUNDS:
        chosen = [CALLS[(seed // (7 + 13 * rounds) + place) % len(CALLS)] for place in range(1 + (seed >> rounds) % 2)]
        calls = tuple((name, json.dumps(arguments)) for name, arguments in chosen)
        return Reply(text=f"Round {rounds + 1}.", calls=calls)
    results = "\n".join(text(one) for one in since if one["role"] == "tool")
    parts = [f"[`{name}`](#{handle}) dominates: {share} ({value})." for handle, name, value, share in _first(results)]
    parts += [line for line in results.splitlines() if "high" in line or "cause" in line][:4]
    was_asked_again = bool(since) and since[-1]["role"] == "user"
    if seed % 3 == 0 and not was_asked_again:
        parts.insert(0, FALSE_CLAIM)
    return Reply(text="\n\n".join(parts) or f"Nothing of {question[:60]!r} is known.")


def text(message: Mapping[str, Any]) -> str:
    """The message's text."""
    content = message.get("content")
    return content if isinstance(content, str) else " ".join(part.get("text", "") for part in content or ())


def _first(results: str) -> list[tuple[str, str, str, str]]:
    return [(found[1], found[2], found[3], found[4]) for found in _FUNCTION.finditer(results)][:2]
