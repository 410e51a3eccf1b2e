"""What a key for programs opens of the routes: those of this table with the scope that stands there, and no other. A
new route is closed to keys until it is written here."""

import re

from server.edges.http.api_address import API
from server.ports.identity import Scope

SEGMENT = r"[^/]+"

OPEN_TO_KEYS: dict[str, Scope] = {
    "GET /traces": Scope.TRACES_READ,
    "GET /traces/{}": Scope.TRACES_READ,
    "GET /traces/{}/bands": Scope.TRACES_READ,
    "GET /traces/{}/call": Scope.TRACES_READ,
    "GET /traces/{}/call-tree": Scope.TRACES_READ,
    "GET /traces/{}/export": Scope.TRACES_READ,
    "GET /traces/{}/flows": Scope.TRACES_READ,
    "GET /traces/{}/function": Scope.TRACES_READ,
    "GET /traces/{}/function-table": Scope.TRACES_READ,
    "GET /traces/{}/functions": Scope.TRACES_READ,
    "GET /traces/{}/insights": Scope.TRACES_READ,
    "GET /traces/{}/lanes": Scope.TRACES_READ,
    "GET /traces/{}/notes": Scope.TRACES_READ,
    "GET /traces/{}/places": Scope.TRACES_READ,
    "GET /traces/{}/range": Scope.TRACES_READ,
    "GET /traces/{}/source": Scope.TRACES_READ,
    "GET /traces/{}/summary": Scope.TRACES_READ,
    "GET /traces/{}/thread-search": Scope.TRACES_READ,
    "GET /traces/{}/tracks": Scope.TRACES_READ,
    "GET /traces/{}/view": Scope.TRACES_READ,
    "GET /traces/{}/views/{}": Scope.TRACES_READ,
    "GET /uploads": Scope.TRACES_WRITE,
    "POST /traces": Scope.TRACES_WRITE,
    "PATCH /traces/{}": Scope.TRACES_WRITE,
    "DELETE /traces/{}": Scope.TRACES_WRITE,
    "PUT /traces/{}/link": Scope.TRACES_WRITE,
    "DELETE /traces/{}/link": Scope.TRACES_WRITE,
    "POST /traces/{}/notes": Scope.TRACES_WRITE,
    "PATCH /traces/{}/notes/{}": Scope.TRACES_WRITE,
    "DELETE /traces/{}/notes/{}": Scope.TRACES_WRITE,
    "POST /traces/{}/views": Scope.TRACES_WRITE,
    "GET /traces/{}/flamegraph.{}": Scope.RENDER,
    "POST /render": Scope.RENDER,
    "POST /render-sandwich": Scope.RENDER,
    "POST /render-diff": Scope.RENDER,
    "GET /me/usage": Scope.ASK,
    "GET /sessions": Scope.ASK,
    "PATCH /sessions/{}": Scope.ASK,
    "DELETE /sessions/{}": Scope.ASK,
    "PUT /sessions/{}/link": Scope.ASK,
    "DELETE /sessions/{}/link": Scope.ASK,
    "GET /sessions/{}/messages": Scope.ASK,
    "GET /sessions/{}/versions": Scope.ASK,
    "GET /sessions/{}/turns/{}/messages": Scope.ASK,
    "POST /sessions/{}/join": Scope.ASK,
    "POST /sessions/{}/prompts": Scope.ASK,
    "POST /turns/{}/cancel": Scope.ASK,
    "POST /turns/{}/resume": Scope.ASK,
    "GET /pictures/{}/{}.png": Scope.ASK,
    "POST /streams/ai-sdk": Scope.ASK,
    "GET /streams/ai-sdk/{}/stream": Scope.ASK,
    "POST /streams/data-stream": Scope.ASK,
    "POST /streams/ag-ui": Scope.ASK,
    "POST /questions/run": Scope.QUESTIONS,
    "GET /questions": Scope.QUESTIONS,
    "POST /questions": Scope.QUESTIONS,
    "PATCH /questions/{}": Scope.QUESTIONS,
    "DELETE /questions/{}": Scope.QUESTIONS,
    "GET /gates": Scope.GATE,
    "GET /gates/results": Scope.GATE,
    "POST /gates/run": Scope.GATE,
}
"""Method and path below /api/v1, with {} for what is one segment of it."""

OUTSIDE_OF_IT: dict[str, Scope] = {"POST /api/chat": Scope.ASK, "GET /api/evals": Scope.TRACES_READ}


def _pattern(path: str) -> str:
    return re.escape(path).replace(r"\{\}", SEGMENT)


_TABLE = [
    *((re.compile(_pattern(route.replace(" ", f" {API}", 1))), scope) for route, scope in OPEN_TO_KEYS.items()),
    *((re.compile(_pattern(route)), scope) for route, scope in OUTSIDE_OF_IT.items()),
]


def scope_of(method: str, path: str) -> Scope | None:
    """The scope that a key needs for a request, by the path that was routed; None: no key may send it."""
    asked = f"{'GET' if method == 'HEAD' else method} {path}"
    return next((scope for pattern, scope in _TABLE if pattern.fullmatch(asked)), None)
