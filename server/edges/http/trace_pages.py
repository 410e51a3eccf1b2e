"""A person's traces a page at a time: what a list shows of each, newest first, stable while traces come and go."""

import base64
import binascii
from typing import Any

from server.errors import BadRequest
from server.ports.traces import TraceRow

MAX_LIMIT = 500


def page_of(rows: list[TraceRow], limit: int, cursor: str | None) -> dict[str, Any]:
    """`{traces, next}`: rows without summaries; `next` is the cursor of what follows, null at the end. A cursor is a
    place in the order and not a number of rows, so that none is shown twice or left out. Raises BadRequest."""
    ordered = sorted(rows, key=_place, reverse=True)
    after = None if cursor is None else _place_of(cursor)
    following = [row for row in ordered if after is None or _place(row) < after]
    shown = following[:limit]
    return {
        "traces": [
            {
                "traceId": row.trace_id,
                "name": row.name,
                "format": row.format,
                "unit": row.unit,
                "durationNs": row.duration_ns,
                "sizeBytes": row.size_bytes,
                "createdAt": row.created_at.isoformat(),
            }
            for row in shown
        ],
        "next": _cursor(shown[-1]) if len(following) > limit else None,
    }


def _place(row: TraceRow) -> tuple[int, str]:
    """Microseconds since 1970, then the id."""
    return round(row.created_at.timestamp() * 1_000_000), row.trace_id


def _cursor(row: TraceRow) -> str:
    moment, trace_id = _place(row)
    return base64.urlsafe_b64encode(f"{moment} {trace_id}".encode()).decode().rstrip("=")


def _place_of(cursor: str) -> tuple[int, str]:
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        moment, _, trace_id = base64.urlsafe_b64decode(padded.encode("ascii")).decode().partition(" ")
        return int(moment), trace_id
    except (ValueError, binascii.Error) as error:
        raise BadRequest("This cursor is none that a list of traces gave.", field="cursor") from error
