"""What a client answers to tools that wait for it: in AI SDK a tool's output in the newest message, in assistant-ui and
AG-UI messages of the role `tool` after the newest prompt."""

import json
from typing import Any

from pydantic import TypeAdapter, ValidationError

from server.errors import BadRequest
from server.protocol.mounted import VERSION, WITH_A_VERSION, Mounted, MountedTool

_MOUNTED: TypeAdapter[tuple[str | MountedTool, ...]] = TypeAdapter(Mounted)


def mounted_of(given: Any, tools: Any) -> tuple[str | MountedTool, ...]:
    """What the client mounts: `mountedTools` as on the socket, and those of its own tools that this server knows.
    Raises BadRequest."""
    try:
        mounted = _MOUNTED.validate_python(given or ())
    except ValidationError as error:
        raise BadRequest(f"mountedTools: {error.errors()[0]['msg']}", field="mountedTools") from None
    own = tools if isinstance(tools, dict) else [one.get("name") for one in tools or () if isinstance(one, dict)]
    return (*mounted, *(MountedTool(name=name, version=VERSION) for name in own if name in WITH_A_VERSION))


def answers_in(messages: list[dict[str, Any]]) -> dict[str, Any]:
    """By tool call, of the messages after the newest prompt."""
    found: dict[str, Any] = {}
    for message in messages:
        if message.get("role") == "tool" and isinstance(message.get("toolCallId"), str):
            found[_our_id(message["toolCallId"])] = _parsed(message.get("content"))
            continue
        parts = message.get("parts") or message.get("content")
        for part in parts if isinstance(parts, list) else ():
            if isinstance(part, dict) and isinstance(part.get("toolCallId"), str) and _is_allowed(part) is not None:
                found[_our_id(part["toolCallId"])] = {"status": "allowed" if _is_allowed(part) else "declined"}
            elif isinstance(part, dict) and isinstance(part.get("toolCallId"), str) and _has_ended(part):
                output = part.get("output", part.get("result"))
                if isinstance(output, dict) and set(output) == {"type", "value"}:
                    output = output["value"]
                found[_our_id(part["toolCallId"])] = output
    return found


def _our_id(call_id: str) -> str:
    """Without the turn's id."""
    return call_id.partition("/")[2] or call_id


def _is_allowed(part: dict[str, Any]) -> bool | None:
    """What the person said to a request for approval; None where there is no answer."""
    approval = part.get("approval")
    if part.get("state") != "approval-responded" or not isinstance(approval, dict):
        return None
    return approval.get("approved") is True


def _has_ended(part: dict[str, Any]) -> bool:
    return part.get("state") in ("output-available", "output-error") or part.get("type") == "tool-result"


def _parsed(content: Any) -> Any:
    try:
        return json.loads(content) if isinstance(content, str) else content
    except ValueError:
        return content
