"""What the values of a pprof profile show, by their names."""

import re

from traces.values import Unit, ValueType, Waits

WAITS = (
    (re.compile(r"(?:cpu|samples?|cycles|instructions|task-clock|cpu-clock)(?:$|[ :/_-])", re.IGNORECASE), Waits.WORK),
    (re.compile(r"contentions?|delay|off[-_]?cpu|block|mutex", re.IGNORECASE), Waits.WAITING),
    (re.compile(r"wall", re.IGNORECASE), Waits.BOTH),
)


def waits_of(value: ValueType) -> Waits:
    """What a profile shows of waiting, by the name of what it measures first."""
    if value.unit is Unit.BYTES or value.name.endswith("objects"):
        return Waits.NEITHER
    return next((waits for pattern, waits in WAITS if pattern.match(value.name)), Waits.UNKNOWN)
