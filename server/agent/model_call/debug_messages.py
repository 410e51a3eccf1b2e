"""FLAMECHAT_DEBUG_MESSAGES_DIR: each model call's exact messages as JSON, pictures by their hash, keys masked."""

import asyncio
import base64
import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langchain_core.messages import AnyMessage, convert_to_openai_messages

from server.cleaning import PROGRAM_KEY
from traces.lazy_regex import lazy_regex

KEYS = lazy_regex(
    r"\b(?:sk|pk|sb|rk)[-_][A-Za-z0-9_-]{12,}|(?<=Bearer )\S+|\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_.-]+|"
    + PROGRAM_KEY.pattern
)
"""How keys of models, of Supabase and of our own begin, and web tokens."""

_DATA_URL = lazy_regex(r"^data:([\w/+.-]+);base64,(.*)$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class MessageRecorder:
    """Writes `<turn>-<call>.json` into `folder`, which is made when it is missing."""

    folder: Path

    async def record(
        self,
        turn_id: str,
        call: str,
        model: str,
        messages: Sequence[AnyMessage],
        tools: list[dict[str, Any]],
        reply: AnyMessage | None,
        error: str | None,
    ) -> None:
        """One call's messages in the provider's own form, its tools, and what came back. Raises OSError when the folder
        cannot be written.
        """
        said = {
            "turn": turn_id,
            "call": call,
            "model": model,
            "messages": convert_to_openai_messages(list(messages)),
            "tools": tools,
            "reply": None if reply is None else convert_to_openai_messages([reply])[0],
            "error": error,
        }
        text = json.dumps(masked(said), indent=2, ensure_ascii=False, default=str)
        await asyncio.to_thread(self._write, f"{turn_id}-{call}.json", text)

    def _write(self, name: str, text: str) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_text(text, encoding="utf-8")


def masked(value: Any) -> Any:
    """The value with pictures replaced by their hash and length, and anything that looks like a key by `***`."""
    if isinstance(value, dict):
        return {key: masked(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [masked(inner) for inner in value]
    if not isinstance(value, str):
        return value
    if found := _DATA_URL.match(value):
        picture = base64.b64decode(found[2])
        return f"{found[1]} sha256:{hashlib.sha256(picture).hexdigest()} {len(picture)} bytes"
    return KEYS.sub("***", value)
