"""The client's TypeScript types, made from the unions of the wire.

`python -m server.protocol.typescript` writes web/src/protocol.ts, the messages, and web/src/protocol_values.ts, what
they are made of (`--print` shows both); a test fails when one is stale.
What the server sends has every field; what the client sends may leave out those with a default, apart from its `type`.
"""

import json
import re
import sys
import textwrap
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from server.protocol.base import PROTOCOL_VERSION, WireModel
from server.protocol.client import CLIENT_MESSAGE, MAX_PROMPT_CHARACTERS
from server.protocol.events import TURN_EVENT, TurnEnd
from server.protocol.mounted import ARGUMENTS, RESULTS, ShownView
from server.protocol.server import SERVER_MESSAGE

TARGETS = tuple(Path(__file__).parents[2] / "web" / "src" / name for name in ("protocol.ts", "protocol_values.ts"))
MADE_BY = (
    "// Made by `python -m server.protocol.typescript` from the models in server/protocol: change those, then run it."
)
CONSTANTS = f"""\
export type * from "./protocol_values.ts";
export const PROTOCOL_VERSION = {PROTOCOL_VERSION};
export const MAX_PROMPT_CHARACTERS = {MAX_PROMPT_CHARACTERS};"""
PRIMITIVES = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}

Schema = dict[str, Any]


def type_of(schema: Schema) -> str:
    """The TypeScript type of a JSON Schema node. Raises ValueError for a construct the wire has not used so far."""
    if "$ref" in schema:
        return str(schema["$ref"]).rsplit("/", 1)[-1]
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema["enum"])
    if alternatives := schema.get("anyOf") or schema.get("oneOf"):
        return " | ".join(dict.fromkeys(type_of(alternative) for alternative in alternatives))
    match schema.get("type"):
        case "array":
            item = type_of(schema["items"])
            return f"({item})[]" if " | " in item else f"{item}[]"
        case "object" if "properties" not in schema:
            return "Record<string, unknown>"
        case str(primitive) if primitive in PRIMITIVES:
            return PRIMITIVES[primitive]
    raise ValueError(f"no TypeScript for the schema {json.dumps(schema)}")


def comment(schema: Schema, indent: str = "") -> list[str]:
    text = " ".join(str(schema.get("description", "")).split())
    return [f"{indent}/** {text} */"] if text else []


def interface(name: str, schema: Schema) -> str:
    """An object schema as an interface; a constant field (the discriminant) is always present."""
    required = set(schema.get("required", ()))
    lines = [*comment(schema), f"export interface {name} {{"]
    for field, node in schema["properties"].items():
        optional = "" if field in required or "const" in node else "?"
        lines += [*comment(node, "  "), f"  {field}{optional}: {type_of(node)};"]
    return "\n".join([*lines, "}"])


def members(schema: Schema) -> list[str]:
    """The names of a union's models."""
    return [type_of(alternative) for alternative in schema.get("oneOf") or schema["anyOf"]]


def union(name: str, schema: Schema) -> str:
    return textwrap.fill(f"export type {name} = {' | '.join(members(schema))};", 200, subsequent_indent="  ")


def imported(names: list[str]) -> str:
    """The import of these types from the values' file."""
    return textwrap.fill(
        f'import type {{ {", ".join(names)} }} from "./protocol_values.ts";', 200, subsequent_indent="  "
    )


def _of_mounted_tools() -> dict[str, Schema]:
    """What a page is asked with by a tool that it has mounted, and what it answers."""
    answered: dict[str, Schema] = {}
    models: list[type[WireModel]] = [*RESULTS.values(), ShownView]
    for model in models:
        schema = model.model_json_schema(mode="validation", by_alias=True)
        answered |= {**schema.pop("$defs", {}), model.__name__: schema}
    for model in ARGUMENTS.values():
        schema = model.model_json_schema(mode="serialization", by_alias=True)
        answered |= {**schema.pop("$defs", {}), model.__name__: schema}
    return answered


def typescript() -> tuple[str, str]:
    """The texts of TARGETS. Models that both sides send appear once, as the server sends them."""
    sent_by_client = CLIENT_MESSAGE.json_schema(mode="validation", by_alias=True)
    sent_by_server = SERVER_MESSAGE.json_schema(mode="serialization", by_alias=True)
    turn_event = TURN_EVENT.json_schema(mode="serialization", by_alias=True)
    turn_end = TypeAdapter(TurnEnd).json_schema(mode="serialization", by_alias=True)
    models: dict[str, Schema] = {**sent_by_client["$defs"], **sent_by_server["$defs"], **_of_mounted_tools()}
    messages = {*members(sent_by_client), *members(sent_by_server)}
    interfaces = {name: interface(name, models[name]) for name in sorted(models)}
    values = [name for name in interfaces if name not in messages]
    parts = [
        union("ClientMessage", sent_by_client),
        union("ServerMessage", sent_by_server),
        union("TurnEvent", turn_event),
        union("TurnEnd", turn_end),
        *(interfaces[name] for name in interfaces if name in messages),
    ]
    used = [name for name in values if re.search(rf": [^;]*\b{name}\b", "\n".join(parts))]
    of_messages = [f"{MADE_BY}\n{imported(used)}\n\n{CONSTANTS}", *parts]
    of_values = [MADE_BY, *(interfaces[name] for name in values)]
    return "\n\n".join(of_messages) + "\n", "\n\n".join(of_values) + "\n"


if __name__ == "__main__":
    for target, text in zip(TARGETS, typescript(), strict=True):
        if "--print" in sys.argv[1:]:
            sys.stdout.write(text)
        else:
            target.write_text(text, encoding="utf-8")
