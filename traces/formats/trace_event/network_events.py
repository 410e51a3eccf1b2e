"""What a page asked the network for, in Chrome's trace events.

Format: instants of the category devtools.timeline, joined by `args.data.requestId`: ResourceSendRequest (url, resource
type, priority, renderBlocking, initiator), ResourceReceiveResponse (`timing`, as the DevTools protocol's
Network.ResourceTiming: seconds, and milliseconds after them) and ResourceFinish (`finishTime` in seconds, bytes).
Those times are the network's own; the events come when the page's thread got to them. The names and meanings of the
fields are those that Chromium's InspectorTraceEvents write.
"""

from typing import NamedTuple
from urllib.parse import urlsplit

import msgspec
import numpy as np

from traces.builder import TraceBuilder
from traces.formats.trace_event.event_list import Events
from traces.kernels.scaled import MISSING
from traces.model import NONE, Int32
from traces.side_tables import Request

SENT, ANSWERED, FINISHED = "ResourceSendRequest", "ResourceReceiveResponse", "ResourceFinish"
LONGEST_ADDRESS = 500
LONGEST_WORD = 60
"""Of Chrome's own words, such as a priority: a longer one is none."""
PLACES = frozenset({"http", "https", "ws", "wss", "file", "chrome", "chrome-extension", "devtools"})
EARLIEST_NS = 60 * 10**9
"""A navigation's request is recorded when it is answered; one that says to be older than this has another clock."""


class Initiator(msgspec.Struct):
    url: str | None = None


class Call(msgspec.Struct):
    url: str | None = None


class Timing(msgspec.Struct):
    request: float = msgspec.field(name="requestTime", default=0)
    sent: float = msgspec.field(name="sendEnd", default=NONE)
    headers: float = msgspec.field(name="receiveHeadersStart", default=NONE)
    headers_end: float = msgspec.field(name="receiveHeadersEnd", default=NONE)


class Data(msgspec.Struct):
    ident: str = msgspec.field(name="requestId")
    url: str | None = None
    kind: str | None = msgspec.field(name="resourceType", default=None)
    priority: str | None = None
    blocking: str | None = msgspec.field(name="renderBlocking", default=None)
    initiator: Initiator | None = None
    stack: list[Call] | None = msgspec.field(name="stackTrace", default=None)
    document: str | None = msgspec.field(name="frame", default=None)
    timing: Timing | None = None
    finish: float = msgspec.field(name="finishTime", default=0)
    size: float = msgspec.field(name="encodedDataLength", default=NONE)


class Args(msgspec.Struct):
    data: Data


class Event(NamedTuple):
    profile: int
    time: int
    name: str | None
    data: Data


def read(events: Events, lane: Int32, builder: TraceBuilder) -> None:
    """Feed the requests; `lane` is the profile of each thread, or -1. Raises DamagedTrace."""
    if SENT not in events.table.texts("name"):
        return
    thread, _ = events.thread
    chosen = events.rows("name", SENT, ANSWERED, FINISHED) & (events.time != MISSING)
    rows = np.flatnonzero(chosen)
    rows = rows[np.argsort(events.time[rows], kind="stable")]
    sent: dict[str, list[Event]] = {}
    unread = 0
    for row in rows.tolist():
        try:
            data = msgspec.json.decode(events.args(row), type=Args).data
        except msgspec.ValidationError:
            unread += 1
            continue
        name = events.text("name", row)
        if name == SENT or data.ident in sent:
            sent.setdefault(data.ident, []).append(Event(int(lane[thread[row]]), int(events.time[row]), name, data))
    builder.warn("request_without_id", "events of requests that do not say which were left out", unread)
    last = int(events.time[events.time != MISSING].max())
    builder.side_tables.requests.extend(_request(said, last) for said in sent.values())


def _request(said: list[Event], last: int) -> Request:
    """One request from its events in order of time; a redirect is sent again: the last address counts."""
    first = said[0]
    data = [event for event in said if event.name == SENT][-1].data
    answers = [event.data.timing for event in said if event.name == ANSWERED and event.data.timing is not None]
    ends = [event for event in said if event.name == FINISHED]
    start = first.time
    server = NONE
    if answers:
        began = _nanoseconds(answers[0].request)
        start = began if max(first.time - EARLIEST_NS, 0) < began < first.time else start
        server = _waited(answers[-1])
    end, size = last, NONE
    if ends:
        finished = _nanoseconds(ends[-1].data.finish)
        end = finished if finished > 0 and start <= finished <= ends[-1].time else ends[-1].time
        size = int(ends[-1].data.size) if 0 <= ends[-1].data.size < 1 << 60 else NONE
    caller = data.stack[0].url if data.stack else None
    return Request(
        first.profile,
        start,
        max(start, end),
        server,
        size,
        address(data.url),
        _word(data.kind),
        _word(data.priority),
        _word(data.blocking),
        address(data.initiator.url if data.initiator and data.initiator.url else caller),
        _word(data.document),
    )


def _nanoseconds(seconds: float) -> int:
    """0 where the file gives no time."""
    return round(seconds * 1e9) if 0 < seconds < 1e9 else 0


def _waited(timing: Timing) -> int:
    """From the request's last byte to the answer's first, in nanoseconds; -1 where it is not said."""
    headers_at = timing.headers if timing.headers >= 0 else timing.headers_end
    waited = headers_at - max(timing.sent, 0)
    return round(waited * 1e6) if headers_at >= 0 and 0 <= waited < 1e9 else NONE


def _word(text: str | None) -> str | None:
    return text if text and len(text) <= LONGEST_WORD else None


def address(url: str | None) -> str | None:
    """A place by scheme, host and path alone: what follows may hold secrets. Of what is no place only the scheme."""
    if not url:
        return None
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    if parts.scheme not in PLACES:
        return f"{parts.scheme[:LONGEST_WORD]}:" if parts.scheme else None
    text = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
    return text if len(text) <= LONGEST_ADDRESS else f"{text[: LONGEST_ADDRESS - 1]}…"
