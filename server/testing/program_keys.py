"""Keys for programs and pictures of a month in dictionaries: the twins of PostgresProgramKeys and PostgresRenderQuota.
The rules are those of `supabase/migrations/*_api_keys.sql` and `*_renders.sql`."""

import math
import uuid
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from limits.refusals import LimitType
from server.adapters.storable import known_id, not_found, storable_text
from server.errors import LimitExceeded, NotAllowed
from server.ports.identity import Caller
from server.ports.program_keys import KeyCount, KeyStanding, NewKey, ProgramKey, UsedKey
from server.testing.account_state import MONTH, MemoryAccounts

MINUTE = timedelta(seconds=60)


class MemoryProgramKeys:
    """Keys of MemoryAccounts, in which whoever is a member may write, and owns what is their personal account."""

    def __init__(self, accounts: MemoryAccounts) -> None:
        self._accounts = accounts
        self._keys: dict[str, ProgramKey] = {}
        self._digests: dict[str, str] = {}
        self._requests: dict[str, list[datetime]] = {}
        accounts.keys_of = self._working

    async def create(self, caller: Caller, new: NewKey) -> ProgramKey:
        if not self._accounts.are_of(caller, caller.account_id):
            raise not_found("account")
        standing = self._accounts.standing(caller.user_id)
        working, limit = self._working(caller.user_id), standing.plan.api_keys_limit
        if limit is not None and working >= limit:
            raise LimitExceeded(replace(standing.refuse(LimitType.API_KEYS, working, limit), messages_limit=None))
        key = ProgramKey(
            key_id=str(uuid.uuid4()),
            account_id=caller.account_id,
            name=storable_text(new.name),
            prefix=new.prefix,
            scopes=new.scopes,
            created_by=caller.user_id,
            created_at=self._accounts.clock.now(),
            expires_at=new.expires_at,
        )
        self._keys[key.key_id] = key
        self._digests[key.key_id] = new.digest
        return key

    async def use(self, prefix: str, digest: str) -> UsedKey | None:
        for key in self._keys.values():
            if key.prefix == prefix and self._digests[key.key_id] == digest:
                return self._used(key)
        return None

    async def of_account(self, caller: Caller) -> Sequence[ProgramKey]:
        if not self._accounts.are_of(caller, caller.account_id):
            return []
        found = [key for key in self._keys.values() if key.account_id == caller.account_id]
        return sorted(found, key=lambda key: key.created_at, reverse=True)

    async def revoke(self, caller: Caller, key_id: str) -> ProgramKey:
        key = self._keys.get(str(known_id(key_id, "key")))
        is_member = key is not None and self._accounts.are_of(caller, key.account_id)
        if key is None or not is_member or key.account_id != caller.account_id:
            raise not_found("key")
        if key.created_by != caller.user_id and not self._accounts.owns(caller):
            raise NotAllowed("Only who made a key, or an owner of the account, may revoke it.")
        self._keys[key.key_id] = replace(key, revoked_at=key.revoked_at or self._accounts.clock.now())
        return self._keys[key.key_id]

    async def counts(self) -> Sequence[KeyCount]:
        makers = dict.fromkeys(key.created_by for key in self._keys.values())
        found = [KeyCount(maker, self._working(maker), self._last_used(maker)) for maker in makers]
        return sorted(found, key=lambda one: (-one.working, one.user_id))

    async def revoke_all_of(self, user_id: str) -> int:
        maker, now = str(known_id(user_id, "user")), self._accounts.clock.now()
        working = [key for key in self._keys.values() if key.created_by == maker and self._works(key)]
        for key in working:
            self._keys[key.key_id] = replace(key, revoked_at=now)
        return len(working)

    def _used(self, key: ProgramKey) -> UsedKey:
        now = self._accounts.clock.now()
        if key.revoked_at is not None:
            return UsedKey(key=key, standing=KeyStanding.REVOKED)
        if key.expires_at is not None and key.expires_at <= now:
            return UsedKey(key=key, standing=KeyStanding.EXPIRED)
        maker = Caller(user_id=key.created_by, account_id=key.account_id)
        if not self._accounts.are_of(maker, key.account_id):
            return UsedKey(key=key, standing=KeyStanding.LEFT)
        self._keys[key.key_id] = replace(key, last_used_at=now)
        plan = self._accounts.standing(key.created_by).plan
        limit, wait = plan.api_requests_per_minute, None
        if limit is not None:
            sent = [at for at in self._requests.get(key.created_by, []) if at > now - MINUTE]
            if len(sent) >= limit:
                wait = max(math.ceil((sent[0] + MINUTE - now).total_seconds()), 1)
            else:
                sent.append(now)
            self._requests[key.created_by] = sent
        return UsedKey(
            key=key,
            standing=KeyStanding.OK if wait is None else KeyStanding.TOO_MANY,
            plan_name=plan.name,
            requests_limit=limit,
            retry_after_s=wait,
        )

    def _works(self, key: ProgramKey) -> bool:
        return key.revoked_at is None and (key.expires_at is None or key.expires_at > self._accounts.clock.now())

    def _working(self, user_id: str) -> int:
        return sum(key.created_by == user_id and self._works(key) for key in self._keys.values())

    def _last_used(self, user_id: str) -> datetime | None:
        used = [key.last_used_at for key in self._keys.values() if key.created_by == user_id and key.last_used_at]
        return max(used, default=None)


class MemoryRenderQuota:
    """Pictures of users of MemoryAccounts."""

    def __init__(self, accounts: MemoryAccounts) -> None:
        self._accounts = accounts

    async def reserve(self, caller: Caller) -> datetime:
        standing = self._accounts.standing(caller.user_id)
        limit = standing.plan.monthly_render_limit
        if limit is not None and standing.monthly_renders >= limit:
            refused = standing.refuse(LimitType.MONTHLY_RENDERS, standing.monthly_renders, limit)
            raise LimitExceeded(replace(refused, messages_limit=None))
        standing.monthly_renders += 1
        return standing.period_end - MONTH

    async def release(self, caller: Caller, period_start: datetime) -> None:
        standing = self._accounts.standing(caller.user_id)
        if standing.period_end - MONTH == period_start:
            standing.monthly_renders = max(standing.monthly_renders - 1, 0)
