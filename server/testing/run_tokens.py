"""Tokens of runs in a dictionary: the twin of PostgresRunTokens."""

from server.errors import NotFound
from server.ports.conversations import Conversations
from server.ports.run_tokens import RunHolder


class MemoryRunTokens:
    """One for each turn, as in the database; without `conversations` there is every turn."""

    def __init__(self, conversations: Conversations | None = None) -> None:
        self._conversations = conversations
        self.hashes: dict[str, tuple[str, RunHolder, str]] = {}
        """By turn: the run, for which attempt it is, and the hash."""

    async def issue(self, run_id: str, holder: RunHolder, token_hash: str) -> None:
        before = self.hashes.get(holder.turn_id)
        if self._conversations is not None and await self._conversations.unended_turn(holder.turn_id) is None:
            raise NotFound("There is no such turn.")
        if before is not None and before[1].attempt > holder.attempt:
            raise NotFound("There is no such turn.")
        self.hashes[holder.turn_id] = (run_id, holder, token_hash)

    async def holder(self, run_id: str, token_hash: str) -> RunHolder | None:
        found = (holder for run, holder, kept in self.hashes.values() if (run, kept) == (run_id, token_hash))
        return next(found, None)
