"""What a token costs: chunks of a stream are read as they are."""

from typing import Any

import pytest
from openai.types.chat import ChatCompletionChunk

from server.adapters.model.openai import openai_chat
from tests.soak.speaking import Script, speaking_endpoint


async def test_no_object_of_the_sdk_is_built_of_a_token(monkeypatch: pytest.MonkeyPatch) -> None:
    def built(*_: Any, **__: Any) -> None:
        raise AssertionError("a chunk was built")

    monkeypatch.setattr(ChatCompletionChunk, "construct", built)
    script = Script("anna", words=3, every_ms=0.1, looks=0)
    async with speaking_endpoint() as endpoint:
        chat = openai_chat(model="fake", base_url=endpoint.base_url, api_key="none")
        text = "".join([chunk.text async for chunk in chat.astream(script.prompt)])
    assert [text] == script.texts
