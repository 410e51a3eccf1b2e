"""What an account remembers, over HTTP: read, changed with the version, shown to nobody else."""

from pathlib import Path

import pytest

from server.edges.http.memory_routes import version_of
from server.errors import BadRequest
from tests.server.running_server import running_server

CORE = "/api/v1/memory/core"
ANNA, BEN = {"Authorization": "Bearer anna"}, {"Authorization": "Bearer ben"}


async def test_facts_are_changed_by_who_names_the_version_and_shown_to_nobody_else(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        first = await server.http.get(CORE, headers=ANNA)
        assert (first.json()["text"], first.json()["version"], first.headers["etag"]) == ("", 0, '"v0"')
        body = {"text": "  we ship on Fridays \n\nthe limit is 300 ms\nthe limit is 300 ms"}
        changed = await server.http.put(CORE, json=body, headers=ANNA | {"If-Match": first.headers["etag"]})
        assert changed.json()["text"] == "we ship on Fridays\nthe limit is 300 ms"
        assert changed.headers["etag"] == '"v1"'
        late = await server.http.put(CORE, json={"text": "mine"}, headers=ANNA | {"If-Match": '"v0"'})
        assert late.status_code == 409
        assert late.json()["current"]["text"] == changed.json()["text"]
        assert late.json()["yours"] == {"text": "mine"}
        assert late.headers["etag"] == '"v1"'
        assert (await server.http.get(CORE, headers=BEN)).json()["text"] == ""
        found = (await server.http.get(f"{CORE}/changes", headers=ANNA)).json()["changes"]
        assert [(one["version"], one["decision"], one["mine"]) for one in found] == [(1, "written", True)]
        assert (await server.http.get(f"{CORE}/changes", headers=BEN)).json() == {"changes": []}
        exported = (await server.http.get("/api/v1/memory/export", headers=ANNA)).json()
        assert exported["core"] == {"facts": ["we ship on Fridays", "the limit is 300 ms"], "version": 1}
        assert len(exported["changes"]) == 1


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("\n".join(f"{at} {'x' * 498}" for at in range(10)), "room for 5,000 characters: this is 9 too many"),
        ("x" * 501, "at most 500 characters: this one is 1 too long"),
        ("ask anna@example.org", "an e-mail address"),
        ("the key is sk-proj-abcdefghijklmnop", "a key or a token"),
        ("pay with 4111 1111 1111 1111", "a card number"),
        ("the database password is hunter22", "a password"),
    ],
)
async def test_what_may_not_be_remembered_is_refused_with_the_reason(tmp_path: Path, text: str, why: str) -> None:
    async with running_server(tmp_path) as server:
        answer = await server.http.put(CORE, json={"text": text}, headers=ANNA | {"If-Match": '"v0"'})
        assert (answer.status_code, answer.json()["field"]) == (400, "text")
        assert why in answer.json()["detail"]
        assert (await server.http.get(CORE, headers=ANNA)).json()["version"] == 0


@pytest.mark.parametrize("sent", ["", "*", "v", '"v-1"', "v12345678901", "now"])
def test_a_change_without_a_version_is_refused(sent: str) -> None:
    with pytest.raises(BadRequest) as refused:
        version_of(sent)
    assert refused.value.field == "If-Match"


@pytest.mark.parametrize("sent", ['"v12"', "v12", 'W/"v12"', "12", ' "12" '])
def test_a_version_is_read_in_the_forms_that_proxies_leave(sent: str) -> None:
    assert version_of(sent) == 12


async def test_where_nothing_is_remembered_there_is_no_route(tmp_path: Path) -> None:
    async with running_server(tmp_path, memory="off") as server:
        assert server.parts.services.memory.account_memory is None
        described = (await server.http.get("/api/v1/openapi.json")).json()["paths"]
        assert [path for path in described if "memory" in path] == []
        assert (await server.http.get("/api/v1/config")).json()["memory"] is False  # the page leads to it nowhere
        assert (await server.http.put(CORE, json={"text": ""}, headers=ANNA)).status_code in (404, 405)
