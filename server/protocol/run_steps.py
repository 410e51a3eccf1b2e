"""What a deployed graph asks of this server for its run, and is answered: over `/api/v1/runs/{runId}/...`, with the
token of that run. Both ends are our own code, perhaps of two versions."""

from typing import Any, Literal

from server.protocol.base import WireModel

StepName = Literal["setup", "tools", "page", "check", "finish"]
"""Nodes of the graph that run here; the model is called where the graph is."""

ACCESS = "__run__"
"""Key of a run's context under which it has its address and token."""


class ModelFacts(WireModel):
    """What a step here needs to know of a model there."""

    name: str
    label: str
    sees_pictures: bool = True
    is_language_model: bool = True
    context: int | None = None
    output_tokens: int | None = None
    provider: str | None = None


class RunSetup(WireModel):
    """What a model call needs besides the state: which model may be asked, the tools as it reads them (`few_tools` for
    a small context), and how far the turn may go."""

    turn_id: str
    attempt: int
    model_name: str | None
    offered_models: tuple[str, ...] | None
    token_limit: int | None
    analyst_over_budget: bool
    tools: list[dict[str, Any]]
    few_tools: list[dict[str, Any]]
    bounds: dict[str, Any]


class StepRequest(WireModel):
    """The state before the step, and the models that answer there, the chosen one first. `page_result` is what the
    page has answered, of the step that needs it."""

    state: dict[str, Any]
    models: list[ModelFacts]
    page_result: dict[str, Any] | None = None


class CallStart(WireModel):
    """The row of a model call that is about to be made, and what it may come to."""

    invocation: dict[str, Any]
    bound_cost_usd: str | None
    bound_tokens: int


class CallEnd(WireModel):
    """The row with what came of it; without an estimate nothing is known of its cost."""

    invocation: dict[str, Any]
    estimate_cost_usd: str | None = None
    estimate_tokens: int | None = None


class CallRecorded(WireModel):
    """The share of the month's budget that was reached by it, once for each."""

    budget_percent: int | None


class StepFailed(WireModel):
    """Why a step came to nothing."""

    code: str
    message: str
    retryable: bool
    error: str = ""
    where: str = ""
