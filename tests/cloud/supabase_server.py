"""A Supabase project on loopback, as far as Flamechat and its page use one: Storage, Auth, Realtime."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.routing import Mount
from starlette.types import ASGIApp, Receive, Scope, Send

from server.adapters.supabase.project import SupabaseProject
from server.edges.http.serving import HttpServer, bound_socket
from tests.cloud.api_gateway import ApiGateway
from tests.cloud.auth_server import API_VERSION, AuthServer
from tests.cloud.faults import CutConnection, Faults
from tests.cloud.people import LIFETIME_S, ProjectKeys
from tests.cloud.policies import Policies
from tests.cloud.real_auth import RealAuth, real_auth
from tests.cloud.real_storage import RealStorage
from tests.cloud.realtime_server import RealtimeServer
from tests.cloud.storage_server import StorageServer


@dataclass(frozen=True, slots=True)
class SupabaseServer:
    url: str
    keys: ProjectKeys
    faults: Faults
    storage: StorageServer
    auth: AuthServer
    realtime: RealtimeServer
    real_auth: RealAuth | None = None
    """Supabase's own, in whose place `auth` only makes tokens then."""

    @property
    def project(self) -> SupabaseProject:
        return SupabaseProject(
            url=self.url, publishable_key=self.keys.api_key("anon"), secret_keys=(self.keys.api_key("service_role"),)
        )

    def settings(self) -> dict[str, str]:
        """What a server needs to know of the project, as environment variables."""
        return {
            "SUPABASE_URL": self.url,
            "SUPABASE_PUBLISHABLE_KEY": self.keys.api_key("anon"),
            "SUPABASE_SECRET_KEY": self.keys.api_key("service_role"),
        }

    def legacy_settings(self) -> dict[str, str]:
        """The same with the keys that end in 2026."""
        return {
            "SUPABASE_URL": self.url,
            "SUPABASE_ANON_KEY": self.keys.legacy_key("anon"),
            "SUPABASE_SERVICE_ROLE_KEY": self.keys.legacy_key("service_role"),
        }


@asynccontextmanager
async def supabase_server(
    owner_dsn: str | None = None,
    *,
    port: int = 0,
    auth_program: Path | None = None,
    lasts_s: int = LIFETIME_S,
    files: RealStorage | None = None,
) -> AsyncIterator[SupabaseServer]:
    """Serve a project until the block ends. Its policies are those of that database, its tokens last so long; `files`
    stands in the place of `storage`."""
    async with AsyncExitStack() as stack:
        listening = stack.enter_context(bound_socket("127.0.0.1", port))
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        keys = ProjectKeys(url) if files is None else ProjectKeys(url, secret=files.secret)
        faults, policies = Faults(), Policies(owner_dsn)
        storage = StorageServer(keys, policies, faults)
        stored = storage.routes()
        if files is not None:
            stored = files.routes(await stack.enter_async_context(httpx.AsyncClient(timeout=60)))
        auth = AuthServer(keys, policies, faults, lasts_s=lasts_s)
        real = None
        if auth_program is not None:
            assert owner_dsn is not None
            real = await stack.enter_async_context(real_auth(auth_program, keys, owner_dsn, lasts_s=lasts_s))
        realtime = RealtimeServer(keys, policies, faults)
        app = Starlette(
            routes=[
                Mount("/storage/v1", routes=stored),
                Mount("/auth/v1", routes=(real or auth).routes()),
                Mount("/realtime/v1", routes=realtime.routes()),
            ],
            middleware=[
                Middleware(
                    CORSMiddleware,
                    allow_origins=["*"],
                    allow_methods=["*"],
                    allow_headers=["*"],
                    expose_headers=[API_VERSION],
                ),
                Middleware(ApiGateway, keys=keys),
            ],
        )
        server = HttpServer(Cutting(app))
        serving = asyncio.create_task(server.serve([listening]))
        try:
            yield SupabaseServer(url, keys, faults, storage, auth, realtime, real)
        finally:
            server.should_exit = True
            await serving


class Cutting:
    """Takes a planned cut for what it is: uvicorn closes a connection whose answer was not completed."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._app(scope, receive, send)
        except CutConnection:
            return
