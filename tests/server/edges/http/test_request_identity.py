"""The id of a request: taken or made, on every answer, in problem documents and in the log."""

import uuid
from pathlib import Path

import pytest
from starlette.datastructures import Headers

from server.edges.http.request_identity import ids_of
from tests.server.edges.test_every_route import AS_ANNA
from tests.server.running_server import running_server

TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = f"00-{TRACE}-b7ad6b7169203331-01"


def is_uuid(text: str) -> bool:
    return str(uuid.UUID(text)) == text


async def test_every_answer_names_its_request(tmp_path: Path) -> None:
    given = str(uuid.uuid4())
    async with running_server(tmp_path) as server:
        for path, status in (("/health", 200), ("/api/v1/traces/x", 404), ("/api/v1/me/usage", 401), ("/", 200)):
            answer = await server.http.get(path, headers={"X-Request-Id": given} | (AS_ANNA if status == 404 else {}))
            assert answer.headers["x-request-id"] == given, path
            if answer.headers["content-type"] == "application/problem+json":
                assert answer.json()["requestId"] == given
        refused = await server.http.get("/health", headers={"Host": "evil.example", "X-Request-Id": given})
        assert (refused.status_code, refused.json()["requestId"]) == (403, given)
        made = {(await server.http.get("/health")).headers["x-request-id"] for _ in range(2)}
        assert len(made) == 2
        assert all(map(is_uuid, made))
        assert is_uuid((await server.http.get("/health", headers={"X-Request-Id": "<b>\t1"})).headers["x-request-id"])


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        (TRACE, True),
        (TRACE.upper(), True),
        ("3f2b8c1e-1111-4222-8333-444455556666", True),
        ("3f2b8c1e-1111-4222-8333-44445555666", False),
        (f"{TRACE}0", False),
        (f"{TRACE}\n", False),
        ("", False),
        ("a" * 10_000 + "\u202e", False),
    ],
)
def test_an_id_is_taken_when_it_is_one(given: str, *, taken: bool) -> None:
    headers = Headers(raw=[(b"x-request-id", given.encode("latin-1", "replace"))])
    assert (ids_of(headers).request_id == given) is taken


@pytest.mark.parametrize(
    ("parent", "taken"),
    [
        (PARENT, True),
        (f"cc{PARENT[2:]}-what-will-be", True),
        (f"ff{PARENT[2:]}", False),
        (PARENT.replace(TRACE, "0" * 32), False),
        (PARENT.replace("b7ad6b7169203331", "0" * 16), False),
        (PARENT.upper(), False),
        (PARENT[:-1], False),
        ("", False),
    ],
)
def test_a_trace_is_taken_from_a_valid_traceparent(parent: str, *, taken: bool) -> None:
    found = ids_of(Headers({"traceparent": parent})).trace_id
    assert (found == TRACE) is taken
    assert len(found) == 32
    assert int(found, 16)
