"""The built client: its files, and its one document for every address the client itself understands."""

import anyio
from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, RedirectResponse, Response

from server.edges.http.services import ACCESS_COOKIE, ForServer
from server.errors import NotFound

routes = APIRouter(include_in_schema=False)

UNCHANGING = "public, max-age=31536000, immutable"
"""Files under assets/ carry a hash of their content in their names."""


@routes.get("/")
@routes.get("/admin")
@routes.get("/t/{rest:path}")
@routes.get("/s/{rest:path}")
async def document(request: Request, services: ForServer) -> Response:
    """The page. A printed link carries the access token once: it becomes a cookie that only this site's own pages
    send.
    """
    token = request.query_params.get("access_token")
    if token is not None:
        await services.identity.identify(token)
        answer = RedirectResponse(request.url.path, 303)
        answer.set_cookie(ACCESS_COOKIE, token, httponly=True, samesite="strict", secure=request.url.scheme == "https")
        return answer
    index = anyio.Path(services.page / "index.html")
    if not await index.is_file():
        return PlainTextResponse("The page is not built. Run: make run\n", 503)
    return FileResponse(index, headers={"Cache-Control": "no-cache"})


@routes.get("/{path:path}")
async def file(path: str, services: ForServer) -> Response:
    """A file of the page. Raises NotFound, also for a path that leads out of it."""
    folder = await anyio.Path(services.page).resolve()
    found = await (folder / path).resolve()
    if not found.is_relative_to(folder) or found.name.startswith(".") or not await found.is_file():
        raise NotFound(f"There is no page /{path}.")
    caching = UNCHANGING if path.startswith("assets/") else "no-cache"
    return FileResponse(found, headers={"Cache-Control": caching})
