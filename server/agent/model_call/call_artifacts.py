"""FLAMECHAT_ARTIFACTS: what each request of a model call really contained, by its invocation's id, for evaluations and
CI. What people are streamed, and what is logged, stays redacted.
"""

import asyncio
import base64
import binascii
import hashlib
import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import structlog
from langchain_core.messages import AnyMessage, convert_to_openai_messages

from server.agent.model_call.debug_messages import KEYS

_PICTURE = re.compile(r"data:image/png;base64,(.*)", re.DOTALL)
ONLY_OURS = 0o600

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredCall:
    """What a request of a model call was sent and answered; `problem` is a code."""

    invocation_id: str
    model: str
    messages: Sequence[AnyMessage]
    tools: Sequence[Mapping[str, Any]]
    reply: AnyMessage | None
    problem: str | None


class CallArtifacts(Protocol):
    """Where what calls really contained is kept. `keep` raises nothing: what cannot be kept is logged and missing."""

    async def keep(self, call: AnsweredCall) -> None: ...


def content_of_call(call: AnsweredCall) -> tuple[dict[str, Any], dict[str, bytes]]:
    """As JSON in the provider's own form with its keys masked, and the pictures in it by the names that stand for
    them."""
    pictures = _Pictures()
    content = {
        "invocation": call.invocation_id,
        "model": call.model,
        "messages": convert_to_openai_messages(list(call.messages)),
        "tools": list(call.tools),
        "reply": None if call.reply is None else convert_to_openai_messages([call.reply])[0],
        "problem": call.problem,
    }
    named = pictures.named(content)
    assert isinstance(named, dict)
    return named, pictures.found


@dataclass(frozen=True, slots=True)
class ArtifactFolder:
    """Writes `<invocation id>.json` into `folder`, which is made when it is missing, and next to it each picture that
    was shown, by its SHA-256: `<hash>.png`. Only the server's own user can read them; keys are masked."""

    folder: Path

    async def keep(self, call: AnsweredCall) -> None:
        """The messages in the provider's own form with the results of tools in full, the tools that were offered, the
        reply with the arguments of its calls. What cannot be written is logged and missing."""
        content, pictures = content_of_call(call)
        files = {f"{call.invocation_id}.json": json.dumps(content, ensure_ascii=False, default=str).encode()}
        try:
            await asyncio.to_thread(self._write, files | pictures)
        except OSError as error:
            log.warning("artifact_not_kept", invocation_id=call.invocation_id, error=type(error).__name__)

    def _write(self, files: Mapping[str, bytes]) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            part = self.folder / f".{name}.{os.getpid()}"
            part.touch(mode=ONLY_OURS)
            part.write_bytes(content)
            part.replace(self.folder / name)


@dataclass(slots=True)
class _Pictures:
    """Those that a call was shown, by the names of their files."""

    found: dict[str, bytes] = field(default_factory=dict)

    def named(self, value: Any) -> Any:
        """The value with each picture replaced by its file's name, and each key by `***`."""
        if isinstance(value, dict):
            return {name: self.named(inner) for name, inner in value.items()}
        if isinstance(value, list):
            return [self.named(inner) for inner in value]
        if not isinstance(value, str):
            return value
        if (picture := _PICTURE.fullmatch(value)) is not None:
            try:
                png = base64.b64decode(picture[1], validate=True)
            except binascii.Error:
                return value
            name = f"{hashlib.sha256(png).hexdigest()}.png"
            self.found[name] = png
            return name
        return KEYS.sub("***", value)
