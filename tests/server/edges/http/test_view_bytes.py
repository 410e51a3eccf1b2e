"""A view as bytes: what has no times is laid out left heavy, and its header says so."""

import json
import struct
from pathlib import Path
from typing import Any

import pytest

from server.edges.http.view_bytes import MAGIC, ViewQuery, view_bytes
from traces.analysis.window import Window
from traces.errors import NoTimes
from traces.reader import read_trace


def header(fixtures: Path, name: str, query: ViewQuery) -> dict[str, Any]:
    data = view_bytes(read_trace((fixtures / name).read_bytes(), name=name), query, "identity")
    assert data[:4] == MAGIC
    said: dict[str, Any] = json.loads(data[8 : 8 + struct.unpack_from("<I", data, 4)[0]])
    return said


def test_what_has_no_times_comes_left_heavy_when_time_order_is_asked_for(fixtures: Path) -> None:
    asked = ViewQuery(mode="time_order")
    sums = header(fixtures, "redact-documents.cprofile.prof", asked)
    assert (sums["mode"], sums["axisStart"], sums["refKind"]) == ("left_heavy", 0.0, "node")
    assert header(fixtures, "search-index.cpuprofile.gz", asked)["mode"] == "time_order"


def test_a_window_of_what_has_no_times_is_refused(fixtures: Path) -> None:
    with pytest.raises(NoTimes, match="it has no times"):
        header(fixtures, "redact-documents.cprofile.prof", ViewQuery(mode="time_order", window=Window(0, 1)))


def test_boxes_are_coloured_by_what_is_asked_for(fixtures: Path) -> None:
    name = "sample/order-service.speedscope.json.gz"
    by_file, by_owner, by_role = (
        header(fixtures, name, ViewQuery(mode="left_heavy", palette=one)) for one in ("file", "owner", "role")
    )
    assert "own code" in [text for _, text in by_owner["legend"]]
    assert [text for _, text in by_role["legend"]] == ["thread of no known role"]
    assert by_file["frames"]["colours"] != by_owner["frames"]["colours"]
    assert {by_file["frames"]["names"][0]} == {by_owner["frames"]["names"][0]}
