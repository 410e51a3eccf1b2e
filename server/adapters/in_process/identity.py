"""Who is asking when there is no identity provider: the one local user."""

import hmac

from server.errors import NotAuthenticated, NotFound
from server.ports.identity import Caller


class LocalIdentity:
    """Everyone who may reach the server is its one user and administrator. With an access token only its bearers
    may.
    """

    def __init__(self, user: Caller, *, access_token: str | None = None) -> None:
        self._user = user
        self._access_token = access_token

    async def identify(self, access_token: str | None) -> Caller:
        """The local user. Raises NotAuthenticated for a missing or false token, where one is required."""
        if self._access_token is not None and not _same(access_token or "", self._access_token):
            raise NotAuthenticated("This server needs its access token. Open the link it printed, or send the token.")
        return self._user

    async def caller(self, user_id: str) -> Caller:
        """The user that a trusted gateway names. Raises NotFound for any but the one."""
        if user_id != self._user.user_id:
            raise NotFound("There is no such user.")
        return self._user


def _same(given: str, expected: str) -> bool:
    return hmac.compare_digest(given.encode(), expected.encode())
