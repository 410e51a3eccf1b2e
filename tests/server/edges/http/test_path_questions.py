"""Paths of calls over real HTTP: one recording, many, and those of others."""

import json
from pathlib import Path
from typing import Any

from tests.server.running_server import RunningServer, running_server

AS_ANNA = {"Authorization": "Bearer anna"}
AS_BEN = {"Authorization": "Bearer ben"}
RUN = "/api/v1/questions/run"


async def a_recording(server: RunningServer, number: int, reaching: int) -> str:
    """Ten calls of `handle`, some of which reach `parse` after two milliseconds, and the half of these `render`."""
    events: list[dict[str, Any]] = []

    def call(name: str, start: int, length: int) -> None:
        events.append({"ph": "X", "pid": 1, "tid": 1, "ts": start, "dur": length, "name": name})

    for at in range(10):
        start = at * 100_000
        call("handle", start, 50_000)
        call("parse" if at < reaching else "give_up", start + 2_000, 10_000)
        if at * 2 < reaching:
            call("render", start + 20_000, 10_000)
    sent = await server.http.post(
        f"/api/v1/traces?name=n{number}.json&label=program:web&label=commit:c{number}",
        content=json.dumps({"traceEvents": events}).encode(),
        headers=AS_ANNA,
    )
    assert sent.status_code == 201, sent.text
    trace_id: str = sent.json()["trace"]["traceId"]
    return trace_id


async def test_how_many_calls_go_on_and_where_the_others_end(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        old, new = await a_recording(server, 1, 8), await a_recording(server, 2, 4)
        text = "How many calls of handle reach parse, then render?"

        async def asked(body: dict[str, Any], headers: dict[str, str] = AS_ANNA) -> Any:
            return await server.http.post(RUN, json=body, headers=headers)

        one = (await asked({"text": text, "traceId": old})).json()["answer"]
        assert one["headline"] == (
            "**Of 10 calls of `handle`, 8 (80.0%) reach `parse`, then 4 (40.0%) reach `render`.**"
        )
        assert "From `handle` to `parse` it takes 2.00 ms (median), at most 2.00 ms." in one["notes"]
        assert "2 are lost before `parse`: 2 called `give_up` last." in one["notes"]
        assert [row[:4] for row in one["table"]["rows"]] == [
            ["handle", "10", "100.0%", ""],
            ["parse", "8", "80.0%", "2"],
            ["render", "4", "40.0%", "4"],
        ]
        assert [point["value"] for point in one["chart"]["points"]] == [10, 8, 4]
        assert (await asked({"question": one["question"]})).json()["answer"] == one
        many = (await asked({"text": text})).json()["answer"]
        assert "Of 20 calls of `handle` in 2 recordings, 12 (60.0%) reach `parse`, then 6" in many["headline"]
        assert [[row[0], *row[2:]] for row in many["table"]["rows"]] == [
            ["n1.json", "10", "8", "4"],
            ["n2.json", "10", "4", "2"],
        ]
        newest = many["question"] | {"runs": {"labels": {"commit": "c2"}}}
        assert "Of 10 calls" in (await asked({"question": newest})).json()["answer"]["headline"]
        for question, status, part in (
            ({"steps": [{"name": "handle"}, {"name": "prase"}]}, 400, "The nearest: parse"),
            ({"steps": [{"name": "handle"}]}, 400, "steps"),
            ({"steps": many["question"]["steps"], "runs": {"labels": {"commit": "c9"}}}, 400, "`c9`"),
            ({"steps": many["question"]["steps"], "trace": "n1"}, 400, "trace"),
            ({"steps": many["question"]["steps"], "trace": "0" * 32}, 404, ""),
        ):
            refused = await asked({"question": {"form": "path"} | question})
            assert (refused.status_code, part in refused.text) == (status, True), refused.text
        of_others = await asked({"question": one["question"] | {"trace": new}}, AS_BEN)
        nobodys = await asked({"question": one["question"] | {"trace": "0" * 32}}, AS_BEN)
        assert (of_others.status_code, nobodys.status_code) == (404, 404)
        assert of_others.json()["detail"] == nobodys.json()["detail"]
        assert (await asked({"text": text}, AS_BEN)).json()["detail"] == "There are no recordings to ask about."
        assert (await asked({"text": text, "traceId": old}, AS_BEN)).status_code == 400
