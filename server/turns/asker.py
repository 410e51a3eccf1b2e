"""Who asks, for the model that answers: their name, what is left of their plan, their other recordings."""

from collections import Counter
from collections.abc import Sequence

from limits.refusals import LimitType
from limits.usage import Meter, Usage, meters
from server.agent.turn import Asker
from server.ports.conversations import TurnRow
from server.ports.traces import TraceRow

NEAREST = 3
PROGRAMS = 5
LISTED = 100
"""Rows that a list of recordings has at most."""

UNITS = {
    LimitType.LIFETIME_ANALYSES: "conversations",
    LimitType.MONTHLY_SESSIONS: "conversations this month",
    LimitType.MONTHLY_UPLOADS: "uploads this month",
    LimitType.MONTHLY_COST: "US cents of model calls this month",
    LimitType.MONTHLY_TOKENS: "tokens this month",
}
"""What a model is shown of what is left; other ceilings have nothing to do with an answer."""


def asker_of(turn: TurnRow, trace: TraceRow, rows: Sequence[TraceRow], usage: Usage) -> Asker:
    """Of a turn about this trace; `rows` are the newest of the person's, this one among them or not."""
    others = [row for row in rows if row.trace_id != trace.trace_id]
    left = [f"{meter.left:,} {UNITS[meter.limit_type]}" for meter in meters(usage) if _is_shown(meter)]
    if turn.messages_limit is not None:
        left.insert(0, f"{max(turn.messages_limit - turn.messages_used, 0):,} messages in this conversation")
    return Asker(
        name=usage.display_name,
        left=tuple(left),
        recordings=len(others),
        more=len(rows) >= LISTED,
        programs=_programs(others),
        nearest=nearest(others, trace),
    )


def _is_shown(meter: Meter) -> bool:
    return meter.left is not None and meter.limit_type in UNITS


def _programs(rows: Sequence[TraceRow]) -> tuple[str, ...]:
    """Those with the most recordings."""
    found = Counter(row.run.program for row in rows if row.run.program is not None)
    return tuple(name for name, _ in found.most_common(PROGRAMS))


def nearest(rows: Sequence[TraceRow], trace: TraceRow) -> tuple[str, ...]:
    """Of the same program first, then of what measures the same, each the closest in time."""

    def distance(row: TraceRow) -> tuple[bool, bool, float]:
        program = trace.run.program
        apart = abs((row.created_at - trace.created_at).total_seconds())
        return program is None or row.run.program != program, row.unit != trace.unit, apart

    return tuple(row.name for row in sorted(rows, key=distance)[:NEAREST])
