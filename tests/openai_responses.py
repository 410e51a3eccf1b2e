"""The events of OpenAI's Responses API for a scripted reply, as its streaming reference describes them."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.openai_endpoint import Reply

Events = Iterator[tuple[dict[str, Any], bool]]


def pieces(reply: "Reply") -> list[str]:
    return [reply.text[start : start + reply.piece] for start in range(0, len(reply.text), reply.piece)]


def halves(reply: "Reply", arguments: str) -> list[str]:
    """The arguments of a call in two; of a stream that ends early only the first."""
    middle = len(arguments) // 2
    return [arguments[:middle], arguments[middle:]][: 1 if reply.fault == "early_end" else 2]


def response_events(reply: "Reply", number: int) -> Events:
    """Each event up to where the reply ends, and whether it holds text."""
    yield {"type": "response.created", "sequence_number": 0, "response": _response(number, "in_progress")}, False
    output_index = 0
    if reply.reasoning is not None:
        item = dict(reply.reasoning)
        yield _added(output_index, item), False
        done = {"type": "response.output_item.done", "output_index": output_index, "item": item, "sequence_number": 1}
        yield done, False
        output_index += 1
    if reply.text or reply.refusal:
        item = {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "in_progress", "content": []}
        yield _added(output_index, item), False
        place = {"item_id": f"msg_{number}", "output_index": output_index, "content_index": 0, "sequence_number": 1}
        for piece in pieces(reply):
            yield {"type": "response.output_text.delta", "delta": piece, "logprobs": [], **place}, True
        if reply.text:
            yield {"type": "response.output_text.done", "text": reply.text, "logprobs": [], **place}, False
        if reply.refusal:
            yield {"type": "response.refusal.delta", "delta": reply.refusal, **place}, False
            yield {"type": "response.refusal.done", "refusal": reply.refusal, **place}, False
        output_index += 1
    for index, (name, arguments) in enumerate(reply.calls):
        item_id = f"fc_{number}_{index}"
        call = _call(item_id, f"call_{number}_{index}", name, "")
        yield _added(output_index, call | {"status": "in_progress"}), False
        for half in halves(reply, arguments):
            delta = {"type": "response.function_call_arguments.delta", "delta": half, "sequence_number": 2}
            yield delta | {"item_id": item_id, "output_index": output_index}, False
        output_index += 1


def response_ending(reply: "Reply", number: int) -> dict[str, Any]:
    """The event that ends the reply: completed, incomplete, failed, or an error."""
    if reply.fault == "error_event":
        return {"type": "error", "code": "server_error", "message": "overloaded", "param": None, "sequence_number": 9}
    if reply.fault == "failed":
        error = {"code": "server_error", "message": "overloaded"}
        return _end("response.failed", _response(number, "failed") | {"error": error})
    reasons = {"length": "max_output_tokens", "content_filter": "content_filter"}
    reason = reasons.get(reply.finish_reason or "")
    response = _response(number, "incomplete" if reason else "completed")
    output: list[dict[str, Any]] = [] if reply.reasoning is None else [dict(reply.reasoning)]
    if reply.text:
        part = {"type": "output_text", "text": reply.text, "annotations": []}
        output.append(
            {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed", "content": [part]}
        )
    for index, (name, arguments) in enumerate(reply.calls):
        output.append(_call(f"fc_{number}_{index}", f"call_{number}_{index}", name, arguments))
    response |= {"output": output, "incomplete_details": {"reason": reason} if reason else None}
    if reply.usage:
        tokens_in, tokens_out = reply.usage
        response["usage"] = {
            "input_tokens": tokens_in,
            "input_tokens_details": {"cached_tokens": reply.cached, "cache_write_tokens": 0},
            "output_tokens": tokens_out,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": tokens_in + tokens_out,
        }
    return _end("response.incomplete" if reason else "response.completed", response)


def _response(number: int, status: str) -> dict[str, Any]:
    return {
        "id": f"resp_{number}",
        "object": "response",
        "created_at": 0,
        "status": status,
        "model": "fake",
        "output": [],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "error": None,
        "incomplete_details": None,
    }


def _call(item_id: str, call_id: str, name: str, arguments: str) -> dict[str, Any]:
    return {"type": "function_call", "id": item_id, "call_id": call_id, "name": name, "arguments": arguments}


def _added(output_index: int, item: dict[str, Any]) -> dict[str, Any]:
    return {"type": "response.output_item.added", "output_index": output_index, "item": item, "sequence_number": 1}


def _end(kind: str, response: dict[str, Any]) -> dict[str, Any]:
    return {"type": kind, "response": response, "sequence_number": 9}
