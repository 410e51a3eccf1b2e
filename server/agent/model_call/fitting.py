"""Messages cut to what a model with a small context reads: the oldest tool results first, then the oldest turns."""

from collections.abc import Sequence

from langchain_core.messages import AnyMessage, HumanMessage, ToolMessage

from server.agent.model_call.token_counts import characters_in

SHORT_RESULT = 240
"""Characters that are kept of a result which was read before: its number, and what it is of."""

MADE_SHORT = "\n… the rest was cut to make room: call again where you need it"


def fitted(messages: Sequence[AnyMessage], characters: int) -> list[AnyMessage]:
    """The messages with at most so many characters, where that can be had: tool results of earlier rounds in short,
    then without the oldest turns, then the newest results in short too. The system prompt and this turn's prompt stay.
    """
    kept = list(messages)
    newest_round = next((at for at, one in _backwards(kept) if not isinstance(one, ToolMessage)), 0)
    kept = _with_short_results(kept, characters, until=newest_round)
    while characters_in(kept) > characters and (oldest := _oldest_turn(kept)):
        del kept[oldest]
    return _with_short_results(kept, characters, until=len(kept))


def _backwards(messages: list[AnyMessage]) -> list[tuple[int, AnyMessage]]:
    return list(enumerate(messages))[::-1]


def _with_short_results(messages: list[AnyMessage], characters: int, *, until: int) -> list[AnyMessage]:
    """Results before that place in short, oldest first, as long as there are too many characters."""
    kept, over = list(messages), characters_in(messages) - characters
    for at, message in enumerate(kept[:until]):
        if over <= 0:
            break
        if isinstance(message, ToolMessage) and len(message.text) > SHORT_RESULT + len(MADE_SHORT):
            short = message.text[:SHORT_RESULT].rpartition("\n")[0] or message.text.partition(":")[0][:SHORT_RESULT]
            over -= len(message.text) - len(short + MADE_SHORT)
            kept[at] = message.model_copy(update={"content": short + MADE_SHORT})
    return kept


def _oldest_turn(messages: list[AnyMessage]) -> slice | None:
    """Where the oldest earlier turn stands; None when this turn's is the only one."""
    starts = [at for at, message in enumerate(messages) if isinstance(message, HumanMessage)]
    return slice(starts[0], starts[1]) if len(starts) > 1 else None
