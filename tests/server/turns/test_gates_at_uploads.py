"""Gates that a server keeps: judged at uploads, reported by signed webhooks, accepted by owners."""

import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from server.ports.gates import WebhookState
from server.ports.web import WebFailed
from server.turns.gate_checks import AGAIN_S, SIGNATURE, GateChecks
from tests.server.running_server import RunningServer, running_server

AS_ANNA = {"Authorization": "Bearer anna"}
HOSTILE = "</script>|`<img src=x onerror=alert(1)>`\u202e"


def stacks(hot: int, *, name: str = "parse", noise: int = 0) -> bytes:
    """A run in which one function takes `hot` of about 1,000 samples by itself."""
    return f"main;{name} {hot + noise}\nmain;render {900 - hot}\nmain 100\n".encode()


@dataclass
class Receiver:
    """A WebhookSender that answers as the test wants."""

    answers: list[int | WebFailed] = field(default_factory=list)
    received: list[tuple[str, bytes, dict[str, str]]] = field(default_factory=list)

    async def send(self, url: str, body: bytes, headers: Mapping[str, str]) -> int:
        self.received.append((url, body, dict(headers)))
        answer = self.answers.pop(0) if self.answers else 204
        if isinstance(answer, WebFailed):
            raise answer
        return answer


async def uploaded(server: RunningServer, content: bytes, *labels: str, token: str = "anna") -> str:
    params: list[tuple[str, str | int | float | bool | None]] = [
        ("name", "run.txt"),
        *(("label", label) for label in labels),
    ]
    answer = await server.http.post(
        "/api/v1/traces", params=params, content=content, headers={"Authorization": f"Bearer {token}"}
    )
    assert answer.status_code == 201, answer.text
    trace_id: str = answer.json()["trace"]["traceId"]
    return trace_id


async def made(server: RunningServer, **wish: Any) -> dict[str, Any]:
    body = {"name": "hot", "rules": ["self_share(parse) +5%"], "baseline": {"branch": "main"}} | wish
    answer = await server.http.post("/api/v1/gates", json=body, headers=AS_ANNA)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def result_of(server: RunningServer, trace_id: str) -> dict[str, Any]:
    answer = await server.http.get(f"/api/v1/gates/results?traceId={trace_id}", headers=AS_ANNA)
    (result,) = answer.json()["results"]
    assert isinstance(result, dict)
    return result


def checks_of(server: RunningServer) -> GateChecks:
    assert server.parts.gate_checks is not None
    return server.parts.gate_checks


async def a_baseline(server: RunningServer, runs: int = 6) -> None:
    for run in range(runs):
        await uploaded(server, stacks(300, noise=run % 3), "branch:main", "program:app")


