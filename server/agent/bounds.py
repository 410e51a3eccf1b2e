"""How far one turn may go."""

from dataclasses import dataclass

TURN_SECONDS = 600
"""The time for one answer unless FLAMECHAT_TURN_SECONDS says otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentBounds:
    """`tool_rounds`: an investigation of a real trace takes 3 to 6; 15 leaves room and still ends. `result_characters`
    is about 1,500 tokens. `context_tokens` is what history may take besides the prompt, tools and results;
    past it, the oldest turns go until `trimmed_tokens` are left. More than
    `unverified_share` of an answer's claims not found, and at least `unverified_least`: the model may repair it once.
    """

    tool_rounds: int = 15
    context_tokens: int = 64_000
    trimmed_tokens: int = 32_000
    result_characters: int = 6_000
    pictures_per_call: int = 2
    tool_seconds: float = 30.0
    turn_seconds: float = TURN_SECONDS
    unverified_share: float = 0.2
    unverified_least: int = 2

    @property
    def recursion_limit(self) -> int:
        """LangGraph's bound in steps: setup, a model call and its tools for every round, the last call, check, repair,
        check again, finish, and one to spare.
        """
        return 2 * self.tool_rounds + 7
