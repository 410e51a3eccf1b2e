"""Every message of the socket, tried by nobody, by another user, and with another user's ids."""

import json
from pathlib import Path
from typing import Any, get_args

import pytest

from server.protocol.client import ClientMessage
from tests.server.edges.test_every_route import Annas, annas_server, what_anna_sees
from tests.server.running_server import ANNA, MESSAGE_ID, RunningServer, Socket, running_server


def annas_messages(annas: Annas) -> dict[str, dict[str, Any]]:
    """Each message of a client, with Anna's ids."""
    return {
        "start_analysis": {"traceId": annas.trace, "sessionId": annas.session},
        "user_prompt": {"sessionId": annas.session, "prompt": "mine?"},
        "cancel_turn": {"turnId": annas.turn},
        "resume": {"interruptId": annas.turn, "result": {"status": "declined"}},
        "regenerate": {"turnId": annas.turn},
        "edit_prompt": {"turnId": annas.turn, "prompt": "mine?"},
        "feedback": {"messageId": MESSAGE_ID, "score": -1},
        "decide_memory": {"proposalId": annas.turn, "decision": "keep"},
        "viewer_context": {"view": "time_order"},
        "authenticate": {"accessToken": "anna"},
        "ping": {"nonce": "n"},
    }


HARMLESS = {"viewer_context", "ping"}
"""Name nothing of anybody's."""

CLOSING = {"start_analysis": 4403, "authenticate": 4401}


def test_every_message_of_a_client_is_tried() -> None:
    assert set(annas_messages(Annas("", "", "", "", ""))) == set(types_of_messages())


def types_of_messages() -> list[str]:
    return [message.model_fields["type"].default for message in get_args(ClientMessage)]


async def a_trace_of_bens(server: RunningServer) -> str:
    answer = await server.upload(token="ben", name="bens.txt")
    trace_id: str = answer.json()["trace"]["traceId"]
    return trace_id


async def answers_to(socket: Socket, message: dict[str, Any]) -> list[dict[str, Any]]:
    """What comes between a message and the answer to a ping after it."""
    await socket.send(**message)
    await socket.send(type="ping", nonce="after")
    answers = await socket.until("pong")
    return answers if answers[-1]["nonce"] == "after" else [*answers, *await socket.until("pong")]


@pytest.mark.parametrize("type_", types_of_messages())
async def test_a_message_with_anothers_ids_is_refused_and_changes_nothing(tmp_path: Path, type_: str) -> None:
    async with annas_server(tmp_path) as (server, annas):
        before = await what_anna_sees(server, annas)
        message = {"type": type_} | annas_messages(annas)[type_]
        async with server.session(await a_trace_of_bens(server), token="ben") as socket:
            if type_ in CLOSING:
                await socket.send(**message)
                assert await socket.closed_with() == CLOSING[type_]
            else:
                answers = await answers_to(socket, message)
                refused = [one["code"] for one in answers if one["type"] == "protocol_error"]
                assert refused == ([] if type_ in HARMLESS else [refused[0]])
                assert set(refused) <= {"not_found", "bad_field"}
                assert annas.session not in json.dumps(answers)
        assert await what_anna_sees(server, annas) == before


@pytest.mark.parametrize("type_", types_of_messages())
@pytest.mark.parametrize("token", [None, "mallory"])
@pytest.mark.long
async def test_a_message_without_an_identity_closes_the_socket(tmp_path: Path, type_: str, token: str | None) -> None:
    async with annas_server(tmp_path) as (server, annas):
        before = await what_anna_sees(server, annas)
        message = {"type": type_} | annas_messages(annas)[type_]
        if type_ == "start_analysis":
            message["accessToken"] = token
        async with server.socket() as socket:
            await socket.send(**message)
            assert await socket.closed_with() == 4401
        assert await what_anna_sees(server, annas) == before


async def test_a_user_id_that_is_not_the_callers_is_refused(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server, server.session(await a_trace_of_bens(server), token="ben") as socket:
        message = {"type": "user_prompt", "sessionId": socket.ack["sessionId"], "prompt": "?", "userId": ANNA.user_id}
        refused = (await answers_to(socket, message))[0]
        assert (refused["type"], refused["code"], refused["field"]) == ("protocol_error", "bad_field", "userId")
