"""Many first requests at once: they wait for the one fetch of the project's keys."""

import anyio
import httpx
import jwt

from server.adapters.supabase.keys import PublishedKeys
from tests.cloud.people import ProjectKeys


async def test_requests_that_come_during_the_first_fetch_wait_for_its_keys() -> None:
    published = ProjectKeys("http://project").jwks()
    key_id = published["keys"][0]["kid"]
    asked, answer = anyio.Event(), anyio.Event()
    requests = 0

    async def serve(request: httpx.Request) -> httpx.Response:
        nonlocal requests
        requests += 1
        asked.set()
        await answer.wait()
        return httpx.Response(200, json=published)

    found: list[jwt.PyJWK | None] = []
    async with httpx.AsyncClient(transport=httpx.MockTransport(serve)) as client:
        keys = PublishedKeys(client, "http://project/jwks")

        async def one() -> None:
            found.append(await keys.key(key_id))

        with anyio.fail_after(60):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(one)
                await asked.wait()
                for _ in range(5):
                    tasks.start_soon(one)
                await anyio.lowlevel.checkpoint()
                answer.set()
    assert len(found) == 6
    assert None not in found
    assert requests == 1
