"""Keys for programs over two servers of one database, as processes: the requests of a minute are exact, and no key is
in what the servers write."""

import asyncio
from pathlib import Path

import httpx
import pytest

from tests.server.test_serve import serving

A_MINUTE = 60
REQUESTS = 100


async def answers_of(addresses: tuple[str, str], key: str) -> list[httpx.Response]:
    """What comes of requests that are all sent at once, to both servers in turn."""
    async with httpx.AsyncClient(trust_env=False, timeout=120, limits=httpx.Limits(max_connections=REQUESTS)) as http:
        sent = [
            http.get(f"{addresses[number % 2]}/api/v1/traces", headers={"Authorization": f"Bearer {key}"})
            for number in range(REQUESTS)
        ]
        return list(await asyncio.gather(*sent))


@pytest.mark.timeout(240)
@pytest.mark.long
def test_of_a_hundred_requests_at_once_over_two_processes_exactly_sixty_pass(tmp_path: Path) -> None:
    data = tmp_path / "data"
    written = []
    with serving(data) as (one, printed), serving(data) as (other, also_printed):
        first, second = (address.split("?")[0].rstrip("/") for address in (printed, also_printed))
        with httpx.Client(trust_env=False, timeout=60) as http:
            changed = http.patch(f"{first}/api/v1/admin/plans/local", json={"apiRequestsPerMinute": A_MINUTE})
            assert changed.status_code == 200, changed.text
            made = http.post(f"{second}/api/v1/keys", json={"name": "ci", "scopes": ["traces:read"]})
            key = made.json()["secret"]
            http.get(f"{first}/api/v1/{key}")
            http.get(f"{first}/?access_token={key}")
            http.post(f"{second}/api/v1/shared/{key}", content=key)
        answers = asyncio.run(answers_of((first, second), key))
        passed = [answer for answer in answers if answer.status_code == 200]
        refused = [answer for answer in answers if answer.status_code == 429]
        for process in (one, other):
            process.terminate()
            written.append(process.communicate(timeout=60))
    assert (len(passed), len(refused)) == (A_MINUTE, REQUESTS - A_MINUTE)
    assert all(1 <= int(answer.headers["retry-after"]) <= A_MINUTE + 1 for answer in refused)
    secret = key.removeprefix("fc_")[11:]
    assert secret not in "".join(text for texts in written for text in texts)
    files = [path for path in data.rglob("*") if path.is_file() and "pg_wal" not in path.parts]
    assert not [path for path in files if secret.encode() in path.read_bytes()]
