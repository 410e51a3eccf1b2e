"""Users of a Supabase project as the database knows them."""

import psycopg

from server.adapters.postgres.pool import Database
from server.adapters.postgres.statements import statement
from server.adapters.storable import known_id, not_found


async def account_of(database: Database, user_id: str) -> str:
    """The id of the user's personal account; their profile, account and subscription are made where they are missing.
    Raises NotFound for a user whom the project's Auth does not have (any more), DatabaseUnavailable."""
    parameters = {"user_id": known_id(user_id, "user")}
    try:
        async with database.transaction() as connection:
            found = await (await connection.execute(statement("personal_account"), parameters)).fetchone()
            if found is None:
                await connection.execute(statement("settle_user"), parameters)
                found = await (await connection.execute(statement("personal_account"), parameters)).fetchone()
    except psycopg.errors.ForeignKeyViolation as error:
        raise not_found("user") from error
    assert found is not None, "settle_user has made it"
    return str(found["id"])
