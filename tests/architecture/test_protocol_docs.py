"""`docs/protocol.md` holds an entry for every message and event, and each entry names every field."""

import re
from pathlib import Path
from typing import get_args

import pytest
from pydantic import BaseModel

from server.edges.ws.answers import CloseCode
from server.protocol.client import ClientMessage
from server.protocol.server import ChatError, ProtocolError, ServerMessage
from server.turns import turn_failures as failures

PAGE = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text(encoding="utf-8")
MODELS: tuple[type[BaseModel], ...] = (*get_args(ClientMessage), *get_args(ServerMessage))
OF_EVERY_EVENT = {"type", "turnId", "sessionId", "seq"}


def type_of(model: type[BaseModel]) -> str:
    return str(model.model_fields["type"].default)


def entries() -> dict[str, str]:
    """Text by the type in its heading."""
    parts = re.split(r"^### `(\w+)`\n", PAGE, flags=re.MULTILINE)
    return {
        name: re.split(r"^## ", text, flags=re.MULTILINE)[0]
        for name, text in zip(parts[1::2], parts[2::2], strict=True)
    }


def words(text: str) -> set[str]:
    """What stands in backticks, word by word."""
    return {word for quoted in re.findall(r"`([^`]+)`", text) for word in re.findall(r"\w+", quoted)}


def test_every_message_and_event_has_an_entry_and_nothing_else_has() -> None:
    assert set(entries()) == {type_of(model) for model in MODELS}


@pytest.mark.parametrize("model", MODELS, ids=type_of)
def test_an_entry_names_every_field(model: type[BaseModel]) -> None:
    fields = {field.alias or name for name, field in model.model_fields.items()}
    if "seq" in fields:
        fields -= OF_EVERY_EVENT
    missing = fields - {"type"} - words(entries()[type_of(model)])
    assert not missing


@pytest.mark.parametrize(
    ("model", "field"), [(ProtocolError, "code"), (ChatError, "error_code"), (ChatError, "limit_type")]
)
def test_every_code_of_a_refusal_is_explained(model: type[BaseModel], field: str) -> None:
    codes = set(re.findall(r"'(\w+)'", str(model.model_fields[field].annotation)))
    assert codes
    assert codes <= words(entries()[type_of(model)])


def test_every_close_code_is_explained() -> None:
    assert {str(int(code)) for code in CloseCode} <= set(re.findall(r"^\| (\d{4}) \|", PAGE, flags=re.MULTILINE))


def test_every_code_of_a_failed_turn_is_named() -> None:
    assert {code for code, _ in failures.CODES.values()} <= words(entries()["turn_failed"])
