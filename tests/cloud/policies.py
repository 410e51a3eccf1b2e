"""What Supabase's services ask the database: a user's rights, by the policies of the migrations."""

import json
from typing import Any

import psycopg


class Policies:
    """Over the owner's connection string of a migrated database. Without one, only `service_role` may anything."""

    def __init__(self, owner_dsn: str | None) -> None:
        self._dsn = owner_dsn

    async def may_listen(self, claims: dict[str, Any], topic: str) -> bool:
        """As Realtime asks when a private channel is joined: is a message of that topic visible to this user?"""
        if claims["role"] == "service_role":
            return True
        if self._dsn is None:
            return False
        async with await psycopg.AsyncConnection.connect(self._dsn) as connection:
            await connection.execute(
                "insert into realtime.messages (topic, extension, private) values (%s, 'broadcast', true)", [topic]
            )
            await self._become(connection, claims, topic)
            try:
                found = await connection.execute(
                    "select 1 from realtime.messages where extension = 'broadcast' limit 1"
                )
                return await found.fetchone() is not None
            finally:
                await connection.rollback()

    async def may_read(self, claims: dict[str, Any], bucket: str, path: str) -> bool:
        """As Storage asks: is the object's row visible to this user?"""
        if claims["role"] == "service_role":
            return True
        if self._dsn is None:
            return False
        async with await psycopg.AsyncConnection.connect(self._dsn) as connection:
            await self._become(connection, claims, "")
            found = await connection.execute(
                "select from storage.objects where bucket_id = %s and name = %s", [bucket, path]
            )
            return await found.fetchone() is not None

    async def may_write(self, claims: dict[str, Any], bucket: str, path: str) -> bool:
        if claims["role"] == "service_role":
            return True
        if self._dsn is None:
            return False
        async with await psycopg.AsyncConnection.connect(self._dsn) as connection:
            await self._become(connection, claims, "")
            try:
                await connection.execute(
                    "insert into storage.objects (bucket_id, name) values (%s, %s)", [bucket, path]
                )
            except psycopg.errors.InsufficientPrivilege:
                return False
            finally:
                await connection.rollback()
        return True

    async def stored(self, bucket: str, path: str) -> None:
        """Note an object's row, as Storage does."""
        await self._write(
            "insert into storage.objects (bucket_id, name) values (%s, %s) on conflict do nothing", bucket, path
        )

    async def removed(self, bucket: str, path: str) -> None:
        await self._write("delete from storage.objects where bucket_id = %s and name = %s", bucket, path)

    async def signed_up(self, user_id: str, email: str) -> None:
        """Note a user's row, as Auth does."""
        await self._write("insert into auth.users (id, email) values (%s, %s) on conflict do nothing", user_id, email)

    async def _write(self, statement: Any, *values: str) -> None:
        if self._dsn is not None:
            async with await psycopg.AsyncConnection.connect(self._dsn) as connection:
                await connection.execute(statement, values)

    @staticmethod
    async def _become(connection: psycopg.AsyncConnection[Any], claims: dict[str, Any], topic: str) -> None:
        await connection.execute("select set_config('request.jwt.claims', %s, true)", [json.dumps(claims)])
        await connection.execute("select set_config('realtime.topic', %s, true)", [topic])
        role = "authenticated" if claims["role"] == "authenticated" else "anon"
        await connection.execute("set local role authenticated" if role == "authenticated" else "set local role anon")
