"""A server is made of parts that fit: a trace is uploaded, asked about, found again and deleted."""

from pathlib import Path

from tests.server.running_server import running_server
from tests.server.talking import AS_ANNA, END, answer_text, ask


async def test_a_question_is_answered_by_the_parts_that_were_put_together(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        assert server.parts.runner is not None
        assert (await server.http.get("/ready")).status_code == 200
        trace_id = await server.trace_id()
        async with server.session(trace_id) as socket:
            await ask(socket, "why is this slow?")
            assert answer_text(await socket.until(*END)) == "It is read."
            session_id = socket.ack["sessionId"]
        listed = (await server.http.get("/api/v1/sessions", headers=AS_ANNA)).json()["sessions"]
        assert [one["sessionId"] for one in listed] == [session_id]
        assert (await server.http.delete(f"/api/v1/traces/{trace_id}", headers=AS_ANNA)).status_code == 204
        assert (await server.http.get("/api/v1/sessions", headers=AS_ANNA)).json()["sessions"] == []
