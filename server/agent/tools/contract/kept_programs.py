"""What is stored with a trace to know its program again: a fingerprint, and its heaviest functions."""

from collections.abc import Sequence
from typing import Any

import anyio

from server.agent.tools.contract.kept_with_trace import kept_program
from server.agent.tools.contract.tool_context import Asking, KnownTrace, ToolContext
from server.errors import ServerError
from traces.errors import TraceError

LOOKED_UP = 10
"""Traces stored before programs were, the newest, that are looked at again for one question."""
LOOK_UP_S = 3.0


async def programs_of(asking: Asking, others: Sequence[KnownTrace]) -> dict[str, dict[str, Any]]:
    """What is known of the programs of these traces, by their ids. Of those stored before programs were, the newest few
    are looked at again, as far as there is time."""
    found = {one.trace_id: kept for one in others if isinstance(kept := one.summary.get("program"), dict)}
    missing = [one.trace_id for one in others if one.trace_id not in found][:LOOKED_UP]
    context = asking.tool_context
    if missing and context is not None:
        with anyio.move_on_after(LOOK_UP_S):
            for trace_id in missing:
                if (kept := await _looked_up(asking, context, trace_id)) is not None:
                    found[trace_id] = kept
    return found


async def _looked_up(asking: Asking, context: ToolContext, trace_id: str) -> dict[str, Any] | None:
    """None for a trace that cannot be read any more."""
    try:
        return await asking.workers.ask(await context.open(trace_id), kept_program)
    except (ServerError, TraceError, OSError):
        return None


def share_in(program: dict[str, Any], words: set[str]) -> float:
    """The part of self value in functions that have one of the words in their name or file."""
    rows = program.get("functions") or []
    texts = [(f"{row.get('name', '')} {row.get('file', '')}".casefold(), row.get("share", 0.0)) for row in rows]
    return float(sum(share for text, share in texts if any(word in text for word in words)))
