"""What a tool may return: the JSON type of each key of its data. A key that two tools mean differently has no type.

A result that does not fit is a fault of ours, and is never passed on.
"""

from collections.abc import Iterator
from typing import Any

from server.agent.tools.contract.tool import Tool

_TEXTS = """
    action advice amount answer basis cause clock code column confidence counted counts created default_profile
    detail file filter format frame_handle handle id kind name old order parent pattern pid plan_name profile
    profile_before remark repository role role_rule search selection severity size sort_by state status table template
    text tid title trace trace_id transforms unit url view waits
"""
_NUMBERS = """
    adjusted_p async_count average blocked busy calls calls_itself count counter_count cut_nodes cut_share delta
    depth direct_calls duration duration_ns end flow_count frame_count height hidden idle idle_share
    instant_count interval_ns least left length line longest looked_for matches median messages_left
    messages_limit messages_used more_callees more_callers number overlap p p99 passed rate_hz ratio
    recorded_at_ns recorded_for_ns recording_start_ns regular_share row row_count runnable running sample_count
    searched self_share self_value sessions_left sessions_limit sessions_used share sleeping source_bytes
    span_count start total total_matches total_profiles total_rows total_share total_value unknown unnamed_share
    utc_offset_minutes value_bytes value_ns waiting whole width
"""
_FLAGS = """
    exact has_arguments inverted more normalised only_running recursive related stands_for_thread
"""
_OBJECTS = """
    after before change durations heaviest quality whole_of_runs window
"""
_LISTS = """
    arguments boxes callees callers can_answer cannot_answer columns evidence filters functions inside insights
    lines nearest nodes not_applicable notes parts processes questions rows tables traces values warnings
"""

KINDS: dict[str, str] = {
    key: kind
    for kind, keys in (
        ("string", _TEXTS),
        ("number", _NUMBERS),
        ("boolean", _FLAGS),
        ("object", _OBJECTS),
        ("array", _LISTS),
    )
    for key in keys.split()
}
"""By key, in JSON Schema's words; null is allowed for each."""

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list, tuple),
}
MOST_DEEP = 24


def output_schema(tool: Tool[Any]) -> dict[str, Any]:
    """The JSON Schema of a tool's data: its keys at every level, and no others."""
    kinds = {key: {"type": [KINDS[key], "null"]} if key in KINDS else {} for key in sorted(tool.fields)}
    return {"type": "object", "properties": kinds, "additionalProperties": False}


def unfit(tool: Tool[Any], data: Any) -> str | None:
    """Where data does not fit the tool's schema; None where all of it does."""
    return next(_wrong(data, tool.fields, 0), None)


def _wrong(value: Any, fields: frozenset[str], depth: int) -> Iterator[str]:
    if depth > MOST_DEEP:
        yield "it is too deep"
    elif isinstance(value, dict):
        for key, inner in value.items():
            if key not in fields:
                yield "a key that is not declared"
            elif not _fits(key, inner):
                yield f"{key} is no {KINDS[key]}"
            else:
                yield from _wrong(inner, fields, depth + 1)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _wrong(inner, fields, depth + 1)
    elif not isinstance(value, str | int | float | None):
        yield f"a value of {type(value).__name__}"


def _fits(key: str, value: Any) -> bool:
    kind = KINDS.get(key)
    if kind is None or value is None:
        return True
    return isinstance(value, _TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))
