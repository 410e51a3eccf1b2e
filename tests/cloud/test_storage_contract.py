"""What Storage answers: the tests' own server, and Supabase's where one is named (tests/cloud/real_storage.py).

The stand-in may be no kinder than what it stands for.
"""

import time
from collections.abc import AsyncIterator
from typing import Any

import httpx
import jwt
import pytest

from server.adapters.supabase.objects import SupabaseObjects
from server.errors import ServiceUnavailable
from tests.cloud.people import person_id
from tests.cloud.real_project import emptied
from tests.cloud.real_storage import real_storage
from tests.cloud.supabase_server import SupabaseServer, supabase_server

pytestmark = pytest.mark.long

REAL = real_storage()
BYTES = "application/octet-stream"
PAST = 1_700_000_000
NO_BUCKET = ("404", "Bucket not found", "Bucket not found")
NO_OBJECT = ("404", "not_found", "Object not found")


class Storage:
    """Asked as `service_role`, unless another token is given; None sends none."""

    def __init__(self, supabase: SupabaseServer, client: httpx.AsyncClient) -> None:
        self.supabase = supabase
        self.keys = supabase.keys
        self._client = client

    def token(self, role: str = "service_role", **more: Any) -> str:
        """By the shared secret, which every Storage reads."""
        claims = {"iss": "supabase", "role": role, "exp": int(time.time()) + 600, **more}
        return jwt.encode(claims, self.keys.secret, "HS256")

    def person(self) -> str:
        return self.token("authenticated", sub=person_id("anna"), aud="authenticated")

    async def ask(self, method: str, path: str, *, token: str | None = "", **more: Any) -> httpx.Response:
        headers = {"apikey": self.keys.legacy_key("anon")} | more.pop("headers", {})  # the gateway adds no token
        if token is not None:
            headers["Authorization"] = f"Bearer {token or self.token()}"
        return await self._client.request(method, f"/storage/v1{path}", headers=headers, **more)

    async def put(self, path: str, content: bytes = b"x", **more: Any) -> httpx.Response:
        headers = {"Content-Type": BYTES} | more.pop("headers", {})
        return await self.ask(more.pop("method", "POST"), f"/object/{path}", content=content, headers=headers, **more)

    async def listed(self, prefix: str, **more: Any) -> list[tuple[str, bool]]:
        """Names, with whether each is an object rather than a folder."""
        body = {"prefix": prefix, "sortBy": {"column": "name"}, **more}
        answer = await self.ask("POST", "/object/list/traces", json=body)
        return [(one["name"], one["id"] is not None) for one in answer.json()]

    async def signed(self, path: str, seconds: int) -> str:
        answer = await self.ask("POST", f"/object/sign/{path}", json={"expiresIn": seconds})
        return str(answer.json()["signedURL"])


@pytest.fixture(params=["stand-in", *(["real"] if REAL is not None else [])])
async def storage(request: pytest.FixtureRequest) -> AsyncIterator[Storage]:
    async with (
        supabase_server(files=REAL if request.param == "real" else None) as supabase,
        supabase.project.client() as service,
        httpx.AsyncClient(base_url=supabase.url, timeout=60) as client,
    ):
        await emptied(SupabaseObjects(service))
        yield Storage(supabase, client)


def refusal(answer: httpx.Response) -> tuple[str, str, str]:
    """In the older form: the real code in the body of a 400."""
    assert answer.status_code == 400, answer.text
    said = answer.json()
    return said["statusCode"], said["error"], said["message"]


async def test_a_name_is_taken_once_unless_it_is_replaced(storage: Storage) -> None:
    assert (await storage.put("traces/a/b")).json().keys() >= {"Key", "Id"}
    assert refusal(await storage.put("traces/a/b")) == ("409", "Duplicate", "The resource already exists")
    assert (await storage.put("traces/a/b", b"second", headers={"x-upsert": "true"})).status_code == 200
    assert (await storage.put("traces/a/b", b"third", method="PUT")).json()["Key"] == "traces/a/b"
    assert (await storage.ask("GET", "/object/authenticated/traces/a/b")).content == b"third"


