"""People of a project, as its Auth keeps them."""

import httpx

from server.errors import ServiceUnavailable


async def remove_user(client: httpx.AsyncClient, user_id: str) -> bool:
    """Remove a user from the project's Auth; False for one it does not have. `DELETE /auth/v1/admin/users/{id}` of
    supabase/auth, as `service_role`. Raises ServiceUnavailable."""
    try:
        answer = await client.delete(f"/auth/v1/admin/users/{user_id}")
    except httpx.HTTPError as error:
        raise ServiceUnavailable("The project's Auth does not answer: run this again.", service="auth") from error
    if answer.status_code == httpx.codes.NOT_FOUND:
        return False
    if answer.is_error:
        refused = ServiceUnavailable("The project's Auth refused to remove the user.", service="auth")
        refused.said = f"{answer.status_code}"
        raise refused
    return True
