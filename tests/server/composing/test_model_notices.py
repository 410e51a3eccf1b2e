"""What a server says at its start of settings of models that will disappoint."""

from typing import Any

import pytest

from server.composing.announcing import announce_address
from server.composing.model_notices import model_notices
from server.settings import Settings


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"model_base_url": "http://127.0.0.1:11434"}, "most endpoints answer at http://127.0.0.1:11434/v1"),
        ({"model_base_url": "http://me:secret@127.0.0.1:11434/"}, "at http://127.0.0.1:11434/v1"),
        ({"model_base_url": "http://127.0.0.1/v1", "model_context": 2_048}, "FLAMECHAT_MODEL_CONTEXT is 2,048: below"),
    ],
)
def test_a_setting_that_will_disappoint_is_named_at_the_start(settings: dict[str, Any], words: str) -> None:
    said: list[str] = []
    announce_address(Settings(**settings), 8484, said.append)
    assert words in said[-1]
    assert "secret" not in said[-1]


@pytest.mark.parametrize(
    "settings",
    [{}, {"model_context": 2_048}, {"model_base_url": "http://127.0.0.1/v1", "model_context": 4_000}],
)
def test_nothing_is_said_of_settings_that_work_or_are_not_used(settings: dict[str, Any]) -> None:
    assert model_notices(Settings(**settings)) == []
