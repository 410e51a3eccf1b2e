"""A tool as the model reads it: an OpenAI function definition, as short as possible."""

from collections.abc import Collection
from functools import cache
from typing import Any

from pydantic import BaseModel

from server.agent.tools.contract.tool import Tool


@cache
def function_definition(tool: Tool[Any]) -> dict[str, Any]:
    """`{"type": "function", "function": {name, description, parameters}}`, parameters as compact JSON Schema."""
    return {
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description,
            "parameters": compact_schema(tool.arguments),
        },
    }


def short_definition(tool: Tool[Any], description: str, arguments: Collection[str]) -> dict[str, Any]:
    """The definition for a model with a small context: these arguments only, the first clause of what each is."""
    full = function_definition(tool)["function"]
    parameters = full["parameters"]
    properties = {name: _short(field) for name, field in parameters["properties"].items() if name in arguments}
    shown = full | {"description": description, "parameters": parameters | {"properties": properties}}
    return {"type": "function", "function": shown}


def _short(field: dict[str, Any]) -> dict[str, Any]:
    explained = field.get("description")
    return field | {"description": explained.partition(";")[0]} if explained else field


OMITTED = frozenset(
    {"title", "minLength", "maxLength", "minItems", "maxItems", "minimum", "exclusiveMinimum", "maximum"}
)
"""Keys left out: sensible calls stay within the bounds, and a refusal names the bound that was passed."""


def compact_schema(arguments: type[BaseModel]) -> dict[str, Any]:
    """The model's JSON Schema without titles, null alternatives, the bounds in `OMITTED` and defaults
    that are empty, zero or false (an absent argument says the same).
    """
    schema = arguments.model_json_schema()
    properties = {name: _compact(field) for name, field in schema.get("properties", {}).items()}
    required = schema.get("required", [])
    return {"type": "object", "properties": properties} | ({"required": required} if required else {})


def _compact(field: dict[str, Any]) -> dict[str, Any]:
    alternatives = [option for option in field.get("anyOf", []) if option.get("type") != "null"]
    if len(alternatives) == 1:
        field = {key: value for key, value in field.items() if key != "anyOf"} | alternatives[0]
    if isinstance(items := field.get("items"), dict):
        field = field | {"items": _compact(items)}
    return {key: value for key, value in field.items() if key not in OMITTED and not (key == "default" and not value)}
