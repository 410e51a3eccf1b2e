"""Who is asking when there is no identity provider: the one local user, or a fixed table of tokens."""

from collections.abc import Mapping

from server.errors import NotAuthenticated
from server.ports.identity import Caller


class LocalIdentity:
    """Everyone who reaches the server is its one user and administrator: the guard of the edge has decided who may
    reach it.
    """

    def __init__(self, user: Caller) -> None:
        self._user = user

    async def identify(self, access_token: str | None) -> Caller:
        """The local user, with or without a token."""
        return self._user


class TokenIdentity:
    """Callers by token: the twin of a real provider."""

    def __init__(self, callers: Mapping[str, Caller]) -> None:
        self._callers = dict(callers)

    async def identify(self, access_token: str | None) -> Caller:
        """Raises NotAuthenticated for no token or an unknown one."""
        caller = self._callers.get(access_token or "")
        if caller is None:
            raise NotAuthenticated("This access token is not valid. Sign in again.")
        return caller
