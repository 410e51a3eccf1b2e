"""Who people are, where files are kept and who else receives turns: this machine, or a Supabase project."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial

import httpx

from server.adapters.in_process.background_loops import BackgroundLoops
from server.adapters.in_process.identity import LocalIdentity
from server.adapters.postgres.broadcast_budget import BroadcastBudget
from server.adapters.postgres.local_user import ensure_local_user
from server.adapters.postgres.people import account_of
from server.adapters.postgres.place import DatabasePlace
from server.adapters.postgres.pool import Database
from server.adapters.supabase.identity import SupabaseIdentity
from server.adapters.supabase.keys import PublishedKeys
from server.adapters.supabase.project import SupabaseProject
from server.adapters.supabase.realtime import RealtimeRelay
from server.composing.object_store import object_store
from server.composing.supabase_project import supabase_project
from server.composing.use_cases import Backing
from server.edges.http.client_config import ClientConfig
from server.edges.http.gateway import Gateway
from server.ports.identity import LOCAL_USER_ID, Caller
from server.ports.objects import ObjectStore
from server.ports.relay import Relay
from server.settings import Settings


@asynccontextmanager
async def backing_of(
    settings: Settings, place: DatabasePlace, database: Database, relay: Relay, loops: BackgroundLoops
) -> AsyncIterator[Backing]:
    """As the settings say. Nothing is asked of a project yet: it may be away when the server starts.

    Raises DatabaseUnavailable.
    """
    project = supabase_project(settings)
    async with AsyncExitStack() as stack:
        objects = await stack.enter_async_context(object_store(settings))
        if project is None:
            yield await _this_machine(settings, place, objects, relay)
            return
        client = await stack.enter_async_context(project.client())
        if settings.realtime:
            budget = BroadcastBudget(database, per_second=settings.realtime_broadcasts_per_second)
            own = await stack.enter_async_context(project.client())  # a slow upload must keep no broadcast waiting
            relay = await stack.enter_async_context(RealtimeRelay(relay, own, budget, loops=loops))
        yield _project(settings, project, objects, _identity(project, client, database), relay)


async def _this_machine(settings: Settings, place: DatabasePlace, objects: ObjectStore, relay: Relay) -> Backing:
    account_id = await ensure_local_user(place.owner_dsn, LOCAL_USER_ID)
    user = Caller(user_id=LOCAL_USER_ID, account_id=account_id, is_administrator=True)
    token, secret = settings.access_token, settings.process_ai_turn_secret
    identity = LocalIdentity(user, access_token=None if token is None else token.get_secret_value())
    return Backing(
        objects=objects,
        identity=identity,
        relay=relay,
        client=ClientConfig(),
        gateway=None if secret is None else Gateway(secret=secret.get_secret_value(), caller_of=identity.caller),
        user=user,
    )


def _project(
    settings: Settings, project: SupabaseProject, objects: ObjectStore, identity: SupabaseIdentity, relay: Relay
) -> Backing:
    secret = settings.process_ai_turn_secret
    refuse = relay.refuse if isinstance(relay, RealtimeRelay) else None
    gateway = None
    if secret is not None:
        gateway = Gateway(secret=secret.get_secret_value(), caller_of=identity.caller, refuse=refuse)
    return Backing(
        objects=objects,
        identity=identity,
        relay=relay,
        client=ClientConfig.of_project(project.base, project.publishable_key, realtime=settings.realtime),
        gateway=gateway,
        user=None,
    )


def _identity(project: SupabaseProject, client: httpx.AsyncClient, database: Database) -> SupabaseIdentity:
    return SupabaseIdentity(
        issuer=project.issuer,
        keys=PublishedKeys(client, f"{project.issuer}/.well-known/jwks.json"),
        secret=project.jwt_secret,
        account_of=partial(account_of, database),
    )
