"""What crosses the network until a room is usable, measured in a browser at a real server."""

from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.e2e.pages import SOME, open_room
from tests.e2e.running_server import RunningServer

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(400)]

FIRST_LOAD_BYTES = 140_000
"""Of a room: the document, scripts, styles and answers of the API, without the boxes of the chart."""


def test_the_first_load_of_a_room_is_small(page: Page, analyst_server: RunningServer, board_trace: Path) -> None:
    open_room(page, analyst_server.address, board_trace)
    room = page.url
    fresh = page.context.browser.new_context()  # type: ignore[union-attr]
    other = fresh.new_page()
    network = fresh.new_cdp_session(other)
    network.send("Network.enable")
    addresses: dict[str, str] = {}
    received: dict[str, int] = {}
    encodings: dict[str, str | None] = {}

    def answered(event: dict[str, Any]) -> None:
        addresses[event["requestId"]] = event["response"]["url"]
        headers = {name.lower(): value for name, value in event["response"]["headers"].items()}
        encodings[event["response"]["url"]] = headers.get("content-encoding")

    def finished(event: dict[str, Any]) -> None:
        received[addresses.get(event["requestId"], "")] = int(event["encodedDataLength"])

    network.on("Network.responseReceived", answered)
    network.on("Network.loadingFinished", finished)
    other.goto(room)
    expect(other.locator(".chart")).to_have_attribute("data-boxes", SOME)
    expect(other.locator(".opening")).to_be_visible()
    other.wait_for_load_state("networkidle")
    fresh.close()
    parts = {address: size for address, size in received.items() if "/view?" not in address}
    assert any("/tracks" in address for address in parts)
    assert {encodings[address] for address in parts if "/assets/" in address} == {"br"}
    assert any("/assets/room-" in address for address in parts)
    assert 60_000 < sum(parts.values()) <= FIRST_LOAD_BYTES


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
def test_a_trace_in_the_list_of_a_library_is_at_most_300_bytes(analyst_server: RunningServer, encoding: str) -> None:
    address = f"{analyst_server.address}/api/v1/traces"
    schema = "https://www.speedscope.app/file-format-schema.json"
    times = {"unit": "milliseconds", "startValue": 0, "endValue": 5, "samples": [[0]], "weights": [5]}
    for place in range(12):
        profile = {"type": "sampled", "name": f"thread {place}"} | times
        file = {"$schema": schema, "shared": {"frames": [{"name": f"work_{place}"}]}, "profiles": [profile]}
        httpx.post(address, params={"name": f"recording {place} of a week.json"}, json=file, timeout=60)
    with httpx.stream(
        "GET", address, params={"limit": 50}, headers={"accept-encoding": encoding}, timeout=60
    ) as answer:
        sent = b"".join(answer.iter_raw())
        assert answer.headers["content-encoding"] == encoding
    rows = httpx.get(address, params={"limit": 50}, timeout=60).json()["traces"]
    assert len(rows) >= 12
    assert len(sent) <= 300 * len(rows)
