"""The agent of the settings, with its models and its prompt."""

from typing import TYPE_CHECKING

from server.adapters.model.choice import ChosenModels, ModelChoice
from server.adapters.model.patience import Patience
from server.adapters.model.prices import read_prices
from server.adapters.prompt_file import PromptFile
from server.agent.bounds import AgentBounds
from server.agent.graph.plain_loop import run_nodes
from server.agent.model_call.chat_model import Chat
from server.agent.model_call.offered_models import ANALYST
from server.agent.service import FlamechatAgent, Run
from server.agent.tracing import Tracing
from server.agent.turn import Pictures
from server.composing.watching import Watching
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
) -> FlamechatAgent:
    """The agent with the model of the settings: a provider's when there is a key or an address, else the built-in
    analyst. Without `watched` the prompt is the file's and nobody watches. Raises ConfigError.
    """
    watched = watched or Watching(prompts=PromptFile(settings.prompt_file))
    return FlamechatAgent(
        models=build_models(settings, watched=watched.tracing is not None),
        prompts=watched.prompts,
        run=run_of(checkpoints, watched.tracing),
        workers=workers,
        pictures=pictures,
        bounds=AgentBounds(turn_seconds=settings.turn_seconds),
        debug_dir=settings.debug_messages_dir,
    )


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
            sees_pictures=settings.model_sees_pictures,
            patience=Patience(
                connect_s=settings.model_connect_seconds,
                first_s=settings.model_first_seconds,
                silence_s=settings.model_silence_seconds,
                retries=settings.model_retries,
                longest_pause_s=settings.model_retry_seconds,
            ),
        ),
        analyst=_watched_analyst() if watched else None,
    )


def _watched_analyst() -> Chat:
    from server.analyst.watched_chat import WatchedAnalystChat

    return WatchedAnalystChat()
