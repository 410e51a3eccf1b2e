"""The token by which a graph that runs elsewhere asks this server: for one attempt at one turn, and no other."""

import hashlib
import secrets
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class RunHolder:
    """For which attempt a token was made."""

    turn_id: str
    attempt: int


class RunTokens(Protocol):
    """Their hashes; the in-memory twin obeys the same contract suite."""

    async def issue(self, run_id: str, holder: RunHolder, token_hash: str) -> None:
        """Keep the hash in place of that of an earlier attempt at the turn, whose token opens nothing from now on.
        Raises NotFound for a turn that is not there, DatabaseUnavailable."""
        ...

    async def holder(self, run_id: str, token_hash: str) -> RunHolder | None:
        """For which attempt the token of this hash was made; None where there is no such run, or it has another."""
        ...


def new_run_token() -> str:
    """256 random bits."""
    return secrets.token_urlsafe(32)


def token_hash_of(token: str) -> str:
    """SHA-256: a token is random, so that nobody finds it by its hash."""
    return hashlib.sha256(token.encode(errors="surrogatepass")).hexdigest()
