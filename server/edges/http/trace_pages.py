"""A person's traces a page at a time: what a list shows of each, newest first, stable while traces come and go."""

import base64
import binascii
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from server.errors import BadRequest
from server.ports.traces import TracePlace, TraceRow

MAX_LIMIT = 500
LIMIT = 50
"""Of a search that names no limit."""
_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)


def page_of(found: Sequence[TraceRow], limit: int) -> dict[str, Any]:
    """`{traces, next}`: rows without summaries; `next` is the cursor of what follows, null at the end. `found` may have
    one more than the limit, which says that others follow. A cursor is a place in the order and not a number of rows,
    so that none is shown twice or left out."""
    shown = found[:limit]
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
            | row.run.as_json()
            for row in shown
        ],
        "next": _cursor(shown[-1]) if len(found) > limit else None,
    }


def _cursor(row: TraceRow) -> str:
    """Microseconds since 1970, then the id."""
    moment = (row.created_at - _BEGINNING) // timedelta(microseconds=1)
    return base64.urlsafe_b64encode(f"{moment} {row.trace_id}".encode()).decode().rstrip("=")


def place_of(cursor: str | None) -> TracePlace | None:
    """Where the following page begins. Raises BadRequest."""
    if cursor is None:
        return None
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        moment, _, trace_id = base64.urlsafe_b64decode(padded.encode("ascii")).decode().partition(" ")
        return TracePlace(_BEGINNING + timedelta(microseconds=int(moment)), str(UUID(trace_id)))
    except (ValueError, OverflowError, binascii.Error) as error:
        raise BadRequest("This cursor is none that a list of traces gave.", field="cursor") from error
