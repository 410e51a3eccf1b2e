"""A user who asks for more than anybody looks at is stopped before anything is done, and nobody else is."""

from dataclasses import replace
from pathlib import Path

import pytest

from limits.plans import LOCAL_PLAN
from server.edges.http.request_rates import RequestRates
from server.errors import TooManyAtOnce
from server.ports.identity import Caller
from server.settings import load_settings
from server.turns.admission import Admission
from tests.server.running_server import running_server

ANNA, BEN = (Caller(user_id=name, account_id=name) for name in ("anna", "ben"))
UPLOAD, LIST = ("POST", "/api/v1/traces"), ("GET", "/api/v1/traces")
PICTURE, RENDER = ("GET", "/api/v1/traces/x/flamegraph.png"), ("POST", "/api/v1/render-diff")
PROMPT, REMOVE = ("POST", "/api/v1/sessions/x/prompts"), ("DELETE", "/api/v1/traces/x")


def rates(refused: list[str]) -> RequestRates:
    """Three of each at once."""

    def bucket() -> Admission:
        return Admission(per_minute=9, what="requests", monotonic=lambda: 0.0)

    return RequestRates(uploads=bucket(), renders=bucket(), reads=bucket(), refused=refused.append)


def passed(of: RequestRates, caller: Caller, *requests: tuple[str, str]) -> int:
    count = 0
    for method, path in requests:
        try:
            of.admit(caller, method=method, path=path)
        except TooManyAtOnce:
            continue
        count += 1
    return count


def test_each_kind_of_request_has_its_own_bucket_a_user() -> None:
    refused: list[str] = []
    ours = rates(refused)
    assert passed(ours, ANNA, *[UPLOAD] * 10) == 3
    assert passed(ours, ANNA, *[PICTURE, RENDER] * 5) == 3
    assert passed(ours, ANNA, *[LIST] * 10) == 3
    assert passed(ours, BEN, UPLOAD, PICTURE, LIST) == 3
    assert refused == ["uploads_a_minute"] * 7 + ["renders_a_minute"] * 7 + ["reads_a_minute"] * 7


def test_prompts_and_removals_take_from_none() -> None:
    assert passed(rates([]), ANNA, *[PROMPT, REMOVE] * 50) == 100


def test_without_settings_nothing_is_limited_and_among_others_all_is(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = load_settings()
    assert (alone.most_uploads_per_minute, alone.most_renders_per_minute, alone.most_reads_per_minute) == (None,) * 3
    monkeypatch.setenv("FLAMECHAT_SUPABASE_URL", "http://project")
    monkeypatch.setenv("FLAMECHAT_READS_PER_MINUTE", "7")
    many = load_settings()
    assert (many.most_uploads_per_minute, many.most_renders_per_minute, many.most_reads_per_minute) == (300, 600, 7)


async def test_over_http_a_refusal_is_429_with_when_to_come_again_and_counts(tmp_path: Path) -> None:
    async with running_server(tmp_path, reads_per_minute=3, uploads_per_minute=3) as server:
        answers = [await server.http.get("/api/v1/traces", headers={"Authorization": "Bearer anna"}) for _ in range(2)]
        assert [answer.status_code for answer in answers] == [200, 429]
        assert answers[1].headers["retry-after"] == "20"
        assert answers[1].json()["detail"] == "You send requests faster than this server takes them."
        assert [(await server.upload(token=name)).status_code for name in ("anna", "anna", "ben")] == [201, 429, 201]
        metrics = await server.http.get("/metrics", headers={"Authorization": "Bearer root"})
    assert 'flamechat_refused_total{limit="uploads_a_minute"} 1.0' in metrics.text


async def test_links_programs_and_sockets_have_their_buckets_too(tmp_path: Path) -> None:
    as_ben = {"Authorization": "Bearer ben", "Accept": "application/json, text/event-stream"}
    async with running_server(
        tmp_path, plan=replace(LOCAL_PLAN, allow_public_sharing=True), reads_per_minute=9
    ) as server:
        trace_id = await server.trace_id()
        made = await server.http.put(f"/api/v1/traces/{trace_id}/link", headers={"Authorization": "Bearer anna"})
        link = made.json()["address"]
        assert [(await server.http.get(link)).status_code for _ in range(4)] == [200, 200, 200, 429]
        asked = [await server.http.post("/mcp/", json={}, headers=as_ben) for _ in range(4)]
        assert [answer.status_code == 429 for answer in asked] == [False, False, False, True]
        async with server.session(trace_id) as socket:
            join = {"type": "start_analysis", "traceId": trace_id, "sessionId": socket.ack["sessionId"]}
            for _ in range(3):
                await socket.send(**join)
            answers = [await socket.next() for _ in range(3)]
        assert [answer["type"] for answer in answers] == ["connection_ack", "connection_ack", "protocol_error"]
        assert answers[-1]["code"] == "busy"