@pytest.mark.parametrize(
    ("method", "path", "sent"),
    [
        ("POST", "/object/traces/a/new", {"content": b"x", "headers": {"Content-Type": BYTES}}),
        ("GET", "/object/authenticated/traces/a/b", {}),
        ("POST", "/object/sign/traces/a/b", {"json": {"expiresIn": 60}}),
        ("POST", "/object/list/traces", {"json": {"prefix": ""}}),
        ("DELETE", "/object/traces", {"json": {"prefixes": ["a/b"]}}),
        ("GET", "/bucket", {}),
    ],
)
async def test_what_cannot_be_read_as_a_token_is_refused(
    storage: Storage, method: str, path: str, sent: dict[str, Any]
) -> None:
    await storage.put("traces/a/b")
    of_others = jwt.encode({"role": "service_role"}, "another secret of thirty-two characters", "HS256")
    for token, says in (
        (storage.keys.secret_keys[0], ("403", "Unauthorized", "Invalid Compact JWS")),
        (of_others, ("403", "Unauthorized", "signature verification failed")),
        (storage.token(exp=PAST), ("403", "Unauthorized", '"exp" claim timestamp check failed')),
        (None, ("400", "Error", "headers must have required property 'authorization'")),
    ):
        assert refusal(await storage.ask(method, path, token=token, **sent)) == says
    assert (await storage.ask("GET", "/object/authenticated/traces/a/b")).content == b"x"


async def test_the_address_for_public_buckets_says_of_a_refused_key_that_there_is_no_bucket(storage: Storage) -> None:
    """So our own reading does not use it: a key that was revoked would read as a bucket that is gone."""
    await storage.put("traces/a/b")
    assert (await storage.ask("GET", "/object/traces/a/b")).content == b"x"
    for token in (storage.keys.secret_keys[0], storage.token(exp=PAST), None):
        assert refusal(await storage.ask("GET", "/object/traces/a/b", token=token)) == NO_BUCKET


async def test_a_revoked_key_is_said_to_be_refused(storage: Storage) -> None:
    await storage.put("traces/a/b")
    expired = {"Authorization": f"Bearer {storage.token(exp=PAST)}", "apikey": storage.keys.api_key("anon")}
    async with httpx.AsyncClient(base_url=storage.supabase.url, headers=expired, timeout=60) as client:
        with pytest.raises(ServiceUnavailable) as refused:
            await SupabaseObjects(client, wait_s=0.001).get("traces", "a/b")
    assert '"exp" claim' in (refused.value.said or "")
    assert "ucket" not in (refused.value.said or "")


async def test_who_is_nobody_of_the_account_writes_reads_and_removes_nothing(storage: Storage) -> None:
    await storage.put("traces/a/b")
    who = storage.person()
    denied = ("403", "Unauthorized", "new row violates row-level security policy")
    assert refusal(await storage.put("traces/a/mine", token=who)) == denied
    assert refusal(await storage.ask("GET", "/object/authenticated/traces/a/b", token=who)) == NO_OBJECT
    sign = await storage.ask("POST", "/object/sign/traces/a/b", json={"expiresIn": 60}, token=who)
    assert refusal(sign) == NO_OBJECT
    assert (await storage.ask("POST", "/object/list/traces", json={"prefix": ""}, token=who)).json() == []
    assert (await storage.ask("GET", "/bucket", token=who)).json() == []
    removed = await storage.ask("DELETE", "/object/traces", json={"prefixes": ["a/b"]}, token=who)
    assert removed.json() == []
    assert (await storage.ask("GET", "/object/authenticated/traces/a/b")).content == b"x"


@pytest.mark.parametrize(
    ("name", "is_taken"),
    [
        ("a/b c.png", True),
        ("a/x%3Fy", True),
        ("a/'", True),
        ("a/,;:@&=+$!*()", True),
        ("a/\u00e9.txt", False),
        ("a/x%23y", False),
        ("a/[x]", False),
        ("a/~", False),
        ("a/%5Cb", False),
        ("a/b%00", False),
        ("a/b%25", False),
    ],
)
async def test_names_have_the_characters_that_storage_takes(storage: Storage, name: str, is_taken: bool) -> None:
    answer = await storage.put(f"traces/{name}")
    if is_taken:
        assert answer.status_code == 200, answer.text
    else:
        assert refusal(answer)[:2] == ("400", "InvalidKey")


