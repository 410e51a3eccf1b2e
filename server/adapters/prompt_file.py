"""The system prompt from a file: the repository's own, or the one a setting names."""

import asyncio
import hashlib
from pathlib import Path

import server.agent.prompts
from server.errors import PromptUnavailable
from server.ports.prompts import SystemPrompt

OWN_PROMPT = Path(server.agent.prompts.__path__[0]) / "analysis_system_prompt.md"
SHORT_PROMPT = OWN_PROMPT.with_name("short_system_prompt.md")


class PromptFile:
    """Implements `Prompts`. Read at every turn, so that an edited file counts from the next prompt on."""

    def __init__(self, path: Path | None = None) -> None:
        """None: the repository's own, of which a shorter one is for a small context."""
        self._path = path

    async def system_prompt(self, *, short: bool = False, label: str | None = None) -> SystemPrompt:
        """The file's text; its version is the file's name and the start of its hash. That of a label is in a file next
        to it, `NAME.LABEL.md`. Raises PromptUnavailable."""
        path = self._path or (SHORT_PROMPT if short else OWN_PROMPT)
        if label is not None:
            path = path.with_name(f"{path.stem}.{label}{path.suffix}")
        try:
            data = await asyncio.to_thread(path.read_bytes)
            text = data.decode("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise PromptUnavailable(
                f"The system prompt {path} cannot be read: {error}. Set FLAMECHAT_PROMPT_FILE to a UTF-8 text file."
            ) from error
        return SystemPrompt(text, f"{path.stem}@{hashlib.sha256(data).hexdigest()[:8]}")
