"""The client's types are the server's models."""

import pytest
from pydantic import TypeAdapter

from server.protocol.server import ConnectionAck
from server.protocol.typescript import TARGETS, interface, type_of, typescript


def test_committed_types_are_those_of_the_models() -> None:
    committed = tuple(target.read_text(encoding="utf-8") for target in TARGETS)
    assert committed == typescript(), "stale: run `python -m server.protocol.typescript`"


def test_what_the_server_sends_has_every_field() -> None:
    schema = TypeAdapter(ConnectionAck).json_schema(mode="serialization", by_alias=True)
    assert "?:" not in interface("ConnectionAck", schema)


def test_what_the_client_sends_may_leave_out_defaults_but_never_its_type() -> None:
    start = typescript()[0].split("export interface StartAnalysis {")[1].split("}")[0]
    assert '  type: "start_analysis";' in start
    assert "  traceId: string;" in start
    assert "  prompt?: string | null;" in start


def test_a_list_of_alternatives_is_bracketed() -> None:
    assert type_of({"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "null"}]}}) == "(string | null)[]"


def test_an_unknown_construct_is_refused_rather_than_guessed() -> None:
    with pytest.raises(ValueError, match="patternProperties"):
        type_of({"patternProperties": {}})
