"""Who may talk to the server, what every answer carries, and the page."""

import errno
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
import websockets

from server.adapters.in_process.identity import LocalIdentity
from server.edges.http.application import build_application, names_of
from server.errors import NotAuthenticated
from tests.server.running_server import ANNA, running_server

AS_ANNA = {"Authorization": "Bearer anna"}


async def test_health_and_readiness(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        assert (await server.http.get("/health")).json() == {"status": "ok"}
        assert (await server.http.get("/ready")).status_code == 200
        server.parts.stopping.set()
        answer = await server.http.get("/ready")
        assert (answer.status_code, answer.json()) == (503, {"status": "not ready", "reasons": ["stopping"]})
        assert (await server.http.get("/health")).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8484", "127.0.0.1.evil.example", "", "10.0.0.1"])
async def test_a_host_that_is_not_ours_is_refused(tmp_path: Path, host: str) -> None:
    async with running_server(tmp_path) as server:
        answer = await server.http.get("/api/v1/traces", headers=AS_ANNA | {"Host": host})
        assert (answer.status_code, answer.headers["content-type"]) == (403, "application/problem+json")


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "[::1]:8484", "127.0.0.1"])
async def test_the_names_of_loopback_are_answered(tmp_path: Path, host: str) -> None:
    async with running_server(tmp_path) as server:
        assert (await server.http.get("/health", headers={"Host": host})).status_code == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", "http://localhost"])
async def test_another_sites_page_changes_nothing_and_opens_no_socket(tmp_path: Path, origin: str) -> None:
    async with running_server(tmp_path) as server:
        headers = AS_ANNA | {"Origin": origin}
        assert (await server.http.post("/api/v1/traces", headers=headers, content=b"a 1\n")).status_code == 403
        assert (await server.http.get("/api/v1/traces", headers=AS_ANNA)).json() == {"traces": []}
        with pytest.raises(websockets.InvalidStatus):
            async with server.socket(Origin=origin):
                pass


