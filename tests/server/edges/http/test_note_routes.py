"""Notes over HTTP: their bounds, and what a link shows of them."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from limits.plans import LOCAL_PLAN
from tests.server.running_server import ANNA, running_server
from tests.server.talking import AS_ANNA

ON_FUNCTION = {"kind": "function", "profile": "p0", "handle": "f1", "name": "read", "file": "a.py"}
ON_RANGE = {"kind": "range", "profile": "p0", "start": 1.0, "end": 2.0}
SHARING = replace(LOCAL_PLAN, allow_public_sharing=True)


async def test_a_note_is_written_read_rewritten_and_deleted(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        path = f"/api/v1/traces/{await server.trace_id()}/notes"
        made = await server.http.post(
            path, json=ON_FUNCTION | {"text": "  <i>too</i> slow \u202e\x00 "}, headers=AS_ANNA
        )
        assert made.status_code == 201
        note = made.json()["note"]
        assert note["text"] == "<i>too</i> slow \\u202e\ufffd"
        assert ANNA.user_id not in made.text
        changed = await server.http.patch(f"{path}/{note['noteId']}", json={"text": "fine"}, headers=AS_ANNA)
        assert changed.json()["note"]["text"] == "fine"
        assert (await server.http.get(path, headers=AS_ANNA)).json() == {"notes": [changed.json()["note"]]}
        assert (await server.http.delete(f"{path}/{note['noteId']}", headers=AS_ANNA)).status_code == 204
        assert (await server.http.get(path, headers=AS_ANNA)).json() == {"notes": []}


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (ON_FUNCTION | {"text": " \n "}, "needs a text"),
        (ON_FUNCTION | {"text": "x" * 2_001}, "2,000 characters"),
        (ON_FUNCTION | {"text": "x", "handle": "s1"}, "handle like f12"),
        (ON_FUNCTION | {"text": "x", "kind": "call"}, "like s3"),
        (ON_FUNCTION | {"text": "x", "start": 1}, "neither has ends"),
        (ON_FUNCTION | {"text": "x", "profile": "main"}, "profile"),
        (ON_RANGE | {"text": "x", "end": 1.0}, "start before its end"),
        (ON_RANGE | {"text": "x", "handle": "f1"}, "no handle"),
        (ON_RANGE | {"text": "x", "end": None}, "start before its end"),
    ],
)
async def test_what_is_no_note_is_refused_in_words(tmp_path: Path, body: dict[str, Any], says: str) -> None:
    async with running_server(tmp_path) as server:
        path = f"/api/v1/traces/{await server.trace_id()}/notes"
        refused = await server.http.post(path, json=body, headers=AS_ANNA)
        assert refused.status_code in (400, 422)
        assert says in refused.text
        assert (await server.http.get(path, headers=AS_ANNA)).json() == {"notes": []}


async def test_a_name_of_ten_thousand_characters_is_cut(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        path = f"/api/v1/traces/{await server.trace_id()}/notes"
        body = ON_FUNCTION | {"text": "x", "name": "n" * 6_000, "file": "f" * 10_000}
        note = (await server.http.post(path, json=body, headers=AS_ANNA)).json()["note"]
        assert (len(note["name"]), len(note["file"])) == (300, 1000)


async def test_a_link_shows_the_notes_of_its_trace_and_who_wrote_none(tmp_path: Path) -> None:
    async with running_server(tmp_path, plan=SHARING) as server:
        trace_id, other = await server.trace_id(), await server.trace_id()
        for one, text in ((trace_id, "shown"), (other, "elsewhere")):
            await server.http.post(f"/api/v1/traces/{one}/notes", json=ON_RANGE | {"text": text}, headers=AS_ANNA)
        token = (await server.http.put(f"/api/v1/traces/{trace_id}/link", headers=AS_ANNA)).json()["token"]
        seen = await server.http.get(f"/api/v1/shared/{token}/notes")
        assert [note["text"] for note in seen.json()["notes"]] == ["shown"]
        assert ANNA.user_id not in seen.text
        assert (await server.http.post(f"/api/v1/shared/{token}/notes", json=ON_RANGE)).status_code == 405
