"""Pages of other origins: let in where a setting names them, to the streams alone, by a token, never by the cookie."""

from pathlib import Path

import pytest

from server.errors import ConfigError
from server.settings import load_settings
from tests.server.edges.streams.asking import AI_SDK, ALL, CHAT, body
from tests.server.running_server import running_server
from tests.server.talking import AS_ANNA

APP = "https://app.example.com"
PREFLIGHT = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization,content-type"}


@pytest.mark.parametrize("path", ALL)
async def test_an_allowed_page_asks_with_a_token_and_not_with_a_cookie(tmp_path: Path, path: str) -> None:
    async with running_server(tmp_path, allowed_origins=(APP,)) as server:
        await server.trace_id()
        asked = await server.http.options(path, headers={"Origin": APP} | PREFLIGHT)
        assert (asked.status_code, asked.headers["access-control-allow-origin"]) == (204, APP)
        assert "authorization" in asked.headers["access-control-allow-headers"]
        assert "access-control-allow-credentials" not in asked.headers
        got = await server.http.post(path, json=body(path), headers=AS_ANNA | {"Origin": APP})
        assert (got.status_code, got.headers["access-control-allow-origin"]) == (200, APP)
        assert "Origin" in got.headers["vary"]
        cookie = {"Cookie": "flamechat_access=anna"}
        refused = await server.http.post(path, json=body(path), headers=cookie | {"Origin": APP})
        assert (refused.status_code, refused.headers["access-control-allow-origin"]) == (401, APP)
        ours = await server.http.post(path, json=body(path), headers=cookie | {"Origin": server.address})
        assert ours.status_code == 200


async def test_another_page_and_every_other_endpoint_stay_closed(tmp_path: Path) -> None:
    async with running_server(tmp_path, allowed_origins=(APP,)) as server:
        await server.trace_id()
        for origin in ("https://app.example.com.evil.example", "http://app.example.com", "null"):
            got = await server.http.post(AI_SDK, json=body(AI_SDK), headers=AS_ANNA | {"Origin": origin})
            assert got.status_code == 403
            asked = await server.http.options(AI_SDK, headers={"Origin": origin} | PREFLIGHT)
            assert "access-control-allow-origin" not in asked.headers
        for path in ("/api/chat", "/api/v1/traces", "/api/v1/streamsx", "/api/v1/streams/../traces"):
            got = await server.http.post(path, json={"message": "?"}, headers=AS_ANNA | {"Origin": APP})
            assert got.status_code == 403, path
        read = await server.http.get("/api/v1/traces", headers=AS_ANNA | {"Origin": APP})
        assert "access-control-allow-origin" not in read.headers
        resumed = await server.http.get(f"{AI_SDK}/{CHAT}/stream", headers=AS_ANNA | {"Origin": APP})
        assert (resumed.status_code, resumed.headers["access-control-allow-origin"]) == (204, APP)


async def test_without_the_setting_nobody_elses_page_is_let_in(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        got = await server.http.post(AI_SDK, json=body(AI_SDK), headers=AS_ANNA | {"Origin": APP})
        assert got.status_code == 403


@pytest.mark.parametrize("wrong", ["*", "app.example.com", "https://app.example.com/", "ftp://a", "https://a b"])
def test_what_is_no_origin_ends_the_start(monkeypatch: pytest.MonkeyPatch, wrong: str) -> None:
    monkeypatch.setenv("FLAMECHAT_ALLOWED_ORIGINS", f"{APP}, {wrong}")
    with pytest.raises(ConfigError, match="no origin"):
        load_settings()


def test_a_server_that_asks_for_no_token_lets_no_page_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLAMECHAT_ALLOWED_ORIGINS", f"{APP},http://localhost:3000")
    with pytest.raises(ConfigError, match="FLAMECHAT_ACCESS_TOKEN"):
        load_settings().check_origins()
    monkeypatch.setenv("FLAMECHAT_ACCESS_TOKEN", "secret")
    settings = load_settings()
    settings.check_origins()
    assert settings.allowed_origins == (APP, "http://localhost:3000")
