"""Which embedder finds memories by meaning, and whether it answers: one question is timed."""

import time

from server.composing.embedding import embedders_of
from server.edges.cli.config import Sign
from server.settings import Settings
from server.turns.asked_vector import PATIENCE_S

QUESTION = "Which function takes the most time?"


async def embedder_outcome(settings: Settings) -> tuple[Sign, str]:
    """The first question loads the model, the second is the one that is timed. Raises ConfigError,
    ServiceUnavailable."""
    if settings.memory == "off":
        return "off", "nothing is remembered (FLAMECHAT_MEMORY)"
    async with embedders_of(settings) as embedders:
        if not embedders:
            return (
                "off",
                "none: memories are found by their words (install flamechat[memory], or set FLAMECHAT_EMBEDDER)",
            )
        used = embedders[0]
        await used.embed([QUESTION])
        started = time.perf_counter()
        vector = (await used.embed([QUESTION]))[0]
        seconds = time.perf_counter() - started
    found = f"{used.model}, {len(vector.values)} dimensions, {1000 * seconds:.0f} ms a question"
    if seconds > PATIENCE_S:
        return "slow", f"{found}: a search waits {1000 * PATIENCE_S:.0f} ms for it, and then goes by words"
    return "ok", found
