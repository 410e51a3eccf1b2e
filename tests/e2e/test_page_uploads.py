"""What the page says of an upload that the server has and has not yet read."""

import json
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import psutil
import pytest
from playwright.sync_api import Page, Route, expect

from tests.e2e.pages import ROOM
from tests.e2e.running_server import RunningServer, running_server

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(400)]


SENT_AT_ONCE = """
const send = XMLHttpRequest.prototype.send;
XMLHttpRequest.prototype.send = function (body) {
    send.call(this, body);
    setTimeout(() => this.upload.onload?.(), 0);
};
"""
"""A request that a test holds is never sent: the page is made to believe that it was."""


def test_an_upload_shows_its_place_in_the_line_and_the_bytes_that_were_read(
    page: Page, analyst_server: RunningServer, board_trace: Path
) -> None:
    progress = {"uploadId": "", "stage": "waiting", "place": 3, "bytesRead": None, "bytes": 30_000_000}
    requests: list[Route] = []
    page.route("**/api/v1/uploads", lambda route: route.fulfill(body=json.dumps({"uploads": [progress]})))

    def hold(route: Route) -> None:
        if route.request.method != "POST":  # the list of traces
            return route.fallback()
        progress["uploadId"] = route.request.url.rpartition("upload=")[2]
        requests.append(route)
        return None

    page.route("**/api/v1/traces?*", hold)
    page.add_init_script(SENT_AT_ONCE)
    page.goto(analyst_server.address)
    page.set_input_files("input[type=file]", board_trace)
    upload = page.locator(".upload")
    expect(upload.get_by_role("status")).to_have_text("Waiting to be read, 3rd in line")
    progress |= {"stage": "reading", "place": None, "bytesRead": 12_000_000}
    expect(upload.get_by_role("status")).to_have_text("12.0 MB of 30.0 MB read")
    expect(upload.get_by_role("progressbar")).to_have_attribute("value", "0.4")
    requests[0].continue_()
    page.wait_for_url(ROOM)


@contextmanager
def halted_while_it_reads(server: RunningServer) -> Iterator[None]:
    """The server's worker processes stand still once one has reported how much of an upload it has read."""
    deadline = time.monotonic() + 120
    while True:
        uploads = httpx.get(f"{server.address}/api/v1/uploads", timeout=60).json()["uploads"]
        if any(upload["bytesRead"] for upload in uploads):
            workers = [one for one in psutil.Process(server.process).children() if "anyio.to_process" in one.cmdline()]
            break
        assert time.monotonic() < deadline, "nothing was told of the upload"
    for worker in workers:
        worker.suspend()
    try:
        yield
    finally:
        for worker in workers:
            worker.resume()


def test_the_bar_of_a_large_upload_moves_with_the_bytes_that_were_read(page: Page, tmp_path: Path) -> None:
    large = tmp_path / "large.txt"
    with large.open("wb") as lines:
        for number in range(400_000):
            lines.write(b"main;f%d;g%d;h%d 3\n" % (number % 99, number % 9999, number))
    with running_server(tmp_path / "data", {}) as server:
        page.goto(server.address)
        page.set_input_files("input[type=file]", large)
        said = page.locator(".upload").get_by_role("status")
        with halted_while_it_reads(server):
            expect(said).to_have_text(re.compile(r"[\d.]+ [kM]?B of [\d.]+ MB read|All [\d.]+ MB read"))
        page.wait_for_url(ROOM, timeout=300_000)
        page.context.close()
