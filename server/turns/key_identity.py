"""Who stands behind a key for programs: its maker, acting for the key's account within its scopes, and never as an
administrator."""

from server.errors import NotAllowed, NotAuthenticated, TooManyAtOnce
from server.ports.identity import Caller, Identity, KeyUse, Scope
from server.ports.program_keys import KeyStanding, ProgramKeys, UsedKey
from server.turns.key_issuing import parts_of

KEY_BEGINS = "fc_"

REFUSALS = {
    KeyStanding.REVOKED: ("key_revoked", "This key was revoked. Make another on the page /account."),
    KeyStanding.EXPIRED: ("key_expired", "This key's time is over. Make another on the page /account."),
    KeyStanding.LEFT: ("key_without_maker", "Who made this key is no member of its account any more."),
}


class KeyedIdentity:
    """Identity over keys and, for every other token, over `people`."""

    def __init__(self, people: Identity, keys: ProgramKeys) -> None:
        self._people = people
        self._keys = keys

    async def identify(self, access_token: str | None) -> Caller:
        """As of Identity. A key's request is counted; raises TooManyAtOnce where its maker's plan allows no more this
        minute."""
        if access_token is None or not access_token.startswith(KEY_BEGINS):
            return await self._people.identify(access_token)
        parts = parts_of(access_token)
        used = None if parts is None else await self._keys.use(*parts)
        if used is None:
            raise NotAuthenticated("There is no such key. Make one on the page /account.", code="unknown_key")
        return _caller(used)


def require(caller: Caller, scope: Scope | None) -> None:
    """Let a person pass, and a key that has the scope; None is for no key. Raises NotAllowed."""
    if caller.key is None:
        return
    if scope is None:
        raise NotAllowed("This is for people who have signed in: no key for programs opens it.")
    if scope not in caller.key.scopes:
        raise NotAllowed(f"This key has not the scope {scope.value}. Make one that has on the page /account.")


def _caller(used: UsedKey) -> Caller:
    """Raises NotAuthenticated, TooManyAtOnce."""
    key = used.key
    if used.standing is KeyStanding.TOO_MANY:
        raise TooManyAtOnce(
            f"Your keys have sent the {used.requests_limit} requests a minute that the {used.plan_name} plan includes.",
            retry_after_s=used.retry_after_s or 1,
        )
    if used.standing is not KeyStanding.OK:
        code, text = REFUSALS[used.standing]
        raise NotAuthenticated(text, code=code)
    return Caller(
        user_id=key.created_by,
        account_id=key.account_id,
        known_until=key.expires_at,
        key=KeyUse(key.key_id, key.name, frozenset(key.scopes)),
    )
