"""A scripted model's answer that stops after its first piece until the test lets it go on."""

import asyncio
from typing import Literal

from tests.openai_endpoint import Reply

SENTENCE = "Filtering scores every card again at each key that is pressed."
ANSWER = " ".join(f"{number % 9 + 1}. {SENTENCE}" for number in range(39))
"""Small numbers, which no check takes for claims: an answer with false ones is asked for again."""

FIRST_PIECE = ANSWER[:60]
REACHED_S = 60


class Gate(asyncio.Event):
    """Stops a reply after its first piece until it is set; `reached` says that the reply waits here."""

    def __init__(self) -> None:
        super().__init__()
        self.reached = asyncio.Event()

    async def wait(self) -> Literal[True]:
        self.reached.set()
        return await super().wait()


def gated_reply() -> tuple[Reply, Gate]:
    """A long answer whose first piece comes at once, and what lets the rest of it go."""
    gate = Gate()
    return Reply(text=ANSWER, piece=60, gate=gate), gate


async def reached(gate: Gate) -> None:
    await asyncio.wait_for(gate.reached.wait(), REACHED_S)
