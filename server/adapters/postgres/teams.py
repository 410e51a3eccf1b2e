"""Accounts of several people in PostgreSQL. What may be done by whom its functions decide."""

from collections.abc import Sequence
from datetime import UTC
from typing import Any

from psycopg.rows import DictRow

from server.adapters.postgres.pool import Database
from server.adapters.postgres.statements import statement
from server.adapters.storable import known_id, not_found, storable_text
from server.ports.teams import (
    GOOD_FOR,
    MOST_OPEN,
    MOST_OWNED,
    Account,
    Deciders,
    Invitation,
    Member,
    RemovedAccount,
    Role,
)


class PostgresMembership:
    """Membership over a Database; stores of what belongs to accounts build on it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def role(self, user_id: str, account_id: str) -> Role:
        named = {"user_id": user_id, "account_id": known_id(account_id, "account")}
        async with self._database.transaction() as connection:
            row = await (await connection.execute(statement("role_in_account"), named)).fetchone()
        if row is None or row["role"] is None:
            raise not_found("account")
        return Role(row["role"])


class PostgresTeams(PostgresMembership):
    """Teams over a Database."""

    async def accounts(self, user_id: str) -> list[Account]:
        return [_account(row) for row in await self._rows("accounts_of_user", user_id)]

    async def create(self, user_id: str, name: str) -> Account:
        rows = await self._rows("create_account", user_id, name=storable_text(name), most=MOST_OWNED)
        return _account(rows[0])

    async def change(
        self, user_id: str, account_id: str, *, name: str | None = None, memory_decided_by: Deciders | None = None
    ) -> None:
        name = None if name is None else storable_text(name)
        decided_by = None if memory_decided_by is None else memory_decided_by.value
        await self._of("change_account", user_id, account_id, name=name, memory_decided_by=decided_by)

    async def remove(self, user_id: str, account_id: str, *, with_traces: bool) -> RemovedAccount:
        rows = await self._of("delete_account", user_id, account_id, with_traces=with_traces)
        return RemovedAccount(
            uploads=tuple(row["object_path"] for row in rows if row["object_path"] is not None),
            pictures=tuple(row["picture"] for row in rows if row["picture"] is not None),
            contents=tuple({row["sha256"]: None for row in rows if row["sha256"] is not None}),
        )

    async def members(self, user_id: str, account_id: str) -> list[Member]:
        rows = await self._of("account_members", user_id, account_id)
        if not rows:
            raise not_found("account")
        return [
            Member(
                user_id=str(row["user_id"]),
                name=row["name"],
                role=Role(row["role"]),
                since=row["created_at"].astimezone(UTC),
            )
            for row in rows
        ]

    async def change_role(self, user_id: str, account_id: str, member_id: str, role: Role) -> None:
        known = known_id(member_id, "member")
        await self._of("change_account_member", user_id, account_id, member_id=known, role=role.value)

    async def remove_member(self, user_id: str, account_id: str, member_id: str) -> None:
        await self._of("remove_account_member", user_id, account_id, member_id=known_id(member_id, "member"))

    async def invitations(self, user_id: str, account_id: str) -> list[Invitation]:
        await self._of("require_owner", user_id, account_id)
        return [_invitation(row) for row in await self._of("account_invitations", user_id, account_id)]

    async def invite(self, user_id: str, account_id: str, *, email: str, role: Role, token_hash: str) -> Invitation:
        rows = await self._of(
            "invite_account_member",
            user_id,
            account_id,
            email=storable_text(email),
            role=role.value,
            token_hash=token_hash,
            days=GOOD_FOR.days,
            most=MOST_OPEN,
        )
        return _invitation(rows[0])

    async def revoke(self, user_id: str, account_id: str, invitation_id: str) -> None:
        known = known_id(invitation_id, "invitation")
        await self._of("revoke_account_invitation", user_id, account_id, invitation_id=known)

    async def accept(self, user_id: str, token_hash: str) -> str:
        rows = await self._rows("accept_account_invitation", user_id, token_hash=token_hash)
        return str(rows[0]["account_id"])

    async def _of(self, query: str, user_id: str, account_id: str, **parameters: Any) -> Sequence[DictRow]:
        return await self._rows(query, user_id, account_id=known_id(account_id, "account"), **parameters)

    async def _rows(self, query: str, user_id: str, /, **parameters: Any) -> Sequence[DictRow]:
        async with self._database.transaction() as connection:
            return await (await connection.execute(statement(query), {"user_id": user_id} | parameters)).fetchall()


def _account(row: DictRow) -> Account:
    return Account(
        account_id=str(row["id"]),
        name=row["name"],
        role=Role(row["role"]),
        is_personal=row["is_personal"],
        created_at=row["created_at"].astimezone(UTC),
        memory_decided_by=Deciders(row["memory_decided_by"]),
    )


def _invitation(row: DictRow) -> Invitation:
    return Invitation(
        invitation_id=str(row["id"]),
        email=row["email"],
        role=Role(row["role"]),
        invited_by=str(row["invited_by"]),
        expires_at=row["expires_at"].astimezone(UTC),
    )
