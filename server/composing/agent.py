"""The agent of the settings, with its models and its prompt."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from server.adapters.in_process.clock import SystemClock
from server.adapters.model.choice import ChosenModels, ModelChoice
from server.adapters.model.patience import Patience
from server.adapters.model.prices import read_prices
from server.agent.bounds import ANSWER_TOKENS, LONG_REQUEST_TOKENS, AgentBounds, answer_room
from server.agent.graph.plain_loop import run_nodes
from server.agent.model_call.call_artifacts import ArtifactFolder
from server.agent.model_call.call_ledger import CallLedger
from server.agent.model_call.chat_model import Chat
from server.agent.model_call.offered_models import ANALYST
from server.agent.service import FlamechatAgent, Run
from server.agent.tracing import ObservedAgent, Tracing
from server.agent.turn import Agent, Pictures
from server.composing.build import graph_version
from server.composing.watching import Watching, prompt_file
from server.ports.invocations import CallCost, InvocationLog
from server.ports.traces import TraceWorkers
from server.settings import Settings

if TYPE_CHECKING:
    from server.agent.graph.compiled_graph import Checkpoints

NOBODY = "none"
"""What FLAMECHAT_MODEL_FALLBACKS says for an empty list: an empty variable is an unset one."""


def build_agent(
    settings: Settings,
    *,
    workers: TraceWorkers,
    pictures: Pictures,
    checkpoints: "Checkpoints | None" = None,
    watched: Watching | None = None,
    invocations: InvocationLog | None = None,
) -> Agent:
    """The agent with the model of the settings: a provider's when there is a key or an address, else the built-in
    analyst. Without `watched` the prompt is the file's and nobody watches; without
    `invocations` nobody keeps what model calls were. Raises ConfigError.
    """
    watched = watched or Watching(prompts=prompt_file(settings))
    agent = build_agent_itself(
        settings,
        workers=workers,
        pictures=pictures,
        checkpoints=checkpoints,
        watched=watched,
        invocations=invocations,
    )
    return ObservedAgent(agent, watched.observers) if watched.observers else agent


def build_agent_itself(
    settings: Settings,
    *,
    workers: TraceWorkers,
    pictures: Pictures,
    checkpoints: "Checkpoints | None" = None,
    watched: Watching,
    invocations: InvocationLog | None = None,
) -> FlamechatAgent:
    """As `build_agent`, of whose turns nobody is informed."""
    return FlamechatAgent(
        models=build_models(settings, watched=watched.tracing is not None),
        prompts=watched.prompts,
        run=run_of(checkpoints, watched.tracing),
        workers=workers,
        pictures=pictures,
        bounds=AgentBounds(turn_seconds=settings.turn_seconds, answer_tokens=settings.answer_tokens or ANSWER_TOKENS),
        debug_dir=settings.debug_messages_dir,
        ledger=None
        if invocations is None
        else CallLedger(
            invocations=invocations,
            clock=SystemClock(),
            graph_version=graph_version(),
            observation_trace_id=watched.observation_trace_id,
            artifacts=watched.artifacts if settings.artifacts_dir is None else ArtifactFolder(settings.artifacts_dir),
        ),
    )


def first_call(settings: Settings) -> Callable[[str | None], CallCost | None]:
    """What the first model call of a turn may come to, by the model it asks for (None: the default); None for the
    built-in analyst. Raises ConfigError for prices that cannot be read."""
    prices, offered = read_prices(settings.model_prices), settings.offered_models
    output = settings.answer_tokens or ANSWER_TOKENS

    def cost(model: str | None) -> CallCost | None:
        name = model or offered.names(None)[0]
        if not offered.has_provider or name == ANALYST:
            return None
        price = prices.get(name)
        bound = None if price is None else price.bound(LONG_REQUEST_TOKENS, output)
        return CallCost(bound, LONG_REQUEST_TOKENS + output)

    return cost


def run_of(checkpoints: "Checkpoints | None", tracing: Tracing | None) -> Run:
    """What runs a turn's nodes. LangGraph takes a second to import: a command that analyses one trace, where nothing is
    checkpointed and nobody watches, does without it."""
    if checkpoints is None and tracing is None:
        return run_nodes
    from server.agent.graph.compiled_graph import GraphRun

    return GraphRun(checkpoints=checkpoints, tracing=tracing)


def build_models(settings: Settings, *, watched: bool = False) -> ChosenModels:
    """The models of the settings, the analyst in the form that can be `watched`. Raises ConfigError for prices that
    cannot be read."""
    key = settings.openai_api_key
    return ChosenModels(
        ModelChoice(
            base_url=settings.model_base_url,
            api_key=None if key is None else key.get_secret_value(),
            model=settings.model,
            allowed=settings.models_allowed,
            fallbacks=() if settings.model_fallbacks == (NOBODY,) else settings.model_fallbacks or (ANALYST,),
            prices=read_prices(settings.model_prices),
            use_responses_api=settings.model_responses_api,
            answer_tokens=most_answer_tokens(settings),
            reasoning_tokens=None if settings.model_context else settings.reasoning_tokens,
            context=settings.model_context,
            reasoning_effort=settings.reasoning_effort,
            verbosity=settings.verbosity,
            sees_pictures=settings.model_sees_pictures,
            patience=Patience(
                connect_s=settings.model_connect_seconds,
                first_s=settings.model_first_seconds,
                reading_s=None if settings.model_base_url is None else settings.model_reading_seconds,
                silence_s=settings.model_silence_seconds,
                retries=settings.model_retries,
                longest_pause_s=settings.model_retry_seconds,
            ),
        ),
        analyst=_watched_analyst() if watched else None,
    )


def most_answer_tokens(settings: Settings) -> int | None:
    """What the endpoint is asked to stop at, reasoning apart: the setting, and no more than the model's context leaves.
    A server other than OpenAI's whose context is not known is not asked unless the setting is there: some refuse a
    bound that their context has no room for.
    """
    if settings.model_context is not None:
        return min(settings.answer_tokens or ANSWER_TOKENS, answer_room(settings.model_context))
    return settings.answer_tokens or (ANSWER_TOKENS if settings.model_base_url is None else None)


def _watched_analyst() -> Chat:
    from server.analyst.watched_chat import WatchedAnalystChat

    return WatchedAnalystChat()
