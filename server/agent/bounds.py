"""How far one turn may go."""

from dataclasses import dataclass, replace
from typing import Any, Self

CHARACTERS_PER_TOKEN = 2.4
"""Of names, paths, handles and numbers, as tool results are made of them; prose has about 4."""

ANSWER_TOKENS = 4_000
"""Of the visible text of one reply unless FLAMECHAT_ANSWER_TOKENS says otherwise: more than anybody reads."""

REASONING_TOKENS = 16_000
"""Added to what a model that reasons is asked to stop at: providers count its reasoning as output."""

LEAST_CONTEXT = 4_000
"""Tokens of the smallest context in which a turn with two tool calls ends well."""

SMALL_CONTEXT = 24_000
"""Below it the first request is a short one: the long one takes about 9,000, and some rounds of tools as much again."""

LONG_REQUEST_TOKENS = 9_000
"""Of the first request of a turn where the context is not small."""

FIRST_REQUEST_TOKENS = 2_000
"""Of the short one: half of the smallest context."""

RESULTS_AFTER_IT = 3
"""Tool results of full length that a small context has room for next to its first request and the answer."""

TURN_SECONDS = 600
"""The time for one answer unless FLAMECHAT_TURN_SECONDS says otherwise."""


def answer_room(context: int) -> int:
    """Tokens of a context that are left for an answer: a fifth, and no more than anybody reads."""
    return min(context // 5, ANSWER_TOKENS)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentBounds:
    """`tool_rounds`: an investigation of a real trace takes 3 to 6; 15 leaves room and still ends. `result_tokens` is
    what one tool result may take, `context_tokens` what history may take besides the prompt, tools and results;
    past it, the oldest turns go until `trimmed_tokens` are left. Where a model's context is known, a request takes at
    most `request_tokens`; where it is small, the first one at most `first_request_tokens`. More than
    `contradicted_share` of an answer's claims contradicted, and at least `contradicted_least`: the model may repair it
    once.
    """

    tool_rounds: int = 15
    context_tokens: int = 64_000
    trimmed_tokens: int = 32_000
    result_tokens: int = 1_500
    request_tokens: int | None = None
    first_request_tokens: int | None = None
    pictures_per_call: int = 2
    tool_seconds: float = 30.0
    turn_seconds: float = TURN_SECONDS
    answer_tokens: int = ANSWER_TOKENS
    contradicted_share: float = 0.05
    contradicted_least: int = 1

    @classmethod
    def for_context(cls, tokens: int | None, **others: Any) -> Self:
        """Bounds for a model whose context has so many tokens; None: more than is ever used."""
        return cls(**others).within(tokens)

    def within(self, tokens: int | None, *, output_tokens: int | None = None) -> Self:
        """The same for a model whose context has so many tokens, of which the endpoint is asked to leave
        `output_tokens` for a reply with its reasoning."""
        if tokens is None:
            return self
        request = tokens - max(answer_room(tokens), min(output_tokens or 0, tokens // 2))
        if tokens >= SMALL_CONTEXT:
            history = min(self.context_tokens, tokens // 4)
            return replace(self, request_tokens=request, context_tokens=history, trimmed_tokens=history // 2)
        left = max(request - FIRST_REQUEST_TOKENS, 0)
        result = min(self.result_tokens, max(left // RESULTS_AFTER_IT, 100))
        return replace(self, request_tokens=request, result_tokens=result, first_request_tokens=FIRST_REQUEST_TOKENS)

    def for_analyst(self) -> Self:
        """The same for the built-in analyst, which has no context that could be full."""
        return replace(self, request_tokens=None, first_request_tokens=None, result_tokens=AgentBounds().result_tokens)

    @property
    def result_characters(self) -> int:
        """Of a tool result where no provider has counted."""
        return int(self.result_tokens * CHARACTERS_PER_TOKEN)

    @property
    def recursion_limit(self) -> int:
        """LangGraph's bound in steps: setup, a model call and its tools for every round, the last call, check, repair,
        check again, finish, and one to spare.
        """
        return 2 * self.tool_rounds + 7
