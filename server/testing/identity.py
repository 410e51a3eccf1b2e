"""Callers by token: the twin of a real identity provider."""

from collections.abc import Mapping

from server.errors import NotAuthenticated
from server.ports.identity import Caller


class TokenIdentity:
    """Knows a fixed table of tokens."""

    def __init__(self, callers: Mapping[str, Caller]) -> None:
        self._callers = dict(callers)

    async def identify(self, access_token: str | None) -> Caller:
        """Raises NotAuthenticated for no token or an unknown one."""
        caller = self._callers.get(access_token or "")
        if caller is None:
            raise NotAuthenticated("This access token is not valid. Sign in again.")
        return caller
