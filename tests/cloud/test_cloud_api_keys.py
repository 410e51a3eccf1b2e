"""A project's API keys, new and legacy: how they are sent, and what happens while one is rotated or revoked.

The stand-ins are as strict as the services here, which the last tests show by a client that does it wrong.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import httpx
import pytest
from structlog.testing import capture_logs

from server.adapters.supabase.api_keys import ApiKeyAuth
from server.adapters.supabase.objects import SIGNED_S, SupabaseObjects
from server.adapters.supabase.project import SupabaseProject
from server.errors import ServiceUnavailable
from server.ports.objects import PICTURES_BUCKET, TRACES_BUCKET
from tests.cloud.people import PUBLISHABLE_KEY
from tests.cloud.supabase_server import SupabaseServer, supabase_server

BROADCAST = "/realtime/v1/api/broadcast"
MESSAGE = {"messages": [{"topic": "chat:1", "event": "ai_response", "payload": {}, "private": True}]}
OBJECT = f"/storage/v1/object/authenticated/{TRACES_BUCKET}/a/t"


@asynccontextmanager
async def project_of(*secrets: str) -> AsyncIterator[tuple[SupabaseServer, SupabaseProject]]:
    async with supabase_server() as supabase:
        yield supabase, replace(supabase.project, secret_keys=secrets or supabase.keys.secret_keys)


def store(client: httpx.AsyncClient) -> SupabaseObjects:
    return SupabaseObjects(client, wait_s=0.001)


async def sent_with(*keys: str, **headers: str) -> httpx.Headers:
    """The headers of a request, as they leave."""
    seen: list[httpx.Headers] = []

    async def answer(request: httpx.Request) -> httpx.Response:
        seen.append(httpx.Headers(request.headers))
        return httpx.Response(200)

    transport = httpx.MockTransport(answer)
    async with httpx.AsyncClient(transport=transport, base_url="http://p", auth=ApiKeyAuth(keys)) as client:
        await client.get("/", headers=headers)
    return seen[0]


async def test_a_new_key_goes_into_apikey_alone_and_a_legacy_one_into_both_headers() -> None:
    assert "authorization" not in (sent := await sent_with("sb_secret_1"))
    assert sent["apikey"] == "sb_secret_1"
    sent = await sent_with("eyJ.e30.x")
    assert (sent["apikey"], sent["authorization"]) == ("eyJ.e30.x", "Bearer eyJ.e30.x")


async def test_a_request_with_a_key_of_its_own_keeps_it() -> None:
    sent = await sent_with("sb_secret_1", apikey="sb_publishable_1")
    assert (sent["apikey"], sent.get("authorization")) == ("sb_publishable_1", None)


@pytest.mark.parametrize("is_legacy", [False, True])
async def test_storage_and_realtime_take_either_kind(is_legacy: bool) -> None:
    async with supabase_server() as supabase:
        secret = (supabase.keys.legacy_key if is_legacy else supabase.keys.api_key)("service_role")
        async with replace(supabase.project, secret_keys=(secret,)).client() as client:
            await store(client).put(TRACES_BUCKET, "a/t", b"x")
            assert await store(client).get(TRACES_BUCKET, "a/t") == b"x"
            assert (await client.post(BROADCAST, json=MESSAGE)).status_code == 202
        assert supabase.realtime.broadcasts == MESSAGE["messages"]


async def test_a_key_that_is_revoked_while_people_work_is_followed_by_the_next_and_an_upload_is_read_anew(
    tmp_path: Path,
) -> None:
    upload = tmp_path / "upload"
    upload.write_bytes(bytes(range(256)) * 10_000)
    async with project_of() as (supabase, project), project.client() as client:
        await store(client).put(TRACES_BUCKET, "a/before", upload)
        first, second = supabase.keys.secret_keys
        supabase.keys.revoked.add(first)
        with capture_logs() as logs:
            await store(client).put(TRACES_BUCKET, "a/t", upload)
            await store(client).put(TRACES_BUCKET, "a/u", b"u")
        assert supabase.storage.objects[TRACES_BUCKET, "a/t"][0] == upload.read_bytes()
        assert [(one["event"], one["key"], one["status"]) for one in logs] == [("supabase_key_refused", "1 of 2", 401)]
        assert first not in str(logs)
        supabase.keys.revoked = {second}
        assert await store(client).get(TRACES_BUCKET, "a/u") == b"u", "and round again"


async def test_when_no_key_is_taken_people_are_not_asked_to_try_again_and_the_log_says_what_to_set() -> None:
    async with project_of() as (supabase, project), project.client() as client:
        supabase.keys.revoked.update(supabase.keys.secret_keys)
        with capture_logs() as logs, pytest.raises(ServiceUnavailable) as refused:
            await store(client).put(TRACES_BUCKET, "a/t", b"x")
        assert "Trying again does not help" in str(refused.value)
        assert refused.value.said == "401, Unregistered API key"
        said = [one for one in logs if one["event"] == "supabase_key_refused"]
        assert [one["key"] for one in said] == ["1 of 2", "2 of 2"]
        assert "FLAMECHAT_SUPABASE_SECRET_KEY" in said[0]["to_do"]
        with capture_logs() as logs, pytest.raises(ServiceUnavailable):
            await store(client).get(TRACES_BUCKET, "a/t")
        assert not [one for one in logs if one["event"] == "supabase_key_refused"], "once for each key"


# The stand-ins are as strict as the services --------------------------------------------------------------------------


async def wrongly(supabase: SupabaseServer, method: str, path: str, **headers: str) -> httpx.Response:
    async with httpx.AsyncClient(base_url=supabase.url, timeout=60) as client:
        return await client.request(method, path, headers=headers, json=MESSAGE)


async def test_a_new_key_as_a_bearer_token_is_refused_by_each_service() -> None:
    async with supabase_server() as supabase:
        secret = supabase.keys.api_key("service_role")
        both = {"apikey": secret, "Authorization": f"Bearer {secret}"}
        answer = await wrongly(supabase, "GET", OBJECT, **both)
        assert (answer.json()["statusCode"], answer.json()["message"]) == ("403", "Invalid Compact JWS")
        assert (await wrongly(supabase, "POST", BROADCAST, **both)).status_code == 401
        assert (await wrongly(supabase, "GET", "/auth/v1/admin/users", **both)).status_code == 403
        assert (await wrongly(supabase, "GET", OBJECT, Authorization=f"Bearer {secret}")).status_code == 401


async def test_realtime_takes_the_token_before_the_key_and_drops_without_a_word_what_may_not_be_written() -> None:
    async with supabase_server() as supabase:
        person = await supabase.auth.sign_in("anna")
        as_person = {"apikey": supabase.keys.api_key("service_role"), "Authorization": f"Bearer {person}"}
        assert (await wrongly(supabase, "POST", BROADCAST, **as_person)).status_code == 202
        assert (await wrongly(supabase, "POST", BROADCAST, apikey=PUBLISHABLE_KEY)).status_code == 202
        assert len(supabase.realtime.dropped) == 2
        assert supabase.realtime.broadcasts == []


@pytest.mark.parametrize("name", ["a/ä.png", "a/#1", "a/50%", "a/[x]", "a/~"])
async def test_a_name_that_storage_does_not_take_is_refused_for_good_and_the_log_has_its_words(name: str) -> None:
    async with supabase_server() as supabase, supabase.project.client() as client:
        with pytest.raises(ServiceUnavailable, match="Trying again does not help") as refused:
            await store(client).put(PICTURES_BUCKET, name, b"x")
        assert "Invalid key" in (refused.value.said or "")
        assert supabase.storage.objects == {}


async def test_a_signed_address_expires() -> None:
    async with supabase_server() as supabase, supabase.project.client() as client:
        await store(client).put(PICTURES_BUCKET, "a/p.png", b"x")
        address = await store(client).address(PICTURES_BUCKET, "a/p.png")
        assert address is not None
        started = supabase.storage.now()
        for later, status in ((SIGNED_S - 5, 200), (SIGNED_S + 1, 400)):
            supabase.storage.now = partial(float, started + later)
            async with httpx.AsyncClient(timeout=60) as anyone:
                assert (await anyone.get(address)).status_code == status
