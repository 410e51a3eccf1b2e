"""The system prompt from Langfuse. There is no default behind it: without a prompt, or a copy that is young enough, a
turn ends.
"""

import asyncio
import math
import urllib.parse
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import anyio
import anyio.to_thread
import httpx
import structlog
from langfuse.api import Prompt_Text
from langfuse.api.core import ApiError
from langfuse.model import TextPromptClient

from server.adapters.langfuse.connection import LangfuseConnection
from server.errors import PromptUnavailable
from server.ports.clock import Clock
from server.ports.prompts import SystemPrompt

PATIENCE_S = 0.02
"""How long a turn that could do with a copy waits for Langfuse: it answers sooner when it is well and near."""

AGAIN_S = 5.0
"""How long Langfuse is left alone after it failed, while a copy serves."""

SUMMARY_PLACE = "trace_summary"
"""Without it the model would not know what trace it is asked about."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Copy:
    prompt: TextPromptClient
    fetched_at: float


class LangfusePrompts:
    """Implements `Prompts`. Each turn asks Langfuse, in a thread, for at most `timeout_s`, once; turns that ask at the
    same time share one request.

    `stale_s` above 0 lets the last copy serve for so long: when Langfuse takes longer than PATIENCE_S (the request goes
    on in the background), and at once for AGAIN_S after it failed.
    """

    def __init__(
        self,
        connection: LangfuseConnection,
        clock: Clock,
        *,
        name: str = "analysis-system-prompt",
        label: str = "production",
        stale_s: float = 0,
        timeout_s: float = 1.0,
    ) -> None:
        self._connection = connection
        self._clock = clock
        self._name = name
        self._label = label
        self._stale_s = stale_s
        self._timeout_s = timeout_s
        self._copy: _Copy | None = None
        self._again_at = 0.0
        self._asking: asyncio.Task[TextPromptClient] | None = None
        self._others: dict[str, LangfusePrompts] = {}
        self._threads = anyio.CapacityLimiter(2)
        """Of our own: requests that hang must not take the threads that files are read in."""

    async def system_prompt(self, *, short: bool = False, label: str | None = None) -> SystemPrompt:
        """The prompt's text; its version is `name@v3`, with the copy's age when it is one."""
        if label is not None and label != self._label:
            return await self._labelled(label).system_prompt(short=short)
        copy = self._usable()
        if copy is not None and self._clock.monotonic() < self._again_at:
            return self._named(copy)
        asked = self._ask()
        if copy is not None:
            await asyncio.wait({asked}, timeout=PATIENCE_S)
            if not asked.done() or asked.exception() is not None:
                return self._named(copy)
        prompt = await asyncio.shield(asked)
        return SystemPrompt(prompt.prompt, self._version(prompt))

    def linked(self, version: str) -> TextPromptClient | None:
        """The prompt behind a version that was handed out, for tracing: what the package links a model call with."""
        others = (other.linked(version) for other in self._others.values())
        copy = self._copy
        if copy is None or not f"{version} ".startswith(f"{self._version(copy.prompt)} "):
            return next((prompt for prompt in others if prompt is not None), None)
        return copy.prompt

    def _labelled(self, label: str) -> "LangfusePrompts":
        """The same prompt by another label, with copies of its own."""
        if label not in self._others:
            self._others[label] = LangfusePrompts(
                self._connection,
                self._clock,
                name=self._name,
                label=label,
                stale_s=self._stale_s,
                timeout_s=self._timeout_s,
            )
        return self._others[label]

    def _usable(self) -> _Copy | None:
        copy = self._copy
        young = copy is not None and self._clock.monotonic() - copy.fetched_at <= self._stale_s
        return copy if young and self._stale_s > 0 else None

    def _named(self, copy: _Copy) -> SystemPrompt:
        age = self._clock.monotonic() - copy.fetched_at
        return SystemPrompt(copy.prompt.prompt, f"{self._version(copy.prompt)} (copy, {age:.0f} s old)")

    def _version(self, prompt: TextPromptClient) -> str:
        return f"{self._name}@v{prompt.version}"

    def _ask(self) -> "asyncio.Task[TextPromptClient]":
        """The request that is under way, or a new one."""
        if self._asking is None or self._asking.done():
            self._asking = asyncio.create_task(self._asked())
            self._asking.add_done_callback(_noted)
        return self._asking

    async def _asked(self) -> TextPromptClient:
        try:
            prompt = await self._fetched()
        except PromptUnavailable:
            self._again_at = self._clock.monotonic() + AGAIN_S
            raise
        self._copy = _Copy(prompt, self._clock.monotonic())
        return prompt

    async def _fetched(self) -> TextPromptClient:
        with self._as_unavailable():
            with anyio.fail_after(self._timeout_s):
                prompt = await anyio.to_thread.run_sync(self._fetch, abandon_on_cancel=True, limiter=self._threads)
            if prompt is None:
                raise self._unavailable("is a chat prompt: make it a text prompt")
            if SUMMARY_PLACE not in prompt.variables:
                raise self._unavailable(f"has no place {{{{{SUMMARY_PLACE}}}}}: put one in")
            return prompt

    def _fetch(self) -> TextPromptClient | None:
        """In a thread; None for a chat prompt. The package's `get_prompt` is passed by: its cache serves what is old
        without saying so, and below it a 500 is asked again twice, whatever `max_retries` says.
        """
        found = self._connection.client.api.prompts.get(
            urllib.parse.quote(self._name, safe=""),
            label=self._label,
            request_options={"timeout_in_seconds": math.ceil(self._timeout_s), "max_retries": 0},
        )
        return TextPromptClient(found) if isinstance(found, Prompt_Text) else None

    @contextmanager
    def _as_unavailable(self) -> Iterator[None]:
        """What the client or the network says, as PromptUnavailable."""
        try:
            yield
        except (TimeoutError, httpx.TimeoutException) as error:
            raise self._unavailable(f"did not come within {self._timeout_s:g} s") from error
        except ApiError as error:
            reasons = {
                401: "is refused: check the keys",
                403: "is refused: check the keys",
                404: f"does not exist with the label {self._label!r}",
            }
            status = error.status_code or 0
            raise self._unavailable(reasons.get(status, f"cannot be read: Langfuse answered {status}")) from error
        except httpx.HTTPError as error:
            raise self._unavailable(f"cannot be fetched: it cannot be reached ({type(error).__name__})") from error
        except ValueError as error:
            raise self._unavailable("cannot be read: Langfuse answered with something else") from error

    def _unavailable(self, why: str) -> PromptUnavailable:
        where = f"Langfuse at {self._connection.host}"
        return PromptUnavailable(f"The system prompt {self._name!r} of {where} {why}. No answer is given without it.")


def _noted(asked: "asyncio.Task[TextPromptClient]") -> None:
    """A request that nobody waits for any more fails here and not unheard."""
    if not asked.cancelled() and (error := asked.exception()) is not None:
        log.warning("prompt_not_fetched", error=type(error).__name__, reason=str(error))
