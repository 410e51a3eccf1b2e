"""A project's Storage: streamed, bounded, and every way it can fail; read and written by the `supabase` package too."""

from functools import partial
from pathlib import Path

import httpx
import pytest
from structlog.testing import capture_logs

from server.adapters.postgres.people import account_of
from server.adapters.postgres.pool import Database
from server.adapters.supabase.objects import SupabaseObjects
from server.edges.http.problems import problem_of
from server.errors import NotFound, ServiceUnavailable
from server.ports.objects import PICTURES_BUCKET, TRACES_BUCKET
from tests.cloud.faults import Fault
from tests.cloud.supabase_client import supabase_client
from tests.cloud.supabase_server import SupabaseServer, supabase_server
from tests.plugins.postgres import FreshDatabase

pytestmark = pytest.mark.long

SMALL = b"0123456789"


def store(client: httpx.AsyncClient, *, max_bytes: int = 1 << 30) -> SupabaseObjects:
    return SupabaseObjects(client, max_bytes=max_bytes, wait_s=0.001)


async def test_a_large_file_goes_up_and_comes_down_in_pieces(tmp_path: Path) -> None:
    upload = tmp_path / "upload"
    upload.write_bytes(bytes(range(256)) * 40_000)
    async with supabase_server() as supabase, supabase.project.client() as client:
        await store(client).put(TRACES_BUCKET, "a/t", upload)
        assert supabase.storage.largest_piece <= 1 << 20
        pieces = [piece async for piece in store(client).stream(TRACES_BUCKET, "a/t")]
        assert len(pieces) > 5
        assert b"".join(pieces) == upload.read_bytes()


async def test_a_download_that_is_larger_than_any_upload_is_given_up() -> None:
    async with supabase_server() as supabase, supabase.project.client() as client:
        await store(client).put(TRACES_BUCKET, "a/t", b"x" * 3_000_000)
        stream = store(client, max_bytes=2_000_000).stream(TRACES_BUCKET, "a/t")
        with pytest.raises(ServiceUnavailable, match="2,000,000"):
            assert [len(piece) async for piece in stream] == []


@pytest.mark.parametrize("fault", ["slow", "500", "cut"])
async def test_one_failure_of_storage_is_nobodys_business(fault: Fault) -> None:
    async with supabase_server() as supabase, supabase.project.client() as client:
        objects = store(client)
        supabase.faults.plan("storage", fault)
        await objects.put(TRACES_BUCKET, "a/t", SMALL)
        supabase.faults.plan("storage", fault)
        await objects.put(PICTURES_BUCKET, "a/p.png", SMALL)
        supabase.faults.plan("storage", fault)
        await objects.delete(TRACES_BUCKET, "a/absent")
        supabase.faults.plan("storage", fault)
        assert await objects.get(TRACES_BUCKET, "a/t") == SMALL
        supabase.faults.plan("storage", fault)
        assert await objects.address(TRACES_BUCKET, "a/t") is not None
        assert supabase.storage.objects.keys() == {(TRACES_BUCKET, "a/t"), (PICTURES_BUCKET, "a/p.png")}


@pytest.mark.parametrize("fault", ["500", "cut", "hang"])
async def test_a_storage_that_keeps_failing_is_said_to_be_away_and_nothing_is_half_there(fault: Fault) -> None:
    async with supabase_server() as supabase:
        async with supabase.project.client() as client:
            await store(client).put(TRACES_BUCKET, "a/t", SMALL)
        supabase.faults.always("storage", fault)
        async with supabase.project.client() as client:
            client.timeout = httpx.Timeout(0.3)
            objects = store(client)
            for attempt in (
                partial(objects.put, TRACES_BUCKET, "a/new", SMALL),
                partial(objects.get, TRACES_BUCKET, "a/t"),
                partial(objects.delete, TRACES_BUCKET, "a/t"),
                partial(objects.address, TRACES_BUCKET, "a/t"),
            ):
                with pytest.raises(ServiceUnavailable) as away:
                    await attempt()
                assert away.value.service == "storage"
                assert supabase.url not in str(away.value)
        assert list(supabase.storage.objects) == [(TRACES_BUCKET, "a/t")]


async def test_a_download_that_breaks_off_is_an_error() -> None:
    async with supabase_server() as supabase, supabase.project.client() as client:
        await store(client).put(TRACES_BUCKET, "a/t", SMALL)
        supabase.faults.plan("storage", "cut")
        with pytest.raises(ServiceUnavailable):
            assert [piece async for piece in store(client).stream(TRACES_BUCKET, "a/t")] == []


async def test_an_answer_that_is_no_answer_of_storages_is_a_failure() -> None:
    async with supabase_server() as supabase, supabase.project.client() as client:
        await store(client).put(PICTURES_BUCKET, "a/p.png", SMALL)
        for attempt in (
            partial(store(client).address, PICTURES_BUCKET, "a/p.png"),
            partial(store(client).put, PICTURES_BUCKET, "a/p.png", SMALL),
        ):
            supabase.faults.plan("storage", "wrong")
            with pytest.raises(ServiceUnavailable):
                await attempt()


