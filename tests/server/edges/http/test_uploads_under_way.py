"""How far an upload is, while it waits to be read and while it is read."""

from pathlib import Path

import anyio
import httpx

from server.adapters.in_process.workers import InlineTraceWorkers
from server.ports.traces import Importing, OpenTrace
from tests.server.running_server import STACKS, running_server

AS_ANNA = {"Authorization": "Bearer anna"}
AS_BEN = {"Authorization": "Bearer ben"}
UPLOADS = "/api/v1/uploads"


class GatedWorkers(InlineTraceWorkers):
    """Reads nothing before it is let; reports what a test sets."""

    def __init__(self) -> None:
        super().__init__()
        self.says: Importing | None = None
        self.began, self.let = anyio.Event(), anyio.Event()

    async def read(self, source: Path, *, name: str, key: str) -> OpenTrace:
        self.began.set()
        await self.let.wait()
        return await super().read(source, name=name, key=key)

    async def importing(self, source: Path) -> Importing | None:
        return self.says


async def test_a_sender_learns_his_place_in_the_line_and_the_bytes_read(tmp_path: Path) -> None:
    workers = GatedWorkers()
    async with running_server(tmp_path, workers=workers) as server:
        answers: list[httpx.Response] = []

        async def send() -> None:
            query = {"name": "stacks.txt", "upload": "mine"}
            answers.append(await server.http.post("/api/v1/traces", params=query, content=STACKS, headers=AS_ANNA))

        async def seen() -> dict[str, object]:
            (upload,) = (await server.http.get(UPLOADS, headers=AS_ANNA)).json()["uploads"]
            assert (upload["uploadId"], upload["bytes"]) == ("mine", len(STACKS))
            return {name: upload[name] for name in ("stage", "place", "bytesRead")}

        with anyio.fail_after(60):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(send)
                await workers.began.wait()
                workers.says = Importing(place=3)
                assert await seen() == {"stage": "waiting", "place": 3, "bytesRead": None}
                workers.says = Importing(bytes_read=20)
                assert await seen() == {"stage": "reading", "place": None, "bytesRead": 20}
                workers.says = None
                assert (await seen())["stage"] == "storing"
                assert (await server.http.get(UPLOADS, headers=AS_BEN)).json() == {"uploads": []}
                workers.let.set()
        assert answers[0].status_code == 201
        assert (await server.http.get(UPLOADS, headers=AS_ANNA)).json() == {"uploads": []}


async def test_an_upload_that_fails_is_forgotten(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        query = {"name": "x", "upload": "mine"}
        answer = await server.http.post("/api/v1/traces", params=query, content=b"\x00\x01", headers=AS_ANNA)
        assert answer.status_code == 415
        assert (await server.http.get(UPLOADS, headers=AS_ANNA)).json() == {"uploads": []}
        again = await server.http.post("/api/v1/traces", params=query, content=STACKS, headers=AS_ANNA)
        assert again.status_code == 201


async def test_an_id_that_is_none_is_refused(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        query = {"name": "x", "upload": "../../etc"}
        answer = await server.http.post("/api/v1/traces", params=query, content=STACKS, headers=AS_ANNA)
        assert answer.status_code == 400
