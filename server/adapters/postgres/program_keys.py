"""Keys for programs in PostgreSQL, and the pictures of a month."""

from collections.abc import Sequence
from datetime import UTC, datetime

from psycopg.rows import DictRow

from server.adapters.postgres.pool import Database, decision
from server.adapters.postgres.statements import statement
from server.adapters.storable import known_id, not_found, storable_text
from server.errors import LimitExceeded, NotAllowed
from server.ports.identity import Caller, Scope
from server.ports.program_keys import KeyCount, KeyStanding, NewKey, ProgramKey, UsedKey


class PostgresProgramKeys:
    """ProgramKeys over a Database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(self, caller: Caller, new: NewKey) -> ProgramKey:
        named = {
            "user_id": caller.user_id,
            "account_id": caller.account_id,
            "name": storable_text(new.name),
            "prefix": new.prefix,
            "hash": new.digest,
            "scopes": [scope.value for scope in new.scopes],
            "expires_at": new.expires_at,
        }
        async with self._database.transaction() as connection:
            row = await (await connection.execute(statement("create_api_key"), named)).fetchone()
        assert row is not None, "it raises where it makes none"
        return _key(row)

    async def use(self, prefix: str, digest: str) -> UsedKey | None:
        named = {"prefix": prefix, "hash": digest}
        async with self._database.transaction() as connection:
            row = await (await connection.execute(statement("use_api_key"), named)).fetchone()
        if row is None:
            return None
        key = ProgramKey(
            key_id=str(row["id"]),
            account_id=str(row["account_id"]),
            name=row["name"],
            prefix=prefix,
            scopes=_scopes(row),
            created_by=str(row["user_id"]),
            created_at=row["created_at"].astimezone(UTC),
            expires_at=_moment(row["expires_at"]),
        )
        return UsedKey(
            key=key,
            standing=KeyStanding(row["standing"]),
            plan_name=row["plan_name"],
            requests_limit=row["requests_limit"],
            retry_after_s=row["retry_after_s"],
        )

    async def of_account(self, caller: Caller) -> Sequence[ProgramKey]:
        named = {"user_id": caller.user_id, "account_id": caller.account_id}
        async with self._database.transaction() as connection:
            rows = await (await connection.execute(statement("api_keys_of_account"), named)).fetchall()
        return [_key(row) for row in rows]

    async def revoke(self, caller: Caller, key_id: str) -> ProgramKey:
        named = {
            "user_id": caller.user_id,
            "account_id": caller.account_id,
            "key_id": known_id(key_id, "key"),
        }
        async with self._database.transaction() as connection:
            found = await (await connection.execute(statement("api_key"), named)).fetchone()
            if found is None:
                raise not_found("key")
            if not found["may_revoke"]:
                raise NotAllowed("Only who made a key, or an owner of the account, may revoke it.")
            row = await (await connection.execute(statement("revoke_api_key"), named)).fetchone()
        assert row is not None, "it is locked"
        return _key(row)

    async def counts(self) -> Sequence[KeyCount]:
        async with self._database.transaction() as connection:
            rows = await (await connection.execute(statement("api_key_counts"))).fetchall()
        return [KeyCount(str(row["user_id"]), row["working"], _moment(row["last_used_at"])) for row in rows]

    async def revoke_all_of(self, user_id: str) -> int:
        named = {"user_id": known_id(user_id, "user")}
        async with self._database.transaction() as connection:
            return (await connection.execute(statement("revoke_api_keys_of_user"), named)).rowcount


class PostgresRenderQuota:
    """RenderQuota over a Database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def reserve(self, caller: Caller) -> datetime:
        async with self._database.transaction() as connection:
            row = await (await connection.execute(statement("reserve_render"), {"user_id": caller.user_id})).fetchone()
        assert row is not None, "one row comes back"
        if not row["allowed"]:
            raise LimitExceeded(decision(row))
        period_start: datetime = row["period_start"]
        return period_start.astimezone(UTC)

    async def release(self, caller: Caller, period_start: datetime) -> None:
        named = {"user_id": caller.user_id, "period_start": period_start}
        async with self._database.transaction() as connection:
            await connection.execute(statement("release_render"), named)


def _key(row: DictRow) -> ProgramKey:
    created: datetime = row["created_at"]
    return ProgramKey(
        key_id=str(row["id"]),
        account_id=str(row["account_id"]),
        name=row["name"],
        prefix=row["prefix"],
        scopes=_scopes(row),
        created_by=str(row["created_by"]),
        created_at=created.astimezone(UTC),
        last_used_at=_moment(row["last_used_at"]),
        expires_at=_moment(row["expires_at"]),
        revoked_at=_moment(row["revoked_at"]),
    )


def _scopes(row: DictRow) -> tuple[Scope, ...]:
    """In the order of Scope."""
    given = set(row["scopes"])
    return tuple(scope for scope in Scope if scope.value in given)


def _moment(value: datetime | None) -> datetime | None:
    return None if value is None else value.astimezone(UTC)
