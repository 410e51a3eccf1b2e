"""What crosses the network until a room is usable, measured in a browser at a real server."""

from pathlib import Path
from typing import Any

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
