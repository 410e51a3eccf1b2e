"""How the state takes up what a node returns: the reducers that its fields name, and a state with an update applied."""

import uuid
from functools import cache
from typing import Any, get_type_hints

from langchain_core.messages import AnyMessage, RemoveMessage


def merged_messages(known: list[AnyMessage], update: list[AnyMessage | RemoveMessage]) -> list[AnyMessage]:
    """The known messages with those of the update: one of the same id is replaced in its place, a RemoveMessage takes
    it away, others follow in order. Messages without an id get one. As LangGraph's `add_messages`, without the forms
    of messages that no node returns.

    Raises ValueError for a RemoveMessage of an unknown id.
    """
    for message in (*known, *update):
        message.id = message.id or str(uuid.uuid4())
    merged: dict[str | None, AnyMessage] = {message.id: message for message in known}
    removed: set[str | None] = set()
    for message in update:
        if not isinstance(message, RemoveMessage):
            merged[message.id] = message
            removed.discard(message.id)
        elif message.id in merged:
            removed.add(message.id)
        else:
            raise ValueError(f"there is no message {message.id} to remove")
    return [message for message in merged.values() if message.id not in removed]


def newest(_: Any, newer: Any) -> Any:
    """Each attempt sets the limits anew; two that die within one step set them twice before its end."""
    return newer


def applied(fields: type, state: dict[str, Any], update: dict[str, Any]) -> dict[str, Any]:
    """A new state: each value of the update merged by the reducer of its field, or in place of the former one."""
    reducers = _reducers(fields)
    merged = {
        name: reducers[name](state[name], value) if name in reducers and name in state else value
        for name, value in update.items()
    }
    return state | merged


@cache
def _reducers(fields: type) -> dict[str, Any]:
    hints = get_type_hints(fields, include_extras=True)
    return {name: hint.__metadata__[0] for name, hint in hints.items() if hasattr(hint, "__metadata__")}