async def test_an_upload_that_is_slower_breaks_the_gate_and_one_that_is_not_keeps_it(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        await a_baseline(server)
        await made(server, labels={"program": "app", "scenario": "pr"})
        slower = await uploaded(server, stacks(450), "program:app", "scenario:pr")
        same = await uploaded(server, stacks(301), "program:app", "scenario:pr")
        others = await uploaded(server, stacks(450), "program:other", "scenario:pr")
        assert [await checks_of(server).check_one() for _ in range(3)] == [True, True, False]
        broken, kept = await result_of(server, slower), await result_of(server, same)
        assert (broken["outcome"], kept["outcome"]) == ("broken", "held")
        (rule,) = broken["report"]["results"]
        assert rule["growth"]["method"] == "prediction"
        assert rule["growth"]["growth"] == pytest.approx(0.5, abs=0.05)
        found = await server.http.get(f"/api/v1/gates/results?traceId={others}", headers=AS_ANNA)
        assert found.json()["results"] == []


async def test_what_cannot_be_judged_says_why(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        await made(server, rules=["self_share(nothing) +5%"])
        alone = await uploaded(server, stacks(300), "branch:main")
        assert await checks_of(server).check_one()
        first = await result_of(server, alone)
        assert (first["outcome"], "no runs before" in first["problem"]) == ("not decidable", True)
        second = await uploaded(server, stacks(300), "branch:main")
        assert await checks_of(server).check_one()
        wrong = await result_of(server, second)
        assert (wrong["outcome"], "nothing" in wrong["problem"]) == (None, True)
        removed = await uploaded(server, stacks(300), "branch:main")
        await server.http.delete(f"/api/v1/traces/{removed}", headers=AS_ANNA)
        assert not await checks_of(server).check_one()


async def test_a_webhook_is_signed_tried_five_times_and_holds_what_was_found(tmp_path: Path) -> None:
    receiver = Receiver([500, WebFailed("it cannot be reached", "unavailable"), 302])
    async with running_server(tmp_path, webhooks=receiver) as server:
        name = f"gate {HOSTILE}"
        wish = await made(server, name=name, rules=["total +3%"], webhookUrl="https://hooks.example/x?y=1")
        secret = wish["webhookSecret"]
        assert secret not in (await server.http.get("/api/v1/gates", headers=AS_ANNA)).text
        trace_id = await uploaded(server, stacks(1), "branch:main")
        assert await checks_of(server).check_one()
        assert await checks_of(server).report_one()
        assert (await result_of(server, trace_id))["webhook"] == "waiting"
        assert not await checks_of(server).report_one(), "not before its time"
        url, body, headers = receiver.received[0]
        assert url == "https://hooks.example/x?y=1"
        at, _, digest = headers[SIGNATURE].removeprefix("t=").partition(",v1=")
        expected = hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
        assert hmac.compare_digest(digest, expected)
        sent = json.loads(body)
        assert (sent["event"], sent["traceId"], sent["outcome"]) == ("gate_result", trace_id, "not decidable")
        assert "\u202e" not in sent["gate"]
        assert secret.encode() not in body
        assert sum(AGAIN_S) == 15 * 60
        assert len(AGAIN_S) == 4


async def test_a_webhook_that_nobody_takes_is_given_up_after_five_tries(tmp_path: Path) -> None:
    receiver = Receiver([500] * 9)
    async with running_server(tmp_path, webhooks=receiver) as server:
        await made(server, webhookUrl="https://hooks.example/")
        trace_id = await uploaded(server, stacks(1), "branch:main")
        await checks_of(server).check_one()
        gates = checks_of(server)._gates
        for _ in range(9):
            if await checks_of(server).report_one():
                result = await result_of(server, trace_id)
                await gates.end_webhook(result["resultId"], WebhookState.WAITING, "at once", again_in_s=-1)
        assert len(receiver.received) == 5
        result = await result_of(server, trace_id)
        assert (result["webhook"], result["webhookTries"], result["webhookAnswer"]) == ("failed", 5, "status 500")


async def test_who_reaches_no_outside_has_no_webhooks(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        body = {"name": "a", "rules": ["total +3%"], "baseline": {"branch": "main"}, "webhookUrl": "https://a.example"}
        refused = await server.http.post("/api/v1/gates", json=body, headers=AS_ANNA)
        assert (refused.status_code, "FLAMECHAT_WEBHOOKS" in refused.text) == (501, True)
    async with running_server(tmp_path, webhooks=Receiver()) as server:
        for wrong in ("http://a.example/", "https://user@a.example/", "https:///x", "ftp://a", "https://a b/"):
            refused = await server.http.post("/api/v1/gates", json=body | {"webhookUrl": wrong}, headers=AS_ANNA)
            assert (refused.status_code, refused.json()["field"]) == (400, "webhookUrl"), wrong


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"rules": ["be quick"]}, None),
        ({"rules": ["finding no-such-finding"]}, None),
        ({"unknown": 1}, "unknown"),
        ({"singleRun": "much"}, None),
        ({"baseline": {}}, "baseline"),
        ({"baseline": {"Branch": "x"}}, "baseline"),
        ({"labels": {"a": "\x00"}}, "labels"),
        ({"labels": {str(key): "x" for key in range(33)}}, "labels"),
        ({"labels": {"program": "a"}, "baseline": {"program": "b", "branch": "main"}}, "baseline"),
        ({"lastRuns": 0}, "lastRuns"),
    ],
)
async def test_a_gate_that_cannot_work_is_refused(tmp_path: Path, wrong: dict[str, Any], field: str | None) -> None:
    async with running_server(tmp_path) as server:
        body = {"name": "a", "rules": ["total +3%"], "baseline": {"branch": "main"}} | wrong
        refused = await server.http.post("/api/v1/gates", json=body, headers=AS_ANNA)
        assert refused.status_code in (400, 422), refused.text
        assert field is None or refused.json()["field"] == field, refused.text


async def test_what_is_accepted_stands_in_the_next_report(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        await a_baseline(server)
        await made(server, labels={"branch": "main"})
        slower = await uploaded(server, stacks(450), "branch:main", "program:app")
        await checks_of(server).check_one()
        result = await result_of(server, slower)
        assert result["outcome"] == "broken"
        accept = f"/api/v1/gates/results/{result['resultId']}/accept"
        empty = await server.http.post(accept, json={"reason": " \n"}, headers=AS_ANNA)
        assert (empty.status_code, empty.json()["field"]) == (400, "reason")
        accepted = await server.http.post(accept, json={"reason": "checksums are worth it"}, headers=AS_ANNA)
        assert accepted.json()["result"]["acceptedReason"] == "checksums are worth it"
        following = await uploaded(server, stacks(452), "branch:main", "program:app")
        await checks_of(server).check_one()
        after = await result_of(server, following)
        assert after["outcome"] == "not decidable"
        assert "needs" in after["report"]["results"][0]["reason"]
        assert any(note.endswith("checksums are worth it") for note in after["report"]["notes"])


async def test_stored_runs_are_judged_now_by_the_nearest_commit_that_has_some(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        for run in range(6):
            await uploaded(server, stacks(300, noise=run % 3), "commit:c1", "program:app")
        judged = await uploaded(server, stacks(450), "commit:c3", "program:app")
        body = {"after": [judged], "baseline": {"commit": "c2"}, "rules": ["self_share(parse) +5%"]}
        none = await server.http.post("/api/v1/gates/run", json=body, headers=AS_ANNA)
        assert (none.status_code, "commit:c2" in none.text) == (400, True)
        done = await server.http.post("/api/v1/gates/run", json=body | {"commits": ["c0", "c1"]}, headers=AS_ANNA)
        answer = done.json()
        assert (answer["judgement"]["outcome"], answer["commit"], len(answer["before"])) == ("broken", "c1", 6)
        asked = await server.http.post("/api/v1/gates/run", json=body | {"baseline": {"commit": "c1"}}, headers=AS_ANNA)
        assert (asked.json()["commit"], asked.json()["judgement"]["outcome"]) == (None, "broken")
        bens = await server.http.post("/api/v1/gates/run", json=body, headers={"Authorization": "Bearer ben"})
        assert bens.status_code == 404