@pytest.mark.parametrize(
    ("status", "answer", "words"),
    [
        (
            400,
            {"statusCode": "403", "error": "Unauthorized", "message": "new row violates row-level security policy"},
            "403",
        ),
        (400, {"statusCode": "400", "error": "InvalidKey", "message": "Invalid key: a b"}, "Invalid key"),
        (403, {"message": "Invalid Compact JWS"}, "Invalid Compact JWS"),
        (404, {"statusCode": "404", "error": "Bucket not found", "message": "Bucket not found"}, "Bucket not found"),
        (502, {"message": "upstream"}, "upstream"),
    ],
)
async def test_what_storage_says_of_a_refusal_is_logged_and_not_called_away(
    status: int, answer: dict[str, str], words: str
) -> None:
    async def refuses(request: httpx.Request) -> httpx.Response:
        return httpx.Response(status, json=answer, headers={"sb-request-id": "req-1"})

    async with httpx.AsyncClient(transport=httpx.MockTransport(refuses), base_url="http://p") as client:
        with capture_logs() as logs, pytest.raises(ServiceUnavailable) as refused:
            await store(client).put(TRACES_BUCKET, "a/t", SMALL)
    line = next(one for one in reversed(logs) if one["event"] == "storage_refused")
    assert (line["event"], line["status"], line["request_id"]) == ("storage_refused", status, "req-1")
    assert words in f"{line['code']} {line['message']}"
    assert answer["message"] not in str(refused.value), "people read what to do"
    if status < 500:
        assert "does not answer" not in str(refused.value)
        shown = problem_of(refused.value, instance="/", for_administrator=True)
        assert answer["message"] in bytes(shown.body).decode()
        assert answer["message"] not in bytes(problem_of(refused.value, instance="/").body).decode()


async def test_an_answer_of_a_newer_server_says_not_found_by_its_status() -> None:
    async def newer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(404, json={"statusCode": "404", "error": "NoSuchKey", "message": "Object not found"})

    async with httpx.AsyncClient(transport=httpx.MockTransport(newer), base_url="http://p") as client:
        with pytest.raises(NotFound):
            await store(client).get(TRACES_BUCKET, "a/absent")


async def test_a_signed_address_is_new_at_each_reading_and_opens_one_object() -> None:
    async with (
        supabase_server() as supabase,
        supabase.project.client() as client,
        httpx.AsyncClient(timeout=60) as anyone,
    ):
        for name in ("one", "two"):
            await store(client).put(PICTURES_BUCKET, f"a/{name}.png", name.encode())
        address = await store(client).address(PICTURES_BUCKET, "a/one.png")
        assert address is not None
        assert (await anyone.get(address)).content == b"one"
        assert (await anyone.get(address.replace("one.png", "two.png"))).status_code == 400
        assert (await anyone.get(address.partition("?")[0])).status_code == 400


async def test_the_supabase_package_downloads_what_we_store_and_we_what_it_stores() -> None:
    async with (
        supabase_server() as supabase,
        supabase.project.client() as client,
        supabase_client(supabase, role="service_role") as theirs,
    ):
        bucket = theirs.storage.from_(TRACES_BUCKET)
        await store(client).put(TRACES_BUCKET, "a/ours", SMALL)
        assert await bucket.download("a/ours") == SMALL
        assert [one["name"] for one in await bucket.list("a")] == ["ours"]
        signed = await bucket.create_signed_url("a/ours", 60)
        async with httpx.AsyncClient(timeout=60) as anyone:
            assert (await anyone.get(str(signed["signedURL"]))).content == SMALL
        await bucket.upload("a/theirs", b"theirs", {"upsert": "true"})
        assert await store(client).get(TRACES_BUCKET, "a/theirs") == b"theirs"
        await bucket.remove(["a/ours"])
        with pytest.raises(NotFound):
            await store(client).get(TRACES_BUCKET, "a/ours")


async def test_a_person_reads_the_objects_of_his_account_and_writes_none(database: FreshDatabase) -> None:
    async with supabase_server(database.owner) as supabase, supabase.project.client() as client:
        tokens = {name: await supabase.auth.sign_in(name) for name in ("anna", "ben")}
        account = await _account_of(supabase, tokens["anna"], database)
        await store(client).put(TRACES_BUCKET, f"{account}/t", SMALL)
        for name, status in (("anna", 200), ("ben", 400)):
            async with httpx.AsyncClient(base_url=supabase.url, timeout=60) as person:
                headers = {"apikey": supabase.keys.api_key("anon"), "Authorization": f"Bearer {tokens[name]}"}
                url = f"/storage/v1/object/{TRACES_BUCKET}/{account}/t"
                assert (await person.get(url, headers=headers)).status_code == status
                assert (await person.post(url, headers=headers, content=b"mine")).status_code == 400
                await person.request(
                    "DELETE",
                    f"/storage/v1/object/{TRACES_BUCKET}",
                    headers=headers,
                    json={"prefixes": [f"{account}/t"]},
                )
        assert supabase.storage.objects[TRACES_BUCKET, f"{account}/t"][0] == SMALL


async def _account_of(supabase: SupabaseServer, token: str, database: FreshDatabase) -> str:

    async with Database(database.server) as pool:
        return await account_of(pool, supabase.keys.read(token)["sub"])
