"""A request as the gateway of a project passes it on to one of Supabase's own services."""

import httpx
from starlette.requests import Request
from starlette.responses import Response

NOT_PASSED = {"content-length", "content-encoding", "transfer-encoding", "connection", "date", "server"}


async def passed_on(request: Request, client: httpx.AsyncClient, address: str) -> Response:
    """The service's answer. The gateway answers for other origins: what the service says of them by itself would stand
    there twice. The path goes on as it came, its `%2F` and `%23` included."""
    mount: str = request.scope["root_path"]
    path = request.scope["raw_path"].decode("ascii").removeprefix(mount)
    query = request.scope["query_string"].decode("ascii")
    answer = await client.request(
        request.method,
        f"{address}{path}" + (f"?{query}" if query else ""),
        content=await request.body(),
        headers={name: value for name, value in request.headers.items() if name not in {"host", "content-length"}},
    )
    passed = {
        name: value
        for name, value in answer.headers.items()
        if name not in NOT_PASSED and not name.startswith("access-control-")
    }
    return Response(answer.content, answer.status_code, passed)
