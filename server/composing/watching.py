"""Where the prompt comes from and who watches the turns: the repository's file and nobody, or Langfuse."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from server.adapters.in_process.clock import SystemClock
from server.adapters.prompt_file import PromptFile
from server.agent.model_call.call_artifacts import CallArtifacts
from server.agent.tracing import Observer, Tracing
from server.composing.build import graph_version
from server.errors import ConfigError
from server.ports.clock import Clock
from server.ports.prompts import Prompts
from server.ports.scores import Scores
from server.settings import Settings

if TYPE_CHECKING:
    from server.adapters.telemetry.server_spans import ServerSpans

FROM_FILE = "none"
"""What FLAMECHAT_LANGFUSE_PROMPT says when Langfuse shall watch and the prompt comes from the file."""

LANGFUSE = "langfuse"
"""What FLAMECHAT_ARTIFACTS says where a data set of Langfuse takes what model calls contained."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Watching:
    """`tracing`, `scores` and `observation_trace_id`, which gives the trace of a turn there, are None when nobody
    watches."""

    prompts: Prompts
    tracing: Tracing | None = None
    scores: Scores | None = None
    observers: tuple[Observer, ...] = ()
    observation_trace_id: Callable[[str], str] | None = None
    artifacts: CallArtifacts | None = None
    """Where what model calls contained is kept, where that is with whoever watches."""


def prompt_file(settings: Settings) -> PromptFile:
    """The file that the settings name, else the repository's own."""
    return PromptFile(settings.prompt_file)


@asynccontextmanager
async def server_spans(settings: Settings) -> AsyncIterator["ServerSpans | None"]:
    """Where requests and turns become spans; None without a collector. Raises ConfigError for what is no address."""
    if settings.otlp_endpoint is None:
        yield None
        return
    if urlsplit(settings.otlp_endpoint).scheme not in {"http", "https"}:
        raise ConfigError("FLAMECHAT_OTLP_ENDPOINT is the address of a collector, such as http://127.0.0.1:4318.")
    from server.adapters.telemetry.server_spans import ServerSpans

    async with ServerSpans(settings.otlp_endpoint) as spans:
        yield spans


@asynccontextmanager
async def watching(settings: Settings, *, clock: Clock | None = None) -> AsyncIterator[Watching]:
    """The settings' choice; what waits to be sent goes out, bounded, when the context ends.

    Raises ConfigError for half a pair of keys.
    """
    settings.check_langfuse()
    if settings.langfuse_public_key is None or settings.langfuse_secret_key is None:
        yield Watching(prompts=prompt_file(settings))
        return
    # Imported here: the package takes seconds to load, and most servers do without it.
    from server.adapters.langfuse.connection import LangfuseConnection
    from server.adapters.langfuse.kept_calls import LangfuseArtifacts
    from server.adapters.langfuse.observations import LangfuseObserver
    from server.adapters.langfuse.prompts import LangfusePrompts
    from server.adapters.langfuse.scores import LangfuseScores
    from server.adapters.langfuse.tracing import LangfuseTracing, trace_id_of

    async with AsyncExitStack() as stack:
        connection = await stack.enter_async_context(
            LangfuseConnection(
                host=settings.langfuse_host,
                public_key=settings.langfuse_public_key,
                secret_key=settings.langfuse_secret_key.get_secret_value(),
                with_contents=settings.langfuse_contents,
            )
        )
        scores, observers = LangfuseScores(connection), (LangfuseObserver(connection),)
        artifacts = None
        if settings.artifacts == LANGFUSE:
            artifacts = await stack.enter_async_context(LangfuseArtifacts(connection, graph_version()))
        if settings.langfuse_prompt == FROM_FILE:
            prompts = prompt_file(settings)
            tracing = LangfuseTracing(connection)
            yield Watching(
                prompts=prompts,
                tracing=tracing,
                scores=scores,
                observers=observers,
                observation_trace_id=trace_id_of,
                artifacts=artifacts,
            )
            return
        kept = LangfusePrompts(
            connection,
            clock or SystemClock(),
            name=settings.langfuse_prompt,
            label=settings.langfuse_prompt_label,
            stale_s=settings.langfuse_prompt_stale_seconds,
            timeout_s=settings.langfuse_prompt_seconds,
        )
        tracing = LangfuseTracing(connection, kept.linked)
        yield Watching(
            prompts=kept,
            tracing=tracing,
            scores=scores,
            observers=observers,
            observation_trace_id=trace_id_of,
            artifacts=artifacts,
        )
