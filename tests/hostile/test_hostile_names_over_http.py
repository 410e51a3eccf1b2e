"""Hostile names over real HTTP: JSON that holds them as they are, pictures, problems, headers that stay one line."""

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.hostile.names import CROWDS, LONG, NAMES, chrome, speedscope
from tests.server.running_server import RunningServer, running_server

pytestmark = pytest.mark.long

TOGETHER = pytest.mark.parametrize("keys", CROWDS, ids=lambda keys: keys[0])
AS_ANNA = {"Authorization": "Bearer anna"}
JSON_TYPES = {"application/json", "application/problem+json"}


async def get(server: RunningServer, path: str, **params: str) -> tuple[str, bytes]:
    answer = await server.http.get(path, headers=AS_ANNA, params=params)
    assert answer.status_code < 500
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert all("\n" not in value and "\x1b" not in value for value in answer.headers.values())
    return answer.headers["content-type"].partition(";")[0], answer.content


@TOGETHER
async def test_answers_are_json_that_holds_each_name_as_it_is(tmp_path: Path, keys: tuple[str, ...]) -> None:
    names = [NAMES[key] for key in keys]
    async with running_server(tmp_path) as server:
        for content in (speedscope(names), chrome(names)):
            answer = await server.upload(content, names[0][:100])
            assert answer.status_code == 201, answer.text[:300]
            base = answer.headers["location"]
            said = ""
            for part in ("", "/summary", "/functions", "/insights", "/snapshot"):
                kind, body = await get(server, base + part, **({"limit": "50"} if part == "/functions" else {}))
                assert kind in JSON_TYPES
                said += json.dumps(json.loads(body), ensure_ascii=False)
            shown = [name for name in names if len(name) < LONG]
            assert [name for name in shown if json.dumps(name, ensure_ascii=False)[1:-1] not in said] == []


@TOGETHER
async def test_what_is_asked_for_by_a_hostile_name_is_a_problem_in_json(tmp_path: Path, keys: tuple[str, ...]) -> None:
    async with running_server(tmp_path) as server:
        base = (await server.upload(speedscope(["parse"]), "plain.json")).headers["location"]
        for key in keys:
            name = NAMES[key][:300]
            for part, params in (("/functions", {"profile": name}), ("/view", {"frame": name, "mode": "sandwich"})):
                kind, _ = await get(server, base + part, **params)
                assert kind == "application/problem+json"
            refused = await server.upload(b"no trace at all: \x00\x01" + name.encode("utf-8", "replace"), name[:100])
            assert refused.status_code in {415, 422}
            assert refused.headers["content-type"] == "application/problem+json"
            assert refused.json()["detail"]


async def test_pictures_are_pictures(tmp_path: Path) -> None:
    names = [name for name in NAMES.values() if len(name) < LONG]
    async with running_server(tmp_path) as server:
        base = (await server.upload(speedscope(names), "all.json")).headers["location"]
        kind, body = await get(server, f"{base}/flamegraph.png")
        assert (kind, body[:4]) == ("image/png", b"\x89PNG")
        kind, body = await get(server, f"{base}/flamegraph.svg")
        if kind == "image/svg+xml":
            ET.fromstring(body)
