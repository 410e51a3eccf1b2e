"""Lists of conversations over HTTP: what is found of them, put away and refused."""

from pathlib import Path

from server.edges.http.sessions import passage_around
from tests.server.running_server import ScriptedAgent, running_server
from tests.server.talking import AS_ANNA, END, ask


async def test_a_conversation_is_found_with_a_passage_put_away_and_renamed(tmp_path: Path) -> None:
    async with running_server(tmp_path, ScriptedAgent()) as server, server.session(await server.trace_id()) as socket:
        await ask(socket, "Why is `parse` slow?")
        await socket.until(*END)
        (found,) = (await server.http.get("/api/v1/sessions", params={"search": " WHY   is "}, headers=AS_ANNA)).json()[
            "sessions"
        ]
        assert found["passage"] == "Why is parse slow?"
        assert not found["archived"]
        path = f"/api/v1/sessions/{found['sessionId']}"
        assert (await server.http.patch(path, json={"archived": True}, headers=AS_ANNA)).json()["session"]["archived"]
        assert (await server.http.get("/api/v1/sessions", headers=AS_ANNA)).json()["sessions"] == []
        for archived in ("true", "any"):
            listed = (await server.http.get("/api/v1/sessions", params={"archived": archived}, headers=AS_ANNA)).json()[
                "sessions"
            ]
            assert [one["sessionId"] for one in listed] == [found["sessionId"]]
        for bad in ({}, {"title": ""}, {"title": "x" * 201}, {"archived": "perhaps"}, {"owner": "me"}):
            refused = await server.http.patch(path, json=bad, headers=AS_ANNA)
            assert refused.status_code == 400, bad
            assert refused.json()["detail"]
        too_long = await server.http.get("/api/v1/sessions", params={"search": "x" * 201}, headers=AS_ANNA)
        assert too_long.status_code == 400


def test_a_passage_has_the_searched_words_in_sight_and_says_where_it_was_cut() -> None:
    answer = "Nothing. " * 40 + "**[`parse`](#f1)** takes [39 %](#f1.self). " + "Nothing. " * 40
    passage = passage_around(answer, "PARSE TAKES")
    assert "parse takes 39 %." in passage
    assert (passage[0], passage[-1]) == ("…", "…")
    assert passage_around("## Short\nanswer", "short") == "Short answer"
