"""Access tokens of a project: the good one, and every false one with its code, through a running server."""

import base64
import hashlib
import hmac
import json
import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import jwt
import pytest
from cryptography.hazmat.primitives import serialization

from server.adapters.supabase.identity import SupabaseIdentity
from server.adapters.supabase.keys import BETWEEN_FETCHES_S, FRESH_S, PublishedKeys
from server.errors import NotAuthenticated, NotFound, ServiceUnavailable
from tests.cloud.people import KEY_ID, RSA_KEY_ID, ProjectKeys, person_id
from tests.cloud.supabase_client import supabase_client
from tests.cloud.supabase_server import SupabaseServer, supabase_server

ANNA = person_id("anna")


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


async def account_of(user_id: str) -> str:
    if user_id != ANNA:
        raise NotFound("There is no such user.")
    return f"account of {user_id}"


@asynccontextmanager
async def identity_of(
    supabase: SupabaseServer, *, secret: str | None = None, clock: Clock | None = None
) -> AsyncIterator[SupabaseIdentity]:
    async with supabase.project.client() as client:
        now: Callable[[], float] = clock or time.monotonic
        keys = PublishedKeys(client, f"{supabase.url}/auth/v1/.well-known/jwks.json", now=now)
        yield SupabaseIdentity(
            issuer=f"{supabase.url}/auth/v1", keys=keys, secret=secret, account_of=account_of, now=now
        )


@pytest.mark.parametrize("algorithm", ["ES256", "RS256"])
async def test_a_token_signed_by_a_published_key_names_its_user(algorithm: str) -> None:
    async with supabase_server() as supabase, identity_of(supabase) as identity:
        caller = await identity.identify(supabase.keys.token(ANNA, algorithm=algorithm))
        assert (caller.user_id, caller.account_id, caller.is_administrator) == (ANNA, f"account of {ANNA}", False)
        assert caller.known_until is not None
        assert 3500 < caller.known_until.timestamp() - time.time() < 3700


async def test_a_shared_secret_counts_only_where_it_is_set() -> None:
    async with supabase_server() as supabase:
        token = supabase.keys.token(ANNA, algorithm="HS256")
        async with identity_of(supabase, secret=supabase.keys.secret) as identity:
            assert (await identity.identify(token)).user_id == ANNA
        async with identity_of(supabase) as identity:
            await _refused(identity, token, "bad_algorithm")


async def test_an_administrator_is_whom_the_project_calls_one() -> None:
    async with supabase_server() as supabase, identity_of(supabase) as identity:
        for metadata, is_administrator in (
            ({"flamechat_admin": True}, True),
            ({"flamechat_admin": "yes"}, False),
            ({}, False),
            (None, False),
        ):
            caller = await identity.identify(supabase.keys.token(ANNA, app_metadata=metadata))
            assert caller.is_administrator is is_administrator
        own_words = supabase.keys.token(ANNA, user_metadata={"flamechat_admin": True})
        assert not (await identity.identify(own_words)).is_administrator


def false_tokens(keys: ProjectKeys) -> dict[str, tuple[str | None, str]]:
    """What must not let anybody in, and the code it is refused with."""
    now = int(time.time())
    foreign = ProjectKeys(keys.url)
    public_key = keys.elliptic.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    header, payload, signature = keys.token(ANNA).split(".")
    return {
        "nothing": (None, "no_token"),
        "no token": ("nonsense", "malformed_token"),
        "too long": ("a" * 10_000, "malformed_token"),
        "expired": (keys.token(ANNA, exp=now - 60), "token_expired"),
        "of tomorrow": (keys.token(ANNA, nbf=now + 3600), "token_not_yet_valid"),
        "wrong audience": (keys.token(ANNA, aud="somebody else"), "wrong_audience"),
        "no audience": (keys.token(ANNA, aud=None), "incomplete_token"),
        "wrong issuer": (keys.token(ANNA, iss="https://other.supabase.co/auth/v1"), "wrong_issuer"),
        "never ends": (keys.token(ANNA, exp=None), "incomplete_token"),
        "of nobody": (keys.token(ANNA, sub=None), "incomplete_token"),
        "of no user": (keys.token("root"), "incomplete_token"),
        "alg none": (f"{_signed_part(keys.claims(ANNA), 'none', KEY_ID)}.", "bad_algorithm"),
        "HS256 signed with the public key": (
            _forged(keys.claims(ANNA), public_key, kid=KEY_ID),
            "bad_algorithm",
        ),
        "foreign project": (foreign.token(ANNA), "bad_signature"),
        "foreign key id": (keys.token(ANNA, key_id="unknown"), "bad_signature"),
        "no key id": (jwt.encode(keys.claims(ANNA), keys.elliptic, "ES256"), "bad_signature"),
        "another key's algorithm": (
            jwt.encode(keys.claims(ANNA), keys.elliptic, "ES256", headers={"kid": RSA_KEY_ID}),
            "bad_algorithm",
        ),
        "changed": (f"{header}.{payload[:-4]}AAAA.{signature}", "malformed_token"),
        "anon key": (keys.legacy_key("anon"), "bad_algorithm"),
        "service key": (keys.legacy_key("service_role"), "bad_algorithm"),
        "publishable key": (keys.api_key("anon"), "malformed_token"),
        "secret key": (keys.api_key("service_role"), "malformed_token"),
        "service token": (keys.token(ANNA, role="service_role"), "not_a_user"),
        "of a user who is gone": (keys.token(person_id("gone")), "unknown_user"),
    }