async def test_a_signed_address_is_good_for_its_object_and_its_time(storage: Storage) -> None:
    await storage.put("traces/a/b")
    await storage.put("traces/a/other")
    url = await storage.signed("traces/a/b", 60)
    async with httpx.AsyncClient(base_url=f"{storage.supabase.url}/storage/v1", timeout=60) as anyone:
        assert (await anyone.get(url)).content == b"x"
        wrong = ("400", "InvalidSignature", "Invalid signature")
        assert refusal(await anyone.get(url.replace("a/b", "a/other"))) == wrong
        past = {"url": "traces/a/b", "iat": PAST, "exp": PAST + 60}
        late = jwt.encode(past, storage.keys.secret, "HS256")
        for token, says in ((late, '"exp" claim timestamp check failed'), ("x", "Invalid Compact JWS")):
            answer = await anyone.get(f"/object/sign/traces/a/b?token={token}")
            assert refusal(answer) == ("400", "InvalidJWT", says)
        missing = "querystring must have required property 'token'"
        assert refusal(await anyone.get("/object/sign/traces/a/b")) == ("400", "Error", missing)


async def test_a_list_shows_one_folder_and_knows_folders_from_objects(storage: Storage) -> None:
    for path in ("flat", "one/a", "one/b", "two/a"):
        await storage.put(f"traces/{path}")
    assert sorted(await storage.listed("")) == [("flat", True), ("one", False), ("two", False)]
    assert await storage.listed("one/") == [("a", True), ("b", True)]
    assert await storage.listed("one/", limit=1, offset=1) == [("b", True)]
    assert await storage.listed("one/", offset=2) == []
    assert await storage.listed("none/") == []


@pytest.mark.parametrize(
    ("method", "path", "body", "says"),
    [
        ("POST", "/object/list/traces", {}, "body must have required property 'prefix'"),
        ("POST", "/object/list/traces", {"prefix": "", "limit": 0}, "body/limit must be >= 1"),
        ("POST", "/object/list/traces", {"prefix": "", "offset": -1}, "body/offset must be >= 0"),
        ("POST", "/object/sign/traces/a/b", {"expiresIn": 0}, "body/expiresIn must be >= 1"),
        ("DELETE", "/object/traces", {"prefixes": []}, "body/prefixes must NOT have fewer than 1 items"),
    ],
)
async def test_a_request_without_its_form_is_refused(
    storage: Storage, method: str, path: str, body: dict[str, Any], says: str
) -> None:
    await storage.put("traces/a/b")
    assert refusal(await storage.ask(method, path, json=body)) == ("400", "Error", says)


async def test_what_is_not_there_is_said_or_passed_over(storage: Storage) -> None:
    await storage.put("traces/a/b")
    assert refusal(await storage.ask("GET", "/object/authenticated/traces/a/zz")) == NO_OBJECT
    sign = await storage.ask("POST", "/object/sign/traces/a/zz", json={"expiresIn": 60})
    assert refusal(sign) == NO_OBJECT
    assert refusal(await storage.put("nowhere/a/b")) == NO_BUCKET
    removed = await storage.ask("DELETE", "/object/traces", json={"prefixes": ["a/b", "a/zz"]})
    assert [(one["bucket_id"], one["name"]) for one in removed.json()] == [("traces", "a/b")]


async def test_the_bucket_for_pictures_takes_pictures_alone(storage: Storage) -> None:
    assert (await storage.put("ai-snapshots/a/b.png", headers={"Content-Type": "image/png"})).status_code == 200
    says = ("415", "invalid_mime_type", f"mime type {BYTES} is not supported")
    assert refusal(await storage.put("ai-snapshots/a/c.png")) == says
