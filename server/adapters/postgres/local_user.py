"""The one user of a server on one machine, who exists nowhere else than in its own database."""

from typing import Any

from psycopg import AsyncConnection, OperationalError
from psycopg.errors import InsufficientPrivilege

from server.adapters.postgres.statements import statement
from server.errors import ConfigError, DatabaseUnavailable


async def ensure_local_user(owner_dsn: str, user_id: str, plan: str = "local") -> str:
    """As `account_of`, on a connection of its own. Raises ConfigError, DatabaseUnavailable."""
    try:
        async with await AsyncConnection.connect(owner_dsn) as connection:
            return await account_of(connection, user_id, plan)
    except InsufficientPrivilege as error:
        raise ConfigError(
            "This role may not make the one user of a server without an identity provider: set "
            "FLAMECHAT_DATABASE_SESSION_URL to the address of the database's owner."
        ) from error
    except OperationalError as error:
        raise DatabaseUnavailable(f"The database cannot be reached: {error}") from error


async def account_of(owner: AsyncConnection[Any], user_id: str, plan: str = "local") -> str:
    """The id of the user's personal account. A user who is new is made, on that plan; one who is there keeps what an
    administrator has set for them."""
    made = await owner.execute(statement("make_user"), {"user_id": user_id})
    if made.rowcount:
        await owner.execute(statement("put_on_plan"), {"user_id": user_id, "plan": plan})
    found = await (await owner.execute(statement("personal_account"), {"user_id": user_id})).fetchone()
    assert found is not None, "the trigger on auth.users gives every user an account"
    return str(found[0])