def _forged(claims: dict[str, object], secret: bytes, *, kid: str) -> str:
    """HMAC over a public key: PyJWT itself refuses to sign so."""
    signed = _signed_part(claims, "HS256", kid)
    return f"{signed}.{_part(hmac.new(secret, signed.encode(), hashlib.sha256).digest())}"


def _signed_part(claims: dict[str, object], algorithm: str, kid: str) -> str:
    head = json.dumps({"alg": algorithm, "typ": "JWT", "kid": kid})
    return f"{_part(head.encode())}.{_part(json.dumps(claims).encode())}"


def _part(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


KINDS = tuple(false_tokens(ProjectKeys("https://x.supabase.co")))


@pytest.mark.parametrize("kind", KINDS)
async def test_a_false_token_is_refused_with_its_code_and_never_logged(
    kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    async with supabase_server() as supabase, identity_of(supabase) as identity:
        token, code = false_tokens(supabase.keys)[kind]
        if kind == "changed":
            with pytest.raises(NotAuthenticated) as refused:
                await identity.identify(token)
            assert refused.value.code in {"malformed_token", "bad_signature"}
        else:
            await _refused(identity, token, code)
        assert token is None or token not in caplog.text
        assert not [part for part in (token or "").split(".") if part and part in caplog.text]


async def test_with_the_shared_secret_set_the_keys_of_the_api_are_still_no_users() -> None:
    async with supabase_server() as supabase, identity_of(supabase, secret=supabase.keys.secret) as identity:
        for role in ("anon", "service_role"):
            await _refused(identity, supabase.keys.legacy_key(role), "incomplete_token")
        public_key = supabase.keys.elliptic.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        await _refused(identity, _forged(supabase.keys.claims(ANNA), public_key, kid=KEY_ID), "bad_signature")


async def test_clocks_may_be_apart_by_some_seconds_and_no_more() -> None:
    now = int(time.time())
    async with supabase_server() as supabase, identity_of(supabase) as identity:
        await identity.identify(supabase.keys.token(ANNA, exp=now - 3))
        await _refused(identity, supabase.keys.token(ANNA, exp=now - 30), "token_expired")


async def test_keys_are_fetched_once_however_many_unknown_ids_arrive() -> None:
    clock = Clock()
    async with supabase_server() as supabase, identity_of(supabase, clock=clock) as identity:
        for number in range(50):
            await identity.identify(supabase.keys.token(ANNA))
            await _refused(identity, supabase.keys.token(ANNA, key_id=f"unknown {number}"), "bad_signature")
        assert supabase.auth.key_fetches == 1
        clock.now += BETWEEN_FETCHES_S
        for number in range(50):
            await _refused(identity, supabase.keys.token(ANNA, key_id=f"unknown {number}"), "bad_signature")
        assert supabase.auth.key_fetches == 2


async def test_a_key_that_was_rotated_in_is_found_and_one_rotated_out_is_forgotten() -> None:
    clock = Clock()
    async with supabase_server() as supabase, identity_of(supabase, clock=clock) as identity:
        old = supabase.keys.token(ANNA)
        await identity.identify(old)
        supabase.keys.elliptic = ProjectKeys("").elliptic
        clock.now += FRESH_S + 1
        await identity.identify(supabase.keys.token(ANNA))
        await _refused(identity, old, "bad_signature")


@pytest.mark.parametrize("fault", ["500", "cut", "wrong"])
async def test_while_keys_cannot_be_fetched_no_token_is_called_false(fault: str) -> None:
    clock = Clock()
    async with supabase_server() as supabase, identity_of(supabase, clock=clock) as identity:
        supabase.faults.always("auth", fault)  # type: ignore[arg-type]
        for _ in range(20):
            with pytest.raises(ServiceUnavailable):
                await identity.identify(supabase.keys.token(ANNA))
        assert supabase.auth.key_fetches == 1, "a dead service is not asked again at once"
        supabase.faults.always("auth", None)
        clock.now += BETWEEN_FETCHES_S
        await identity.identify(supabase.keys.token(ANNA))
        supabase.faults.always("auth", fault)  # type: ignore[arg-type]
        clock.now += FRESH_S + 1
        await identity.identify(supabase.keys.token(ANNA))


async def test_a_user_who_was_removed_is_let_in_no_longer_than_a_minute() -> None:
    clock, there = Clock(), {ANNA}

    async def account(user_id: str) -> str:
        if user_id not in there:
            raise NotFound("There is no such user.")
        return "account"

    async with supabase_server() as supabase, supabase.project.client() as client:
        keys = PublishedKeys(client, f"{supabase.url}/auth/v1/.well-known/jwks.json")
        identity = SupabaseIdentity(
            issuer=f"{supabase.url}/auth/v1", keys=keys, secret=None, account_of=account, now=clock
        )
        token = supabase.keys.token(ANNA)
        await identity.identify(token)
        there.clear()
        await identity.identify(token)
        clock.now += 61
        await _refused(identity, token, "unknown_user")


async def test_the_published_keys_are_those_that_the_supabase_package_verifies_with() -> None:
    async with supabase_server() as supabase, supabase_client(supabase) as client:
        claims = await client.auth.get_claims(supabase.keys.token(ANNA))
        assert claims is not None
        assert claims["claims"]["sub"] == ANNA
        with pytest.raises(Exception, match=r"(?i)signature|invalid"):
            await client.auth.get_claims(ProjectKeys(supabase.url).token(ANNA))


async def _refused(identity: SupabaseIdentity, token: str | None, code: str) -> None:
    with pytest.raises(NotAuthenticated) as refused:
        await identity.identify(token)
    assert refused.value.code == code
    assert token is None or token not in str(refused.value)
