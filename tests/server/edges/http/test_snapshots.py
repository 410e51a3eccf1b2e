"""Pictures over HTTP: of a body, of a stored trace, of two traces; every wrong option is named."""

import contextlib
import gzip
import io
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
import zstandard
from PIL import Image

from rendering.picture import Picture
from server.edges.http.picture_limiter import PictureLimiter
from server.errors import Busy
from tests.process_workers import process_workers
from tests.server.running_server import STACKS, RunningServer, running_server

AS_ANNA = {"Authorization": "Bearer anna"}
FASTER = b"main;parse;read 300\nmain;parse 200\nmain;cache 40\nmain 20\n"


async def post(server: RunningServer, path: str, content: bytes = STACKS, /, **options: Any) -> httpx.Response:
    return await server.http.post(
        f"/api/v1/{path}", params={"name": "stacks.txt", **options}, content=content, headers=AS_ANNA
    )


def size_of(answer: httpx.Response) -> tuple[str | None, int, int]:
    picture = Image.open(io.BytesIO(answer.content))
    return picture.format, picture.width, picture.height


async def test_a_trace_in_the_body_becomes_a_picture(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        answer = await post(server, "render", mode="left_heavy", width=640, dpr=2, theme="dark")

        assert (answer.status_code, answer.headers["content-type"]) == (200, "image/png")
        assert size_of(answer)[:2] == ("PNG", 1280)


@pytest.mark.parametrize("packed", [gzip.compress(STACKS), zstandard.ZstdCompressor().compress(STACKS)])
async def test_a_compressed_body_gives_the_same_picture(tmp_path: Path, packed: bytes) -> None:
    async with running_server(tmp_path) as server:
        assert (await post(server, "render", packed)).content == (await post(server, "render")).content


async def test_a_picture_comes_in_every_format(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        path = f"/api/v1/traces/{await server.trace_id()}/flamegraph"
        png, svg, webp = [await server.http.get(f"{path}.{kind}", headers=AS_ANNA) for kind in ("png", "svg", "webp")]

        assert [a.headers["content-type"] for a in (png, svg, webp)] == ["image/png", "image/svg+xml", "image/webp"]
        assert size_of(png)[0] == "PNG"
        assert size_of(webp)[0] == "WEBP"
        assert svg.text.startswith("<?xml")
        assert svg.headers["content-security-policy"] == "default-src 'none'"
        assert (await server.http.get(f"{path}.gif", headers=AS_ANNA)).status_code in {400, 404}


async def test_a_stored_traces_picture_is_not_sent_twice(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        path = f"/api/v1/traces/{await server.trace_id()}/flamegraph.png"
        first = await server.http.get(path, headers=AS_ANNA)
        again = await server.http.get(path, headers=AS_ANNA | {"If-None-Match": first.headers["etag"]})
        other = await server.http.get(path, params={"theme": "dark"}, headers=AS_ANNA)

        assert (again.status_code, again.content) == (304, b"")
        assert other.headers["etag"] != first.headers["etag"]
        assert (await server.http.get(path, headers=AS_ANNA)).content == first.content


async def test_another_persons_trace_is_not_drawn(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        path = f"/api/v1/traces/{await server.trace_id()}/flamegraph.png"

        assert (await server.http.get(path, headers={"Authorization": "Bearer ben"})).status_code == 404
        assert (await server.http.get(path)).status_code == 401
        assert (await server.http.post("/api/v1/render", content=STACKS)).status_code == 401


async def test_a_sandwich_is_asked_for_by_name_or_handle(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        by_name = await post(server, "render-sandwich", frame="parse")
        by_handle = await post(server, "render-sandwich", frame="f1")

        assert by_name.status_code == 200
        assert by_name.content == by_handle.content


async def test_two_traces_become_a_diff(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        files = {"before": ("old.txt", STACKS), "after": ("new.txt", FASTER)}
        answer = await server.http.post(
            "/api/v1/render-diff", params={"format": "svg", "legend": "true"}, files=files, headers=AS_ANNA
        )

        assert answer.status_code == 200, answer.text
        assert "old.txt → new.txt" in answer.text
        assert "gone (blue marks): render 80" in answer.text


@pytest.mark.parametrize("files", [{"before": ("a.txt", STACKS)}, {"file": ("a.txt", STACKS)}])
async def test_a_diff_needs_both_traces(tmp_path: Path, files: dict[str, Any]) -> None:
    async with running_server(tmp_path) as server:
        answer = await server.http.post("/api/v1/render-diff", files=files, headers=AS_ANNA)

        assert answer.status_code == 400
        assert answer.json()["field"] in {"after", "body"}


@pytest.mark.parametrize(
    ("path", "options", "field", "says"),
    [
        ("render", {"colour": "red"}, "colour", "there is no such option"),
        ("render", {"startdepth": "1"}, "startdepth", "did you mean startDepth?"),
        ("render", {"width": "wide"}, "width", "valid integer"),
        ("render", {"width": "99"}, "width", "outside 100 to 8192"),
        ("render", {"width": "8000", "height": "8000"}, "height", "megapixels"),
        ("render", {"width": "4000", "height": "2000", "dpr": "3"}, "dpr", "megapixels"),
        ("render", {"dpr": "4"}, "dpr", "outside 1 to 3"),
        ("render", {"theme": "sepia"}, "theme", "'light' or 'dark'"),
        ("render", {"mode": "sideways"}, "mode", "'time_order' or 'left_heavy'"),
        ("render", {"startDepth": "9"}, "startDepth", "past the stack"),
        ("render", {"startMs": "5"}, "startMs", "it has no times"),
        ("render", {"profile": "p7"}, "profile", "no profile"),
        ("render", {"focus": "f99"}, "focus", "never called"),
        ("render", {"focus": "s1"}, "focus", "takes a frame"),
        ("render", {"minWidth": "-1"}, "minWidth", "outside 0 to 100"),
        ("render-sandwich", {}, "frame", "required"),
        ("render-sandwich", {"frame": "pares"}, "frame", "parse"),
        ("render-sandwich", {"frame": "f99"}, "frame", "f0 to f4"),
    ],
)
async def test_an_option_that_cannot_be_is_named(
    tmp_path: Path, path: str, options: dict[str, str], field: str, says: str
) -> None:
    async with running_server(tmp_path) as server:
        answer = await post(server, path, STACKS, **options)

        problem = answer.json()
        assert (answer.status_code, problem["field"]) == (422, field)
        assert answer.headers["content-type"] == "application/problem+json"
        assert says in problem["detail"]


async def test_an_option_given_twice_is_named(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        answer = await server.http.post("/api/v1/render?width=300&width=400", content=STACKS, headers=AS_ANNA)

        assert (answer.status_code, answer.json()["field"]) == (422, "width")


async def test_a_window_that_ends_before_it_starts_is_named(tmp_path: Path) -> None:
    trace = b'[{"ph":"X","name":"work","ts":0,"dur":9000,"pid":1,"tid":1}]'
    async with running_server(tmp_path) as server:
        answer = await post(server, "render", trace, startMs=5, endMs=2)
        inside = await post(server, "render", trace, startMs=2, endMs=5)

        assert (answer.status_code, answer.json()["field"]) == (422, "startMs")
        assert inside.status_code == 200


async def test_what_is_no_trace_is_refused(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        assert (await post(server, "render", b"\x00\x01 nothing")).status_code == 415
        assert (await post(server, "render", b"")).status_code == 422


async def test_a_body_past_the_bound_is_refused(tmp_path: Path) -> None:
    async with running_server(tmp_path, max_upload_bytes=1_000_000) as server:
        assert (await post(server, "render", STACKS * 30_000)).status_code == 413


async def test_past_the_queue_pictures_are_refused_until_later(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        limiter = server.parts.services.pictures.pictures
        with all_places(limiter):
            answer = await post(server, "render")

        assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")
        assert (await post(server, "render")).status_code == 200


def all_places(limiter: PictureLimiter) -> contextlib.ExitStack:
    """Every place of the limiter, until the context ends."""
    stack = contextlib.ExitStack()
    with contextlib.suppress(Busy):
        for _ in range(10_000):
            stack.enter_context(limiter.place())
    return stack


def test_the_limiter_keeps_the_pictures_asked_for_last() -> None:
    limiter = PictureLimiter(kept_bytes=250)
    for name in "abc":
        limiter.keep(name, Picture(bytes(100), "png", 1, 1, (), ""))
        limiter.kept("a")

    assert limiter.kept("b") is None
    assert limiter.kept("a") is not None
    assert limiter.kept("c") is not None


async def test_worker_processes_draw_and_say_what_is_wrong(tmp_path: Path) -> None:
    async with running_server(tmp_path, workers=process_workers(tmp_path / "cache")) as server:
        with anyio.fail_after(60):
            files = {"before": ("old.txt", STACKS), "after": ("new.txt", FASTER)}
            diff = await server.http.post("/api/v1/render-diff", files=files, headers=AS_ANNA)
            wrong = await post(server, "render", startDepth=9)

        assert size_of(diff)[0] == "PNG"
        assert (wrong.status_code, wrong.json()["field"]) == (422, "startDepth")
        assert not list((tmp_path / "cache").rglob("*.columns"))
