"""What a step has sent is read again by another version, too."""

from typing import Any

from server.agent.graph.recorded_events import recorded_before
from server.protocol.events import ModelChunkStart, ToolStart

TEXT = ModelChunkStart(message_id="m1", offset=0, chunk="It is ")
TOOL = ToolStart(tool_call_id="c1", tool_name="f", args={}, message="")


def test_fields_and_events_of_a_newer_version_are_passed_over() -> None:
    newer: list[dict[str, Any]] = [
        TEXT.model_dump(mode="json") | {"tone": "plain"},
        {"type": "of_a_newer_version", "text": "x"},
        TOOL.model_dump(mode="json"),
    ]
    assert recorded_before({"recorded_events": newer}) == [TEXT, TOOL]
    assert recorded_before({}) == []
