"""Keys for programs over HTTP: people make, see and revoke those of their account; administrators see how many there
are, and may revoke somebody's."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Depends
from pydantic import Field

from server.edges.http.admin import administrator
from server.edges.http.api_address import API
from server.edges.http.services import CurrentCaller, ForPlans
from server.ports.identity import Scope
from server.ports.program_keys import LONGEST_NAME, KeyCount, ProgramKey
from server.protocol.base import WireModel
from server.turns.key_issuing import LONGEST_DAYS

MAX_BODY_BYTES = 16 << 10

routes = APIRouter(prefix=API, tags=["keys"], max_body_size=MAX_BODY_BYTES)
admin_routes = APIRouter(
    prefix=f"{API}/admin", tags=["admin"], dependencies=[Depends(administrator)], max_body_size=MAX_BODY_BYTES
)


class NewKeyBody(WireModel):
    """`days` null: the key has no end."""

    name: Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
    scopes: Annotated[tuple[Scope, ...], Field(min_length=1, max_length=len(Scope))]
    days: Annotated[int, Field(ge=1, le=LONGEST_DAYS)] | None = None


class KeyView(WireModel):
    """A key without its secret: `prefix` is how it begins after `fc_`."""

    key_id: str
    account_id: str
    name: str
    prefix: str
    scopes: tuple[Scope, ...]
    created_by: str
    created_at: datetime
    last_used_at: datetime | None
    expires_at: datetime | None
    revoked_at: datetime | None

    @classmethod
    def of(cls, key: ProgramKey) -> "KeyView":
        return cls(
            key_id=key.key_id,
            account_id=key.account_id,
            name=key.name,
            prefix=key.prefix,
            scopes=key.scopes,
            created_by=key.created_by,
            created_at=key.created_at,
            last_used_at=key.last_used_at,
            expires_at=key.expires_at,
            revoked_at=key.revoked_at,
        )


class MadeKey(WireModel):
    """`secret` is the key itself, which is in no other answer."""

    key: KeyView
    secret: str


class KeyCountView(WireModel):
    user_id: str
    working: int
    last_used_at: datetime | None

    @classmethod
    def of(cls, count: KeyCount) -> "KeyCountView":
        return cls(user_id=count.user_id, working=count.working, last_used_at=count.last_used_at)


@routes.post("/keys", status_code=201)
async def make_key(body: NewKeyBody, caller: CurrentCaller, services: ForPlans) -> MadeKey:
    """A key that acts for the caller's account within what the caller may do there. It is shown this once."""
    key, secret = await services.keys.create(caller, name=body.name, scopes=body.scopes, days=body.days)
    return MadeKey(key=KeyView.of(key), secret=secret)


@routes.get("/keys")
async def keys(caller: CurrentCaller, services: ForPlans) -> dict[str, list[KeyView]]:
    """The keys of the caller's account, newest first, revoked ones too."""
    return {"keys": [KeyView.of(key) for key in await services.keys.of_account(caller)]}


@routes.delete("/keys/{key_id}")
async def revoke_key(key_id: str, caller: CurrentCaller, services: ForPlans) -> dict[str, KeyView]:
    """It opens nothing from now on. Who made it may, and owners of its account."""
    return {"key": KeyView.of(await services.keys.revoke(caller, key_id))}


@admin_routes.get("/keys")
async def key_counts(services: ForPlans) -> dict[str, list[KeyCountView]]:
    """How many keys each user has that work."""
    return {"counts": [KeyCountView.of(count) for count in await services.keys.counts()]}


@admin_routes.post("/users/{user_id}/revoke-keys")
async def revoke_keys(user_id: str, services: ForPlans) -> dict[str, int]:
    """All of a user's; `revoked` says how many worked."""
    return {"revoked": await services.keys.revoke_all_of(user_id)}
