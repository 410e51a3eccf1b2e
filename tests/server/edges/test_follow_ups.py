"""The subject of a conversation's first turn is that of the third, said aloud: over the WebSocket and `/api/chat`."""

from pathlib import Path

import pytest

from tests.server.edges.ws.test_memory_over_socket import analyst_server, asked
from tests.server.follow_ups import FOLLOW_UPS, STACKS, FollowUp, said_aloud
from tests.server.running_server import RunningServer

AS_ANNA = {"Authorization": "Bearer anna"}


async def uploaded(server: RunningServer) -> str:
    reply = await server.upload(STACKS, "orders.collapsed.txt")
    return str(reply.json()["trace"]["traceId"])


async def over_socket(server: RunningServer, talk: FollowUp) -> list[str]:
    async with server.session(await uploaded(server)) as socket:
        return [(await asked(socket, prompt))[0] for prompt in talk.asked]


async def over_http(server: RunningServer, talk: FollowUp) -> list[str]:
    answers: list[str] = []
    question = {"flamechat_trace_id": await uploaded(server)}
    for prompt in talk.asked:
        reply = (await server.http.post("/api/chat", json=question | {"message": prompt}, headers=AS_ANNA)).json()
        question = {"session_id": reply["session_id"]}
        answers.append(reply["answer"])
    return answers


@pytest.mark.parametrize("way", [over_socket, over_http], ids=["socket", "chat"])
@pytest.mark.parametrize("talk", FOLLOW_UPS, ids=lambda talk: talk.subject)
async def test_the_subject_stays(tmp_path: Path, way: object, talk: FollowUp) -> None:
    async with analyst_server(tmp_path) as server:
        answers = await way(server, talk)  # type: ignore[operator]
    assert [said_aloud(one, talk.subject) for one in answers] == [True] * len(talk.asked), answers
