"""The `supabase` package as the other end of our test servers: one that drifts from the real ones fails against it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
from supabase import AsyncClient, AsyncClientOptions, acreate_client

from tests.cloud.supabase_server import SupabaseServer


@asynccontextmanager
async def supabase_client(supabase: SupabaseServer, *, role: str = "anon") -> AsyncIterator[AsyncClient]:
    """Signed in as nobody (`anon`) or as `service_role`, by legacy keys: the package sends its key in both
    headers."""
    async with httpx.AsyncClient(timeout=60) as http:
        options = AsyncClientOptions(httpx_client=http, auto_refresh_token=False, persist_session=False)
        yield await acreate_client(supabase.url, supabase.keys.legacy_key(role), options)
