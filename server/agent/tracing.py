"""The port to a tracing service: it gives the graph's run callbacks and names."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from server.agent.turn import TurnInput

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig

PROMPT_VERSION = "prompt_version"
"""Key of the metadata of each model call."""

Tracing = Callable[[TurnInput], "RunnableConfig"]
"""What is added to the configuration of a turn's run. It must not raise and must not wait."""
