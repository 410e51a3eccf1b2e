"""Tokens of runs in a dictionary: the twin of PostgresRunTokens."""

from collections.abc import Awaitable, Callable

from server.errors import NotFound
from server.ports.run_tokens import RunHolder


class MemoryRunTokens:
    """One for each turn, as in the database. `is_there` says whether there is such a turn."""

    def __init__(self, is_there: Callable[[str], Awaitable[bool]] | None = None) -> None:
        self._is_there = is_there
        self.hashes: dict[str, tuple[str, RunHolder, str]] = {}
        """By turn: the run, for which attempt it is, and the hash."""

    async def issue(self, run_id: str, holder: RunHolder, token_hash: str) -> None:
        before = self.hashes.get(holder.turn_id)
        if self._is_there is not None and not await self._is_there(holder.turn_id):
            raise NotFound("There is no such turn.")
        if before is not None and before[1].attempt > holder.attempt:
            raise NotFound("There is no such turn.")
        self.hashes[holder.turn_id] = (run_id, holder, token_hash)

    async def holder(self, run_id: str, token_hash: str) -> RunHolder | None:
        found = (holder for run, holder, kept in self.hashes.values() if (run, kept) == (run_id, token_hash))
        return next(found, None)
