"""The one user of a server on one machine, who exists nowhere else than in its own database."""

from psycopg import AsyncConnection, OperationalError

from server.adapters.postgres.statements import statement
from server.errors import DatabaseUnavailable


async def ensure_local_user(owner_dsn: str, user_id: str, plan: str = "local") -> str:
    """The id of the user's personal account. A user who is new is made, on that plan; one who is there keeps what an
    administrator has set for them. Raises DatabaseUnavailable."""
    try:
        async with await AsyncConnection.connect(owner_dsn) as connection:
            made = await connection.execute(statement("make_user"), {"user_id": user_id})
            if made.rowcount:
                await connection.execute(statement("put_on_plan"), {"user_id": user_id, "plan": plan})
            found = await (await connection.execute(statement("personal_account"), {"user_id": user_id})).fetchone()
    except OperationalError as error:
        raise DatabaseUnavailable(f"The database cannot be reached: {error}") from error
    assert found is not None, "the trigger on auth.users gives every user an account"
    return str(found[0])
