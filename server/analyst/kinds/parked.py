"""Who waits in a function that only parks its thread: the first caller above it that says something."""

import re
from typing import Any

from server.analyst.evidence import Evidence
from server.analyst.kinds.kind import Call

_PARKS = re.compile(
    r"park|await|LockSupport|AbstractQueued|futex|pthread_cond|MonitorEnter|Object[.:]+wait\b", re.IGNORECASE
)
"""Functions by which a thread lays itself down: who called them says what it waits for."""
STEPS_UP = 5


def up(handle: str, waited: str, evidence: Evidence) -> list[Call]:
    """The callers of a function that only parks a thread, one step further up than is known."""
    known = _arounds(waited, evidence)
    for _ in range(STEPS_UP):
        if handle not in known:
            return [("get_callers_callees", {"frame": handle, "profile": waited})]
        above = next((one for one in known[handle]["callers"] if one["handle"]), None)
        if above is None or not _PARKS.search(known[handle]["frame"]["name"]):
            return []
        handle = above["handle"]
    return []


def _arounds(waited: str, evidence: Evidence) -> dict[str, dict[str, Any]]:
    """What is known of callers in a profile of waiting, by function."""
    found = [one.data for one in evidence.all("get_callers_callees") if one.arguments.get("profile") == waited]
    return {around["frame"]["handle"]: around for around in found}


def waiter(handle: str, waited: str, evidence: Evidence) -> dict[str, Any] | None:
    """The function that waits in one that only parks its thread; None where that one is no such."""
    known = _arounds(waited, evidence)
    for _ in range(STEPS_UP):
        around = known.get(handle)
        callers: list[dict[str, Any]] = around["callers"] if around else []
        above = next((one for one in callers if one["handle"]), None)
        if around is None or above is None or not _PARKS.search(around["frame"]["name"]):
            break
        handle = above["handle"]
        if not _PARKS.search(above["name"]):
            return above
    return None
