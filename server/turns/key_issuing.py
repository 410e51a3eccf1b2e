"""What people may do with keys for programs: make one, whose secret they see once, list those of their account, and
take one back."""

import hashlib
import re
import secrets
import string
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from server.cleaning import PROGRAM_KEY, clean
from server.errors import BadRequest, NotAllowed
from server.ports.clock import Clock
from server.ports.identity import Caller, Scope
from server.ports.program_keys import LONGEST_NAME, KeyCount, NewKey, ProgramKey, ProgramKeys

PREFIX_CHARACTERS = 10
"""36^10: two keys of one server never share a prefix by chance, and the table holds it."""

SECRET_BYTES = 32
LONGEST_DAYS = 3_650

_PREFIX_LETTERS = string.ascii_lowercase + string.digits
_KEY = re.compile(r"fc_([a-z0-9]{10})_([A-Za-z0-9_-]{43})")


def new_secret() -> tuple[str, str]:
    """A prefix, and a secret of 256 random bits."""
    prefix = "".join(secrets.choice(_PREFIX_LETTERS) for _ in range(PREFIX_CHARACTERS))
    return prefix, secrets.token_urlsafe(SECRET_BYTES)


def shown_key(prefix: str, secret: str) -> str:
    """The key as its maker sees it, once."""
    return f"fc_{prefix}_{secret}"


def parts_of(key: str) -> tuple[str, str] | None:
    """The prefix of a key and the hash of its secret; None for what has not the form of one."""
    found = _KEY.fullmatch(key)
    return None if found is None else (found[1], digest_of(found[2]))


def digest_of(secret: str) -> str:
    """What is kept of a secret: SHA-256 in hex. It has 256 random bits, so it needs no salt and no slow hash."""
    return hashlib.sha256(secret.encode()).hexdigest()


class KeyIssuing:
    """The use cases. Who comes with a key themselves may do none of them: each raises NotAllowed."""

    def __init__(self, keys: ProgramKeys, clock: Clock) -> None:
        self._keys = keys
        self._clock = clock

    async def create(
        self, caller: Caller, *, name: str, scopes: Collection[Scope], days: int | None = None
    ) -> tuple[ProgramKey, str]:
        """The key's row, and the key, which nobody can see again. It ends after so many days; None: never. Raises
        BadRequest, NotFound, LimitExceeded."""
        _person(caller)
        name = " ".join(clean(name).split())
        if not 1 <= len(name) <= LONGEST_NAME:
            raise BadRequest(f"A key has a name of 1 to {LONGEST_NAME} characters, by which you know it.", field="name")
        if PROGRAM_KEY.search(name):
            raise BadRequest("A name is shown to everybody: this one has a key in it.", field="name")
        if not scopes:
            raise BadRequest(f"A key is for something: {', '.join(Scope)}.", field="scopes")
        if days is not None and not 1 <= days <= LONGEST_DAYS:
            raise BadRequest(f"A key is for 1 to {LONGEST_DAYS:,} days, or has no end.", field="days")
        prefix, secret = new_secret()
        new = NewKey(
            name=name,
            prefix=prefix,
            digest=digest_of(secret),
            scopes=tuple(scope for scope in Scope if scope in scopes),
            expires_at=self._end(days),
        )
        return await self._keys.create(caller, new), shown_key(prefix, secret)

    async def of_account(self, caller: Caller) -> Sequence[ProgramKey]:
        """Those of the account that the caller acts for, newest first."""
        _person(caller)
        return await self._keys.of_account(caller)

    async def revoke(self, caller: Caller, key_id: str) -> ProgramKey:
        """As of ProgramKeys."""
        _person(caller)
        return await self._keys.revoke(caller, key_id)

    async def counts(self) -> Sequence[KeyCount]:
        """As of ProgramKeys; who may ask is the edge's to know."""
        return await self._keys.counts()

    async def revoke_all_of(self, user_id: str) -> int:
        """As of ProgramKeys; who may ask is the edge's to know."""
        return await self._keys.revoke_all_of(user_id)

    def _end(self, days: int | None) -> datetime | None:
        return None if days is None else self._clock.now() + timedelta(days=days)


def _person(caller: Caller) -> None:
    if caller.key is not None:
        raise NotAllowed("Keys are made, seen and revoked by people who have signed in, not by keys.")
