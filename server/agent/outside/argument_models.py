"""A foreign tool's JSON Schema as a small model of ours: a few plain arguments, their words quoted."""

import json
from types import GenericAlias
from typing import Any, Literal

from pydantic import Field, create_model

from server.agent.tools.contract.tool import ToolArguments
from server.quoting import quoted

MOST_ARGUMENTS = 24
MAX_SCHEMA_CHARACTERS = 16_000
MAX_ARGUMENT_NAME = 64
MAX_WORDS = 120
"""Characters of what is written about one argument."""

MOST_CHOICES = 24
_PLAIN: dict[str, Any] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "object": dict[str, Any],
    "array": list[Any],
}


class UnusableSchema(ValueError):
    """The text says what is the matter."""


def argument_model(name: str, schema: str) -> type[ToolArguments]:
    """The arguments that a model may write. What is nested goes to the server as it is written, within the bound of
    all arguments. Raises UnusableSchema."""
    if len(schema) > MAX_SCHEMA_CHARACTERS:
        raise UnusableSchema(f"its schema has more than {MAX_SCHEMA_CHARACTERS:,} characters")
    try:
        found = json.loads(schema)
    except (ValueError, RecursionError):
        raise UnusableSchema("its schema is no JSON") from None
    properties = found.get("properties", {}) if isinstance(found, dict) else None
    if not isinstance(properties, dict) or found.get("type", "object") != "object":
        raise UnusableSchema("its schema is not of an object")
    if len(properties) > MOST_ARGUMENTS:
        raise UnusableSchema(f"it has more than {MOST_ARGUMENTS} arguments")
    listed = found.get("required", [])
    required = {one for one in listed if isinstance(one, str)} if isinstance(listed, list) else set()
    fields: dict[str, Any] = {}
    for at, (argument, described) in enumerate(properties.items()):
        if not argument.isprintable() or not argument.isascii() or not 0 < len(argument) <= MAX_ARGUMENT_NAME:
            raise UnusableSchema("an argument has a name that no model is shown")
        fields[f"argument_{at}"] = _field(argument, described, is_required=argument in required)
    if required - properties.keys():
        raise UnusableSchema("it requires an argument that it does not describe")
    return create_model(f"Foreign_{name}", __base__=ToolArguments, **fields)


def _field(name: str, described: Any, *, is_required: bool) -> tuple[Any, Any]:
    known = described if isinstance(described, dict) else {}
    kind = _kind(known)
    words = known.get("description")
    text = quoted(words, MAX_WORDS) if isinstance(words, str) and words else None
    if is_required:
        return kind, Field(alias=name, description=text)
    return kind | None, Field(None, alias=name, description=text)


def _kind(described: dict[str, Any]) -> Any:
    choices = described.get("enum")
    if isinstance(choices, list) and choices and all(_is_choice(one) for one in choices):
        if len(choices) > MOST_CHOICES:
            raise UnusableSchema(f"an argument has more than {MOST_CHOICES} choices")
        return Literal[tuple(choices)]
    kinds = described.get("type")
    if isinstance(kinds, list):
        kinds = next((one for one in kinds if one != "null"), None)
    alternatives = described.get("anyOf")
    if kinds is None and isinstance(alternatives, list):
        plain = [one for one in alternatives if isinstance(one, dict) and one.get("type") != "null"]
        return _kind({"type": plain[0].get("type")}) if len(plain) == 1 else Any
    if kinds == "array":
        items = described.get("items")
        inner = items.get("type") if isinstance(items, dict) else None
        return GenericAlias(list, (_PLAIN.get(inner, Any) if isinstance(inner, str) else Any,))
    return _PLAIN.get(kinds, Any) if isinstance(kinds, str) else Any


def _is_choice(one: Any) -> bool:
    return isinstance(one, str) and 0 < len(one) <= MAX_ARGUMENT_NAME and one.isprintable() and one.isascii()