async def test_our_own_page_may_upload_and_open_a_socket(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        headers = AS_ANNA | {"Origin": server.address}
        answer = await server.http.post("/api/v1/traces?name=a.txt", headers=headers, content=b"a;b 1\n")
        assert answer.status_code == 201
        async with server.socket(Origin=server.address) as socket:
            await socket.send(type="ping", nonce="x")
            assert await socket.closed_with() == 4401


@pytest.mark.parametrize(
    ("host", "name", "answered"),
    [
        ("127.0.0.1", "192.168.1.5", False),
        ("0.0.0.0", "192.168.1.5", True),
        ("0.0.0.0", "rebound.example", False),
        ("192.168.1.5", "192.168.1.5", True),
        ("127.0.0.1", "flame.example", True),
    ],
)
def test_a_server_answers_under_what_it_is_bound_to_and_allowed(host: str, name: str, *, answered: bool) -> None:
    assert names_of(host, ("flame.example",))(name) is answered


async def test_every_answer_carries_the_security_headers(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        for path in ("/health", "/", "/api/v1/traces", "/no/such/page"):
            headers = (await server.http.get(path)).headers
            assert "default-src 'self'" in headers["content-security-policy"]
            assert "img-src 'self' data: blob:" in headers["content-security-policy"]
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["referrer-policy"] == "no-referrer"
            assert "server" not in headers


async def test_an_unknown_address_a_wrong_method_and_a_bad_body_are_problems(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        answers = {
            404: await server.http.get("/api/v1/nothing"),
            405: await server.http.put("/api/v1/traces"),
            400: await server.http.patch("/api/v1/sessions/x", json={"title": ""}, headers=AS_ANNA),
        }
        for status, answer in answers.items():
            assert answer.headers["content-type"] == "application/problem+json"
            assert answer.status_code == answer.json()["status"] == status


async def test_a_large_body_where_none_is_expected_is_not_read(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        answer = await server.http.patch("/api/v1/sessions/x", json={"title": "x" * 100_000}, headers=AS_ANNA)
        assert answer.status_code == 413


async def test_an_unforeseen_error_is_a_problem_without_its_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async with running_server(tmp_path) as server:

        async def broken(*_: object) -> None:
            raise RuntimeError("the trace said: password")

        monkeypatch.setattr(server.parts.services.traces.library, "rows", broken)
        answer = await server.http.get("/api/v1/traces", headers=AS_ANNA)
        assert answer.status_code == 500
        assert answer.headers["content-type"] == "application/problem+json"
        said = capsys.readouterr()
        assert "password" not in answer.text + said.out + said.err
        assert "RuntimeError" in said.out + said.err


async def test_a_full_disk_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with running_server(tmp_path) as server:

        def full(*_: object, **__: object) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr("server.edges.http.uploads.tempfile.NamedTemporaryFile", full)
        answer = await server.http.post("/api/v1/traces?name=x", content=b"x", headers=AS_ANNA)
        assert (answer.status_code, answer.headers["retry-after"]) == (507, "60")
        assert "disk is full" in answer.json()["detail"]


async def test_a_number_that_no_message_has_is_a_bad_request(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        for before in (99999999999999, -1, 2**31):
            answer = await server.http.get(f"/api/v1/sessions/x/messages?before={before}", headers=AS_ANNA)
            assert (answer.status_code, answer.json()["field"]) == (400, "before")


async def test_the_page_is_served_for_every_address_it_understands(tmp_path: Path, page: Path) -> None:
    async with running_server(tmp_path / "data") as server:
        for path in ("/", "/t/some-trace", "/t/some-trace/some-session"):
            answer = await server.http.get(path)
            assert answer.text == "<p>page</p>"
            assert answer.headers["cache-control"] == "no-cache"
        asset = await server.http.get("/assets/index-abc.js")
        assert asset.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert "Accept-Encoding" in asset.headers["vary"]
        assert (await server.http.get("/icon.svg")).status_code == 200
        for path in ("/.digest", "/../secret", "/%2e%2e/secret", "/assets", "/assets/%2e%2e/%2e%2e/secret"):
            assert (await server.http.get(path)).status_code == 404, path


async def test_recordings_from_elsewhere_are_opened_under_a_policy_of_their_own(tmp_path: Path, page: Path) -> None:
    async with running_server(tmp_path / "data") as server:
        answer = await server.http.get("/open?url=https://example.com/a.json")
        assert (answer.status_code, answer.text) == (200, "<p>page</p>")
        policy = dict(part.split(" ", 1) for part in answer.headers["content-security-policy"].split("; "))
        assert policy.pop("connect-src") == "'self' https: http://127.0.0.1:* http://localhost:*"
        assert answer.headers["cross-origin-opener-policy"] == "unsafe-none"
        for path in ("/", "/t/some-trace", "/open/", "/openings"):
            other = await server.http.get(path)
            usual = dict(part.split(" ", 1) for part in other.headers["content-security-policy"].split("; "))
            assert usual.pop("connect-src") == "'self'"
            assert usual == policy
            assert other.headers["cross-origin-opener-policy"] == "same-origin"


async def test_a_script_is_sent_as_it_was_compressed_at_the_build_to_who_reads_that(tmp_path: Path, page: Path) -> None:
    (page / "assets" / "index-abc.js.br").write_bytes(b"compressed")
    async with running_server(tmp_path / "data") as server:
        for accepts, encoding, sent in (
            ("gzip, br;q=0.8", "br", b"compressed"),
            ("gzip, br;q=0", None, b"0"),
            ("gzip", None, b"0"),
        ):
            headers = {"Accept-Encoding": accepts}
            async with server.http.stream("GET", "/assets/index-abc.js", headers=headers) as answer:
                assert b"".join([part async for part in answer.aiter_raw()]) == sent
            assert answer.headers.get("content-encoding") == encoding
            assert answer.headers["content-type"].startswith("text/javascript")
            assert "Accept-Encoding" in answer.headers["vary"]


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A built page that takes the place of ours."""
    built = tmp_path / "page"
    (built / "assets").mkdir(parents=True)
    (tmp_path / "data").mkdir()
    (tmp_path / "secret").write_text("secret")
    (built / "index.html").write_text("<p>page</p>")
    (built / ".digest").write_text("x")
    (built / "icon.svg").write_text("<svg/>")
    (built / "assets" / "index-abc.js").write_text("0")
    monkeypatch.setattr("server.composing.use_cases.PAGE", built)
    return built


async def test_a_printed_link_lets_a_browser_in_and_hides_its_token(tmp_path: Path) -> None:
    async with running_server(tmp_path) as open_server:
        services, identity = open_server.parts.services, LocalIdentity(ANNA, access_token="sesame")
        services = replace(services, identity=identity, server=replace(services.server, identity=identity))
        app = build_application(services, is_our_name=names_of("127.0.0.1", ()))
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(base_url="http://127.0.0.1", transport=transport) as browser:
            assert (await browser.get("/api/v1/traces")).status_code == 401
            assert (await browser.get("/?access_token=guess")).status_code == 401
            entered = await browser.get("/?access_token=sesame")
            assert entered.status_code == 303
            assert entered.headers["location"] == "/"
            cookie = entered.headers["set-cookie"].lower()
            assert "httponly" in cookie
            assert "samesite=strict" in cookie
            assert (await browser.get("/api/v1/traces")).status_code == 200


async def test_a_local_user_needs_no_token_unless_one_is_set() -> None:
    assert await LocalIdentity(ANNA).identify(None) == ANNA
    guarded = LocalIdentity(ANNA, access_token="sesame")
    assert await guarded.identify("sesame") == ANNA
    for token in (None, "", "Sesame"):
        with pytest.raises(NotAuthenticated):
            await guarded.identify(token)
