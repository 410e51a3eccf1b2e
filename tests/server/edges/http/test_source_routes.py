"""The lines of a function's source over real HTTP: from the folder of the settings, and from nowhere else."""

import json
from pathlib import Path
from typing import Any

from tests.server.running_server import STACKS, RunningServer, running_server

AS_ANNA = {"Authorization": "Bearer anna"}
FRAMES: list[dict[str, str | int]] = [
    {"name": "lay_out", "file": "/srv/app/page/layout.py", "line": 9},
    {"name": "secret", "file": "/../../secret.py", "line": 1},
    {"name": "wander", "file": "app/other.py"},
    {"name": "native"},
]


def recording() -> bytes:
    profile = {
        "type": "sampled",
        "name": "main",
        "unit": "milliseconds",
        "startValue": 0,
        "endValue": 4,
        "samples": [[0], [1], [2], [3]],
        "weights": [1, 1, 1, 1],
    }
    schema = "https://www.speedscope.app/file-format-schema.json"
    return json.dumps({"$schema": schema, "shared": {"frames": FRAMES}, "profiles": [profile]}).encode()


async def source_of(server: RunningServer, trace: str, name: str) -> dict[str, Any]:
    frame = next(f"f{at}" for at, one in enumerate(FRAMES) if one["name"] == name)
    answer = await server.http.get(f"/api/v1/traces/{trace}/source?frame={frame}", headers=AS_ANNA)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def test_a_function_has_the_lines_around_it_from_the_folder_of_sources(tmp_path: Path) -> None:
    (tmp_path / "secret.py").write_text("password")
    folder = tmp_path / "sources"
    (folder / "app/page").mkdir(parents=True)
    (folder / "app/page/layout.py").write_text("".join(f"line {at}\n" for at in range(1, 9)) + "\tdef <b>\u202e\n")
    (folder / "app/other.py").write_text("first\n")
    (tmp_path / "data").mkdir()
    async with running_server(tmp_path / "data", source_dir=folder) as server:
        trace = (await server.upload(recording(), "a.speedscope.json")).json()["trace"]["traceId"]
        found = await source_of(server, trace, "lay_out")
        assert (found["file"], found["line"], found["folder"]) == ("app/page/layout.py", 9, True)
        assert found["lines"][0] == {"number": 3, "text": "line 3"}
        assert found["lines"][-1] == {"number": 9, "text": "    def <b>\\u202e"}
        assert await source_of(server, trace, "wander") == {
            "folder": True,
            "file": "app/other.py",
            "line": None,
            "lines": [{"number": 1, "text": "first"}],
            "others": [],
        }
        for name in ("secret", "native"):
            assert (await source_of(server, trace, name))["file"] is None
        missing = await server.http.get(f"/api/v1/traces/{trace}/source?frame=f99", headers=AS_ANNA)
        assert missing.status_code == 404
        others = await server.http.get(f"/api/v1/traces/{trace}/source", headers={"Authorization": "Bearer ben"})
        assert others.status_code == 404


async def test_without_a_folder_of_sources_there_are_none(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        trace = (await server.upload(STACKS, "stacks.txt")).json()["trace"]["traceId"]
        answer = await server.http.get(f"/api/v1/traces/{trace}/source?frame=f0", headers=AS_ANNA)
        assert answer.json() == {"folder": False, "file": None, "line": None, "lines": [], "others": []}
