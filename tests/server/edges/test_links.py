"""A link to a trace or to a conversation, tried on every route that a link opens, and ended."""

from dataclasses import replace
from pathlib import Path

from tests.server.edges.test_every_route import (
    AS_ANNA,
    AS_BEN,
    BY_LINK,
    BY_LINK_TO_A_CONVERSATION,
    annas_server,
    routes,
)
from tests.server.running_server import ANNA
from tests.server.talking import END, ask

PICTURE = "/api/v1/shared/{token}/pictures/{turn_id}/{name}.png"
PICTURES = routes(f"GET {PICTURE}")


async def test_a_link_reads_one_trace_and_nothing_else_until_it_is_taken_back(tmp_path: Path) -> None:
    async with annas_server(tmp_path) as (server, annas):
        other = (await server.upload(name="other.txt")).json()["trace"]["traceId"]
        assert {method for method, _ in BY_LINK} == {"GET"}
        for _, path in sorted(BY_LINK):
            for headers in ({}, AS_BEN):
                answer = await server.http.get(annas.path(path), headers=headers)
                assert answer.status_code == 200, (path, answer.text)
                assert other not in answer.text
                assert annas.session not in answer.text
            assert (
                await server.http.get(path.format(token="guessed", view_id=annas.view, extension="png"))
            ).status_code == 404
        assert (
            await server.http.get(f"/api/v1/traces/{annas.trace}", headers={"Authorization": f"Bearer {annas.link}"})
        ).status_code == 401
        assert (await server.http.delete(f"/api/v1/traces/{annas.trace}/link", headers=AS_ANNA)).status_code == 204
        for _, path in sorted(BY_LINK):
            assert (await server.http.get(annas.path(path))).status_code == 404


async def test_a_link_to_a_conversation_reads_it_and_its_trace_and_nothing_else(tmp_path: Path) -> None:
    async with annas_server(tmp_path) as (server, annas):
        for _, path in sorted(BY_LINK_TO_A_CONVERSATION):
            assert (await server.http.get(annas.path(path))).status_code == 404, "the link shows a trace alone"
        made = await server.http.put(f"/api/v1/sessions/{annas.session}/link", headers=AS_ANNA)
        assert made.status_code == 201
        assert (made.json()["shown"], made.json()["withheld"]) == (1, 0)
        linked = replace(annas, link=made.json()["token"])
        async with server.session(annas.trace) as socket:
            await ask(socket, prompt="another question")
            await socket.until(*END)
        for _, path in sorted(BY_LINK | BY_LINK_TO_A_CONVERSATION - PICTURES):
            for headers in ({}, AS_BEN):
                answer = await server.http.get(linked.path(path), headers=headers)
                assert answer.status_code == 200, (path, answer.text)
                for kept in (
                    annas.session,
                    ANNA.user_id,
                    ANNA.account_id,
                    "another question",
                    "usage",
                    "promptVersion",
                ):
                    assert kept not in answer.text, (path, kept)
            assert (
                await server.http.get(path.format(token="guessed", view_id=linked.view, extension="png"))
            ).status_code == 404
        assert (await server.http.get(linked.path(PICTURE))).status_code == 404, "no message has that picture"
        assert (await server.http.delete(f"/api/v1/sessions/{annas.session}/link", headers=AS_BEN)).status_code == 404
        assert (await server.http.delete(f"/api/v1/sessions/{annas.session}/link", headers=AS_ANNA)).status_code == 204
        for _, path in sorted(BY_LINK | BY_LINK_TO_A_CONVERSATION):
            assert (await server.http.get(linked.path(path))).status_code == 404
