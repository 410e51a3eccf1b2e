"""A team's server, composed from its settings, behind poolers: from an empty project to an answer."""

from pathlib import Path

import anyio
import pytest

from server.app import running
from server.settings import load_settings
from tests.cloud.cloud import a_cloud
from tests.cloud.published_turns import broadcasts_until_end, events_of
from tests.plugins.pooler import Pooled
from tests.server.running_server import STACKS, serving
from tests.server.talking import answer_text, new_id

pytestmark = [pytest.mark.long, pytest.mark.timeout(400)]


async def test_from_an_empty_project_to_an_answer_behind_poolers(
    tmp_path: Path, pooled: Pooled, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with a_cloud(tmp_path / "project") as cloud:
        for name, value in cloud.settings().items():
            monkeypatch.setenv(name, value)
        by_session = pooled(cloud.owner_dsn, "session")
        through = pooled(cloud.server_dsn, "transaction")
        # First as documented; then, with everything in place, by the pooler of transactions alone.
        for number, session_url in enumerate((by_session, through)):
            monkeypatch.setenv("FLAMECHAT_DATABASE_URL", through)
            monkeypatch.setenv("FLAMECHAT_DATABASE_SESSION_URL", session_url)
            settings = load_settings(data=tmp_path / f"server{number}")
            settings.data.mkdir()
            settings.check_supabase()
            async with running(settings) as parts, serving(parts) as server:
                headers = {"Authorization": f"Bearer {await cloud.supabase.auth.sign_in('anna')}"}
                stored = await server.http.post(
                    "/api/v1/traces", params={"name": "stacks.txt"}, content=STACKS, headers=headers
                )
                assert stored.status_code == 201, stored.text
                prompt = {
                    "prompt": "Why is this slow?",
                    "traceId": stored.json()["trace"]["traceId"],
                    "turnId": new_id(),
                }
                url = f"/api/v1/sessions/{new_id()}/prompts"
                with anyio.fail_after(60):
                    assert (await server.http.post(url, json=prompt, headers=headers)).status_code == 202
                    broadcasts = await broadcasts_until_end(cloud.supabase, ends=number + 1)
                events = [event for event in events_of(broadcasts) if event["turnId"] == prompt["turnId"]]
                assert events[-1]["type"] == "model_response_end", events[-1]
                assert "read" in answer_text(events)
                assert all(len(frame["topic"]) == len(f"chat:{new_id()}") for frame in broadcasts)
