"""The built client: its files, and its one document for every address the client itself understands."""

import mimetypes

import anyio
from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, PlainTextResponse, RedirectResponse, Response

from server.edges.http.content_encoding import accepted
from server.edges.http.guard import content_policy
from server.edges.http.services import ACCESS_COOKIE, ForServer, person_token
from server.errors import NotFound

routes = APIRouter(include_in_schema=False)

UNCHANGING = "public, max-age=31536000, immutable"
"""Files under assets/ carry a hash of their content in their names."""

NOTHING = "default-src 'none'"
"""A script or style opened as a page may do nothing; what it does in the page is for the page's own policy to say."""

RECORDINGS = ("https:", "http://127.0.0.1:*", "http://localhost:*")
"""Where `/open` may fetch recordings, in the browser; web/src/handover/recording_address.ts says the same in words."""

BROTLI = ".br"
"""Behind the name of a script or style: the same, compressed when the page was built (web/vite.config.ts)."""

NOTHING_HERE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>Not found · Flamechat</title>
<main>
<h1>There is no such page</h1>
<p>The address may be misspelt, or what it named is gone. <a href="/">Your traces</a> are on the first page.</p>
</main>
</html>
"""


@routes.get("/")
@routes.get("/admin")
@routes.get("/account")
@routes.get("/conversations")
@routes.get("/questions")
@routes.get("/gates")
@routes.get("/t/{rest:path}")
@routes.get("/s/{rest:path}")
async def document(request: Request, services: ForServer) -> Response:
    """The page. A printed link carries the access token once: it becomes a cookie that only this site's own pages
    send.
    """
    token = person_token(request.query_params.get("access_token"))
    if token is not None:
        await services.identity.identify(token)
        answer = RedirectResponse(request.url.path, 303)
        answer.set_cookie(ACCESS_COOKIE, token, httponly=True, samesite="strict", secure=request.url.scheme == "https")
        return answer
    index = anyio.Path(services.page / "index.html")
    if not await index.is_file():
        return PlainTextResponse("The page is not built. Run: make run\n", 503)
    return FileResponse(index, headers={"Cache-Control": "no-cache"})


@routes.get("/open")
async def document_for_recordings(request: Request, services: ForServer) -> Response:
    """The page where a recording from elsewhere is opened, under a policy of its own: the browser may fetch from other
    sites, and the window that opened it stays connected, as it may hand the recording over."""
    answer = await document(request, services)
    answer.headers["Content-Security-Policy"] = content_policy(services.client.origins, RECORDINGS)
    answer.headers["Cross-Origin-Opener-Policy"] = "unsafe-none"
    return answer


@routes.get("/{path:path}")
async def file(request: Request, path: str, services: ForServer) -> Response:
    """A file of the page. What is not there is an HTML page to a browser; for a program raises NotFound, also
    for a path that leads out of it."""
    folder = await anyio.Path(services.page).resolve()
    found = await (folder / path).resolve()
    if not found.is_relative_to(folder) or found.name.startswith(".") or not await found.is_file():
        if "text/html" in request.headers.get("accept", "") and not path.startswith("api/"):
            return HTMLResponse(NOTHING_HERE, 404, headers={"Cache-Control": "no-cache"})
        raise NotFound(f"There is no page /{path}.")
    if not path.startswith("assets/"):
        return FileResponse(found, headers={"Cache-Control": "no-cache"})
    headers = {"Cache-Control": UNCHANGING, "Vary": "Accept-Encoding", "Content-Security-Policy": NOTHING}
    prebuilt = found.with_name(found.name + BROTLI)
    if accepted(request.headers.get("accept-encoding", ""), ("br",)) and await prebuilt.is_file():
        kind = mimetypes.guess_type(found.name)[0]
        # Never asked about again: no ETag, dates or ranges, which each of a room's files would cost a hundred bytes.
        return Response(await prebuilt.read_bytes(), media_type=kind, headers=headers | {"Content-Encoding": "br"})
    return FileResponse(found, headers=headers)
