"""What an account remembers, over HTTP: read, changed with the version, shown to nobody else."""

from pathlib import Path

import pytest

from server.agent.memory.memory_texts import fact_memory
from server.edges.http.memory_routes import version_of
from server.errors import BadRequest
from tests.server.running_server import ANNA as ANNA_HERSELF
from tests.server.running_server import running_server

CORE = "/api/v1/memory/core"
MEMORY, KNOWLEDGE = "/api/v1/memory", "/api/v1/knowledge"
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


async def test_memories_are_searched_changed_and_forgotten_by_their_account_alone(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        store = server.parts.services.memory.search._store
        await store.add(ANNA_HERSELF, [fact_memory("requests stay under 300 ms"), fact_memory("we ship on Fridays")])
        found = (await server.http.get(f"{MEMORY}?query=how fast are requests&limit=5", headers=ANNA)).json()[
            "memories"
        ]
        assert [one["text"] for one in found] == ["requests stay under 300 ms"]
        assert 0 < found[0]["near"] <= 1
        assert (await server.http.get(f"{MEMORY}?query=requests", headers=BEN)).json() == {"memories": []}
        one = f"{MEMORY}/{found[0]['memoryId']}"
        for headers, status in ((BEN, 404), (ANNA, 200)):
            changed = await server.http.patch(one, json={"text": "requests stay under 500 ms"}, headers=headers)
            assert changed.status_code == status
        refused = await server.http.patch(one, json={"text": "the key is sk-proj-abcdefghijklmnop"}, headers=ANNA)
        assert (refused.status_code, refused.json()["field"]) == (400, "text")
        exported = (await server.http.get("/api/v1/memory/export", headers=ANNA)).json()["memories"]
        assert {row["text"] for row in exported} == {"requests stay under 500 ms", "we ship on Fridays"}
        assert (await server.http.get("/api/v1/memory/export", headers=BEN)).json()["memories"] == []
        assert (await server.http.delete(one, headers=BEN)).status_code == 404
        assert (await server.http.delete(one, headers=ANNA)).status_code == 204
        assert (await server.http.delete(f"{MEMORY}?all=mine", headers=ANNA)).json() == {"forgotten": 0}
        assert (await server.http.delete(f"{MEMORY}?all=account", headers=ANNA)).json() == {"forgotten": 1}
        assert (await server.http.get(MEMORY, headers=ANNA)).json() == {"memories": []}


async def test_documents_are_put_searched_and_removed_by_their_account_alone(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        text = "# Runbook\n\nDrain the queue before the indexer starts again.\n"
        put = await server.http.post(f"{KNOWLEDGE}?name=runbook.md", content=text, headers=ANNA)
        assert put.status_code == 201
        assert [one["name"] for one in (await server.http.get(KNOWLEDGE, headers=ANNA)).json()["documents"]] == [
            "runbook.md"
        ]
        found = (await server.http.get(f"{KNOWLEDGE}/search?query=indexer", headers=ANNA)).json()["passages"]
        assert (found[0]["heading"], found[0]["document"], found[0]["ours"]) == ("Runbook", "runbook.md", False)
        passage = f"{KNOWLEDGE}/passages/{found[0]['handle']}"
        assert (await server.http.get(passage, headers=ANNA)).json() == found[0]
        document = f"{KNOWLEDGE}/{put.json()['documentId']}"
        assert (await server.http.get(f"{KNOWLEDGE}/search?query=indexer", headers=BEN)).json() == {"passages": []}
        assert (await server.http.get(KNOWLEDGE, headers=BEN)).json() == {"documents": []}
        for path in (passage, document):
            method = "GET" if path == passage else "DELETE"
            assert (await server.http.request(method, path, headers=BEN)).status_code == 404
        refused = await server.http.post(f"{KNOWLEDGE}?name=a.md", content=b"\xff\xfe", headers=ANNA)
        assert (refused.status_code, refused.json()["field"]) == (400, "file")
        assert (await server.http.delete(document, headers=ANNA)).status_code == 204


async def test_with_memory_off_none_of_its_routes_is_there(tmp_path: Path) -> None:
    async with running_server(tmp_path, memory="off") as server:
        for path in (MEMORY, KNOWLEDGE, CORE, "/api/v1/memory/export"):
            assert (await server.http.get(path, headers=ANNA)).status_code == 404
