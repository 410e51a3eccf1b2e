"""A turn's state as JSON and back: between the server and a graph that runs elsewhere."""

import math
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_jsonable_python

from server.agent.graph.state import TurnState

STATE: TypeAdapter[TurnState] = TypeAdapter(TurnState)


def state_as_json(state: dict[str, Any] | TurnState) -> dict[str, Any]:
    """Messages as LangChain writes them. What JSON cannot hold (a share of nothing) becomes null."""
    given = dict(state)
    messages = given.pop("messages", None)
    written: dict[str, Any] = to_jsonable_python(given, inf_nan_mode="null")
    if messages is not None:
        written["messages"] = [_finite(message.model_dump(mode="json")) for message in messages]
    return written


def state_of_json(written: dict[str, Any]) -> TurnState:
    """The state with its messages. Raises ValueError for what is none."""
    unknown = written.keys() - TurnState.__annotations__.keys()
    if unknown:
        raise ValueError(f"a turn's state has no {', '.join(sorted(unknown))[:200]}")
    try:
        return STATE.validate_python(written)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(map(str, first["loc"][:2]))
        raise ValueError(f"{place}: {first['msg']} ({error.error_count()} errors in all)"[:300]) from None


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): _finite(inner) for key, inner in value.items()}
    return [_finite(inner) for inner in value] if isinstance(value, list) else value
