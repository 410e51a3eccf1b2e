"""Where a turn's graph runs, where a flag decides it for some people."""

from collections.abc import Mapping

from server.agent.turn import Agent, TurnAnswer, TurnInput, TurnSink


class ChosenAgent:
    """Implements `turn.Agent`: the one of these that the turn's flag `executor` names, else the default."""

    def __init__(self, agents: Mapping[str, Agent], default: str) -> None:
        self._agents = agents
        self._default = agents[default]

    async def answer(self, turn: TurnInput, sink: TurnSink) -> TurnAnswer:
        """See `turn.Agent.answer`."""
        return await self._agents.get(turn.flags.executor or "", self._default).answer(turn, sink)
