"""The diff of two traces, as the page's chart gets it."""

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.server.running_server import RunningServer, running_server

AS_ANNA = {"Authorization": "Bearer anna"}

BEFORE = b"main;parse;read 400\nmain;parse 100\nmain;log 60\n"
AFTER = b"main;parse;read 900\nmain;parse 100\nmain;paint 40\n"


async def both(server: RunningServer, before: bytes = BEFORE) -> tuple[str, str]:
    first = (await server.upload(before, "before.txt")).json()["trace"]["traceId"]
    return first, (await server.upload(AFTER, "after.txt")).json()["trace"]["traceId"]


def boxes_of(content: bytes) -> tuple[dict[str, Any], dict[str, tuple[float, float]]]:
    """The header, and by name what each box weighs now and weighed before."""
    (length,) = struct.unpack_from("<I", content, 4)
    header = json.loads(content[8 : 8 + length])
    columns = {
        one["name"]: np.frombuffer(content, one["dtype"], one["length"], one["offset"]) for one in header["columns"]
    }
    names = dict(zip(header["frames"]["ids"], header["frames"]["names"], strict=True))
    now = columns["end"] - columns["start"]
    rows = zip(columns["frame"].tolist(), now.tolist(), columns["before"].tolist(), strict=True)
    return header, {names[frame]: (new, old) for frame, new, old in rows}


async def test_a_diff_holds_what_each_path_weighs_and_weighed(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        before, after = await both(server)
        path = f"/api/v1/traces/{after}/view"
        answer = await server.http.get(path, params={"mode": "diff", "before": before}, headers=AS_ANNA)
        header, boxes = boxes_of(answer.content)
        assert boxes == {"main": (1040, 560), "parse": (1000, 500), "read": (900, 400), "paint": (40, 0)}
        assert header["diff"]["vanished"] == [{"name": "log", "value": 60}]
        assert (header["diff"]["name"], header["diff"]["whole"], header["diff"]["scale"]) == ("before.txt", 560, 1)
        assert header["boxes"] == header["rowOffsets"][-1] == 4


async def test_shares_scale_what_was_to_the_weight_of_what_is(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        before, after = await both(server, AFTER.replace(b"00", b"0").replace(b"40", b"4"))
        path = f"/api/v1/traces/{after}/view"
        parameters = {"mode": "diff", "before": before, "compare": "shares"}
        _, boxes = boxes_of((await server.http.get(path, params=parameters, headers=AS_ANNA)).content)
        assert all(new == pytest.approx(old) for new, old in boxes.values())


async def test_a_bound_on_boxes_keeps_the_widest_with_their_callers(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        before, after = await both(server)
        path = f"/api/v1/traces/{after}/view"
        parameters = {"mode": "diff", "before": before, "maxBoxes": "2"}
        header, boxes = boxes_of((await server.http.get(path, params=parameters, headers=AS_ANNA)).content)
        assert list(boxes) == ["main", "parse"]
        assert (header["total"], header["merged"], header["rowOffsets"]) == (4, 2, [0, 1, 2, 2])


async def test_only_a_diff_takes_another_trace_and_only_one_of_the_callers(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        before, after = await both(server)
        path = f"/api/v1/traces/{after}/view"

        async def status(**parameters: str) -> int:
            return (await server.http.get(path, params=parameters, headers=AS_ANNA)).status_code

        assert await status(mode="diff") == 400
        assert await status(mode="left_heavy", before=before) == 400
        assert await status(mode="diff", before="nowhere") == 404
        theirs = (await server.upload(BEFORE, "theirs.txt", "ben")).json()["trace"]["traceId"]
        assert await status(mode="diff", before=theirs) == 404
