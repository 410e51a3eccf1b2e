"""A stored trace as another tool's file, over real HTTP."""

import gzip
import json
from pathlib import Path

import pytest

from tests.server.running_server import STACKS, running_server
from tests.server.talking import AS_ANNA
from traces.reader import read_trace


@pytest.mark.parametrize("target", ["speedscope", "pprof", "collapsed"])
async def test_a_trace_is_given_out_in_another_format_and_leaves_no_file(tmp_path: Path, target: str) -> None:
    async with running_server(tmp_path) as server:
        made = await server.upload(STACKS, 'a "b"\r\nc<d>.txt')
        trace_id = made.json()["trace"]["traceId"]
        answer = await server.http.get(f"/api/v1/traces/{trace_id}/export", params={"format": target}, headers=AS_ANNA)
        assert answer.status_code == 200, answer.text
        disposition = answer.headers["content-disposition"]
        assert disposition.startswith('attachment; filename="a-b')
        assert not set("<>\r\n") & set(disposition)
        again, original = read_trace(answer.content, name="again"), read_trace(STACKS, name="stacks.txt")
        assert sorted(again.frame_names) == sorted(original.frame_names)
        assert list(tmp_path.iterdir()) == []


async def test_what_a_format_cannot_hold_is_refused_in_words(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        path = f"/api/v1/traces/{await server.trace_id()}/export"
        for bad in ({"format": "chrome"}, {"format": "svg"}, {"profile": "p99"}):
            answer = await server.http.get(path, params=bad, headers=AS_ANNA)
            assert answer.status_code in (400, 404, 422), (bad, answer.text)
            assert answer.json()["detail"]
        speedscope = await server.http.get(path, params={"profile": "p0"}, headers=AS_ANNA)
        assert json.loads(gzip.decompress(speedscope.content))["profiles"]
        assert list(tmp_path.iterdir()) == []
