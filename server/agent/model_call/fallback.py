"""What is done when a model cannot answer: another one takes over, or the oldest turns are left out."""

from collections.abc import Sequence

from langchain_core.messages import AnyMessage, HumanMessage

from server.agent.model_call.chat_model import Model
from server.agent.model_call.token_counts import estimated_tokens
from server.errors import ModelFailed

DOWN = frozenset({"model_unreachable", "model_timeout", "model_failed", "model_stream_broken"})
"""The provider is out of order: any fallback may answer."""

BUSY = frozenset({"model_rate_limited", "model_quota"})
"""The provider works and declines: another language model may answer, but the analyst does not take over unasked."""

OVER_BUDGET = "over_budget"
"""Code of the failure that no call was made: the person's month is spent. The analyst costs nothing."""

KEPT_SHARE = 0.25
"""Share of a history that is kept when it was too long: providers do not say by how much, and there is one retry."""

TOO_SLOW = (
    "*The language model has not begun its answer in time. The built-in analyst answers instead: it works by rules "
    "over the trace and is not a language model.*\n\n"
)
"""What the analyst says first where a model that is there was too slow."""

BY_RULE = (
    "*The language model cannot be reached just now. The built-in analyst answers instead: it works by rules over the "
    "trace and is not a language model.*\n\n"
)


SPENT = (
    "*This month's budget for language models is used up. The built-in analyst answers instead: it works by rules over "
    "the trace and is not a language model.*\n\n"
)
"""What the analyst says first where the person's plan pays for no more calls."""


def preface(gave_up: str) -> str:
    """What the analyst says first when it takes over after a failure of this code."""
    return {"model_timeout": TOO_SLOW, OVER_BUDGET: SPENT}.get(gave_up, BY_RULE)


def stands_in(model: Model, chosen: Model, failed: ModelFailed) -> Model | None:
    """The fallback of the `chosen` model that comes after `model`; None when there is none for this failure."""
    chain = (chosen, *chosen.fallbacks)
    names = [one.name for one in chain]
    later = chain[names.index(model.name) + 1 :] if model.name in names else ()
    if failed.code == OVER_BUDGET:
        return next((one for one in later if not one.is_language_model), chosen.over_budget)
    if failed.code in DOWN:
        return later[0] if later else None
    return next((one for one in later if one.is_language_model), None) if failed.code in BUSY else None


def named(name: str | None, chosen: Model) -> Model:
    """The model of that name among the chosen one and its fallbacks: the one an earlier step had turned to."""
    stand_ins = (*chosen.fallbacks, chosen.over_budget)
    return next((one for one in stand_ins if one is not None and one.name == name), chosen)


def oldest_turns(messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    """The messages of the oldest complete turns, so many that at most KEPT_SHARE of the earlier turns' tokens remains;
    this turn's own never. Empty when there is no earlier turn.
    """
    starts = [index for index, message in enumerate(messages) if isinstance(message, HumanMessage)]
    if len(starts) < 2:
        return []
    first, *later = starts
    earlier = messages[first : starts[-1]]
    budget = estimated_tokens(earlier) * KEPT_SHARE
    keep_from = next(start for start in later if estimated_tokens(messages[start : starts[-1]]) <= budget)
    return list(messages[first:keep_from])
