"""A tool as the model reads it: an OpenAI function definition, as short as it can be said."""

from typing import Any

from pydantic import BaseModel

from server.agent.tools.tool import Tool


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


def compact_schema(arguments: type[BaseModel]) -> dict[str, Any]:
    """The model's JSON Schema without titles, null alternatives and null defaults (an absent argument
    says the same).
    """
    schema = arguments.model_json_schema()
    properties = {name: _compact(field) for name, field in schema.get("properties", {}).items()}
    required = schema.get("required", [])
    return {"type": "object", "properties": properties} | ({"required": required} if required else {})


def _compact(field: dict[str, Any]) -> dict[str, Any]:
    alternatives = [option for option in field.get("anyOf", []) if option.get("type") != "null"]
    if len(alternatives) == 1:
        field = {key: value for key, value in field.items() if key != "anyOf"} | alternatives[0]
    return {key: value for key, value in field.items() if key != "title" and not (key == "default" and value is None)}
