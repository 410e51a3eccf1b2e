"""The deployed graph of the settings: its model keys are those of the process that runs it."""

from functools import cache

import httpx

from server.adapters.deployed_graph.deployed_nodes import DeployedNodes
from server.agent.graph.compiled_graph import TurnGraph
from server.agent.model_call.call_artifacts import ArtifactFolder
from server.composing.agent import build_models
from server.errors import raised_at
from server.protocol.run_steps import StepFailed
from server.settings import load_settings
from server.turns.turn_failures import turn_failure


@cache
def deployed_graph() -> TurnGraph:
    """Made once for a process. Raises ConfigError."""
    settings, client = load_settings(), httpx.AsyncClient(follow_redirects=False)
    folder = settings.artifacts_dir
    artifacts = None if folder is None else ArtifactFolder(folder)
    return DeployedNodes(build_models(settings), lambda: client, failure_of, artifacts).compiled()


def failure_of(error: Exception) -> StepFailed:
    """What a turn says of the error."""
    failed = turn_failure(error)
    return StepFailed(
        code=failed.code,
        message=failed.message,
        retryable=failed.retryable,
        error=type(error).__name__,
        where=raised_at(error),
    )
