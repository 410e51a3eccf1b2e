"""Traces over real HTTP: taking them in, refusing bad ones altogether, asking, letting go."""

import gzip
import io
import json
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
import zstandard

from limits.plans import Plan
from server.errors import DatabaseUnavailable
from tests.server.running_server import STACKS, RunningServer, running_server

AS_ANNA = {"Authorization": "Bearer anna"}
AS_BEN = {"Authorization": "Bearer ben"}


async def stored_traces(server: RunningServer) -> list[dict[str, Any]]:
    answer = await server.http.get("/api/v1/traces", headers=AS_ANNA)
    traces: list[dict[str, Any]] = answer.json()["traces"]
    return traces


def assert_problem(answer: httpx.Response, status: int) -> dict[str, Any]:
    assert answer.headers["content-type"] == "application/problem+json"
    problem: dict[str, Any] = answer.json()
    assert answer.status_code == problem["status"] == status, problem
    assert problem["type"].startswith("urn:flamechat:")
    assert problem["title"]
    assert problem["detail"]
    return problem


async def test_a_raw_upload_becomes_a_trace_with_its_summary(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        answer = await server.upload(STACKS, "folder/../my stacks.txt")
        assert answer.status_code == 201
        trace = answer.json()["trace"]
        assert trace["name"] == "my stacks.txt"
        assert trace["sizeBytes"] == len(STACKS)
        assert answer.headers["location"] == f"/api/v1/traces/{trace['traceId']}"
        assert await stored_traces(server) == [trace]
        summary = await server.http.get(f"{answer.headers['location']}/summary", headers=AS_ANNA)
        assert summary.json() == trace["summary"]
        assert list(tmp_path.iterdir()) == []


async def test_a_multipart_upload_is_the_same_trace_under_its_own_name(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        answer = await server.http.post(
            "/api/v1/traces",
            headers=AS_ANNA,
            data={"note": "beside"},
            files={"file": ("Größe.txt", gzip.compress(STACKS))},
        )
        assert answer.status_code == 201, answer.text
        assert answer.json()["trace"]["name"] == "Größe.txt"
        raw = await server.upload()
        assert raw.json()["trace"]["summary"]["frame_count"] == answer.json()["trace"]["summary"]["frame_count"] == 5


async def test_a_multipart_body_without_a_file_is_refused(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        answer = await server.http.post("/api/v1/traces", headers=AS_ANNA, files={"other": ("x", b"x")})
        assert assert_problem(answer, 400)["field"] == "file"


def zip_bomb() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("trace.json", b"[" + b" " * (120 << 20))
    return out.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "status"),
    [
        ("empty.json", b"", 422),
        ("truncated.json.gz", gzip.compress(STACKS * 50, mtime=0)[:12], 422),
        ("notes.txt", (b"The quick brown fox; jumps over\n" * 400)[:10_000], 415),
        ("wrong.json", json.dumps({"hello": [1, 2, 3]}).encode(), 415),
        ("bomb.zip", zip_bomb, 413),
    ],
)
async def test_a_bad_file_is_refused_by_name_and_reason_and_nothing_is_stored(
    tmp_path: Path, name: str, content: bytes | Callable[[], bytes], status: int
) -> None:
    async with running_server(tmp_path) as server:
        sent = content if isinstance(content, bytes) else content()
        problem = assert_problem(await server.upload(sent, name), status)
        assert name in problem["detail"]
        assert await stored_traces(server) == []
        assert server.parts.objects._objects == {}  # type: ignore[attr-defined]
        assert list(tmp_path.iterdir()) == []
        assert (await server.upload()).status_code == 201


async def test_an_upload_that_became_no_trace_does_not_count_and_one_over_the_plan_is_refused(tmp_path: Path) -> None:
    plan = Plan(name="tiny", display_name="Tiny", monthly_upload_limit=1)
    async with running_server(tmp_path, plan=plan) as server:
        assert (await server.upload(b"", "empty.json")).status_code == 422
        assert (await server.upload()).status_code == 201
        problem = assert_problem(await server.upload(), 429)
        assert (problem["used"], problem["limit"], problem["planName"]) == (1, 1, "tiny")
        assert len(await stored_traces(server)) == 1


async def test_what_cannot_be_recorded_leaves_no_object_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with running_server(tmp_path) as server:
        library = server.parts.services.traces.library

        async def unreachable(*_: object) -> None:
            raise DatabaseUnavailable("The database cannot be reached.")

        monkeypatch.setattr(library._records, "insert", unreachable)
        assert_problem(await server.upload(), 503)
        assert server.parts.objects._objects == {}  # type: ignore[attr-defined]


async def test_a_file_over_the_bound_is_refused_whether_its_length_is_announced_or_not(tmp_path: Path) -> None:
    async with running_server(tmp_path, max_upload_bytes=1000) as server:

        async def pieces() -> Any:
            for _ in range(8):
                yield STACKS * 5

        announced = await server.upload(STACKS * 50, "big.txt")
        assert "big.txt" in assert_problem(announced, 413)["detail"]
        streamed = await server.http.post(
            "/api/v1/traces", params={"name": "big.txt"}, content=pieces(), headers=AS_ANNA
        )
        assert "big.txt" in assert_problem(streamed, 413)["detail"]
        multipart = await server.http.post("/api/v1/traces", headers=AS_ANNA, files={"file": ("big.txt", STACKS * 50)})
        assert "big.txt" in assert_problem(multipart, 413)["detail"]
        assert list(tmp_path.iterdir()) == []
        assert (await server.upload()).status_code == 201


async def test_what_is_anothers_looks_like_what_is_not_there(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        trace_id = await server.trace_id()
        for path in ("", "/summary", "/functions", "/view", "/flamegraph.png"):
            answer = await server.http.get(f"/api/v1/traces/{trace_id}{path}", headers=AS_BEN)
            assert_problem(answer, 404)
        assert_problem(await server.http.delete(f"/api/v1/traces/{trace_id}", headers=AS_BEN), 404)
        assert (await server.http.get("/api/v1/traces", headers=AS_BEN)).json() == {"traces": []}
        assert len(await stored_traces(server)) == 1


async def test_no_token_and_a_false_one_are_not_authenticated(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        assert_problem(await server.http.get("/api/v1/traces"), 401)
        answer = await server.http.get("/api/v1/traces", headers={"Authorization": "Bearer mallory"})
        assert_problem(answer, 401)
        assert answer.headers["www-authenticate"] == "Bearer"


async def test_a_removed_trace_is_gone_with_its_bytes(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        trace_id = await server.trace_id()
        assert (await server.http.delete(f"/api/v1/traces/{trace_id}", headers=AS_ANNA)).status_code == 204
        assert_problem(await server.http.get(f"/api/v1/traces/{trace_id}", headers=AS_ANNA), 404)
        assert server.parts.objects._objects == {}  # type: ignore[attr-defined]


async def test_functions_are_listed_heaviest_first(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        trace_id = await server.trace_id()
        answer = await server.http.get(
            f"/api/v1/traces/{trace_id}/functions", params={"sortBy": "self", "limit": 2}, headers=AS_ANNA
        )
        rows = answer.json()["rows"]
        assert [row["name"] for row in rows] == ["read", "parse"]
        assert rows[0]["selfValue"] == 700


async def test_handles_are_resolved_many_at_once_in_their_order_and_each_miss_says_why(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        path = f"/api/v1/traces/{await server.trace_id()}/places"
        asked = ["f1", "#p0.f2.self/f1", "p0", "f999", "<b>", "w3.f1.total"]
        answer = await server.http.get(path, params={"handles": ",".join(asked)}, headers=AS_ANNA)
        rows = answer.json()["places"]
        assert [row["address"] for row in rows] == asked
        assert [row.get("frame") for row in rows] == ["f1", "f2", None, None, None, None]
        assert ["problem" in row for row in rows] == [False, False, False, True, True, True]
        assert (rows[0]["profile"], rows[0]["name"], rows[0]["node"]) == ("p0", "parse", "n1")
        many = ",".join(["f1"] * 201)
        refused = await server.http.get(path, params={"handles": many}, headers=AS_ANNA)
        assert assert_problem(refused, 400)["field"] == "handles"
        most = await server.http.get(path, params={"handles": many[:-3]}, headers=AS_ANNA)
        assert len(most.json()["places"]) == 200


async def test_traces_are_listed_a_page_at_a_time_while_others_come_and_go(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        for number in range(5):
            await server.upload(STACKS + b"more %d\n" % number, f"{number}.txt")

        async def page(**query: str | int) -> dict[str, Any]:
            answer = await server.http.get("/api/v1/traces", params=query, headers=AS_ANNA)
            assert answer.status_code == 200, answer.text
            found: dict[str, Any] = answer.json()
            return found

        first = await page(limit=2)
        assert [row["name"] for row in first["traces"]] == ["4.txt", "3.txt"]
        assert "summary" not in first["traces"][0]
        await server.upload(STACKS + b"later 1\n", "later.txt")
        gone = first["traces"][-1]["traceId"]
        assert (await server.http.delete(f"/api/v1/traces/{gone}", headers=AS_ANNA)).status_code == 204
        second = await page(limit=2, cursor=first["next"])
        third = await page(limit=2, cursor=second["next"])
        assert [row["name"] for row in second["traces"] + third["traces"]] == ["2.txt", "1.txt", "0.txt"]
        assert third["next"] is None
        bad: list[dict[str, str | int]] = [{"limit": 2, "cursor": "nonsense"}, {"limit": 0}, {"cursor": first["next"]}]
        for query in bad:
            refused = await server.http.get("/api/v1/traces", params=query, headers=AS_ANNA)
            assert_problem(refused, 400)


async def test_head_is_answered_as_get_without_a_body(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        trace_id = await server.trace_id()
        for path in ("/health", "/api/v1/traces", f"/api/v1/traces/{trace_id}", "/api/v1/traces/none"):
            plain = AS_ANNA | {"Accept-Encoding": "identity"}
            got = await server.http.get(path, headers=plain)
            head = await server.http.head(path, headers=plain)
            assert (head.status_code, head.content) == (got.status_code, b"")
            assert head.headers["content-length"] == got.headers["content-length"] == str(len(got.content))


async def test_an_unknown_path_is_a_page_to_a_browser_and_a_problem_to_a_program(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        browser = await server.http.get("/nowhere", headers={"Accept": "text/html,*/*;q=0.8"})
        assert (browser.status_code, browser.headers["content-type"]) == (404, "text/html; charset=utf-8")
        assert "There is no such page" in browser.text
        assert_problem(await server.http.get("/nowhere", headers={"Accept": "*/*"}), 404)
        assert_problem(await server.http.get("/api/v1/nowhere", headers={"Accept": "text/html"}), 404)


def decoded(content: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    """Header and columns of view bytes, read the way a browser does."""
    assert content[:4] == b"FCV1"
    (length,) = struct.unpack_from("<I", content, 4)
    assert (8 + length) % 8 == 0
    header = json.loads(content[8 : 8 + length])
    columns = {}
    for column in header["columns"]:
        assert column["offset"] % 8 == 0
        columns[column["name"]] = np.frombuffer(content, column["dtype"], column["length"], column["offset"])
    return header, columns


@pytest.mark.parametrize("mode", ["time_order", "left_heavy"])
async def test_view_bytes_hold_the_chart(tmp_path: Path, mode: str) -> None:
    async with running_server(tmp_path) as server:
        trace_id = await server.trace_id()
        answer = await server.http.get(f"/api/v1/traces/{trace_id}/view", params={"mode": mode}, headers=AS_ANNA)
        header, columns = decoded(answer.content)
        names = dict(zip(header["frames"]["ids"], header["frames"]["names"], strict=True))
        widths: dict[str, float] = {}
        for frame, start, end in zip(columns["frame"], columns["start"], columns["end"], strict=True):
            widths[names[frame]] = widths.get(names[frame], 0) + float(end - start)
        assert widths == {"main": 1000, "parse": 900, "read": 700, "render": 80, "paint": 80}
        assert header["boxes"] == len(columns["ref"]) == header["rowOffsets"][-1]
        assert (header["axisStart"], header["axisEnd"], header["callers"]) == (0, 1000, None)


async def test_a_sandwich_has_its_callers_and_callees(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        trace_id = await server.trace_id()
        found = await server.http.get(f"/api/v1/traces/{trace_id}/functions", headers=AS_ANNA)
        handle = next(row["handle"] for row in found.json()["rows"] if row["name"] == "parse")
        answer = await server.http.get(
            f"/api/v1/traces/{trace_id}/view", params={"mode": "sandwich", "frame": handle}, headers=AS_ANNA
        )
        header, _ = decoded(answer.content)
        assert header["frame"] == handle
        assert header["boxes"] == 2
        assert header["callers"]["boxes"] == 1
        assert len(header["callers"]["columns"]) == 4


async def test_a_view_is_compressed_as_the_client_accepts_and_not_sent_twice(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        path = f"/api/v1/traces/{await server.trace_id()}/view"
        plain = await server.http.get(path, headers=AS_ANNA | {"Accept-Encoding": "identity"})
        assert "content-encoding" not in plain.headers
        gzipped = await server.http.get(path, headers=AS_ANNA | {"Accept-Encoding": "gzip, deflate"})
        assert gzipped.headers["content-encoding"] == "gzip"
        assert gzipped.content == plain.content
        async with server.http.stream("GET", path, headers=AS_ANNA | {"Accept-Encoding": "gzip, zstd"}) as answer:
            assert answer.headers["content-encoding"] == "zstd"
            raw = b"".join([piece async for piece in answer.aiter_raw()])
        assert zstandard.ZstdDecompressor().decompress(raw) == plain.content
        etag = plain.headers["etag"]
        again = await server.http.get(path, headers=AS_ANNA | {"Accept-Encoding": "identity", "If-None-Match": etag})
        assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize(
    ("parameters", "status"),
    [
        ({"mode": "upside_down"}, 400),
        ({"start": "5"}, 400),
        ({"mode": "sandwich"}, 400),
        ({"mode": "sandwich", "frame": "p0"}, 400),
        ({"mode": "sandwich", "frame": "f999"}, 404),
        ({"profile": "p77"}, 404),
        ({"profile": "seven"}, 404),
        ({"maxBoxes": "0"}, 400),
    ],
)
async def test_a_view_that_cannot_be_is_a_problem(tmp_path: Path, parameters: dict[str, str], status: int) -> None:
    async with running_server(tmp_path) as server:
        path = f"/api/v1/traces/{await server.trace_id()}/view"
        assert_problem(await server.http.get(path, params=parameters, headers=AS_ANNA), status)
