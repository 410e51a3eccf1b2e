"""Recordings from elsewhere: fetched by the browser from another site, or handed over by the window of another site."""

import http.server
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.e2e.pages import ROOM, SOME
from tests.e2e.running_server import RunningServer

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(400)]

RECORDING = b"main;read 30\nmain;draw 10\n"
NAME = "%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E%E2%80%AEtxt.folded"
PHONE = (390, 844)
SENDER = """<!doctype html><title>Sender</title><script>
addEventListener("message", ({ data, origin, source }) => {
  if (data.type === "flamechat:ready") {
    source.postMessage({ type: "other" }, origin);
    source.postMessage({ type: "flamechat:recording", name: "handed.folded", recording: "main;read 30" }, origin);
  }
  if (data.type === "flamechat:taken") document.title = "Taken";
});
</script>"""


@dataclass
class OtherSite:
    address: str
    agents: list[str] = field(default_factory=list)
    """Who asked for recordings."""


@contextmanager
def serving(answer: Any) -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), answer)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(timeout=30)


@pytest.fixture
def other_site() -> Iterator[OtherSite]:
    site = OtherSite("")

    class Answers(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            is_page = self.path == "/sender"
            if not is_page:
                site.agents.append(self.headers.get("User-Agent", ""))
                assert "Cookie" not in self.headers
                assert "Referer" not in self.headers
            body = SENDER.encode() if is_page else RECORDING
            self.send_response(404 if self.path == "/missing" else 200)
            self.send_header("Content-Type", "text/html" if is_page else "application/octet-stream")
            self.send_header("Content-Length", str(len(body)))
            if self.path != "/closed":
                self.send_header("Access-Control-Allow-Origin", "*")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Nothing is written of requests."""

    with serving(Answers) as address:
        site.address = address
        yield site


def traces(server: RunningServer) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = httpx.get(f"{server.address}/api/v1/traces", timeout=60).json()["traces"]
    return listed


def violations(page: Page) -> list[str]:
    return [one["id"] for one in Axe().run(page).response["violations"]]


def test_an_address_is_fetched_by_the_browser_and_uploaded_after_a_click(
    page: Page, analyst_server: RunningServer, other_site: OtherSite
) -> None:
    before = len(traces(analyst_server))
    page.goto(f"{analyst_server.address}/open?url={other_site.address}/deep/{NAME}")
    expect(page.get_by_text("<img src=x onerror=alert(1)>")).to_be_visible()
    expect(page.get_by_text(f"{len(RECORDING)} B", exact=True)).to_be_visible()
    assert page.locator("main img").count() == 0
    assert len(traces(analyst_server)) == before
    for shade in ("light", "dark"):
        for width, height in ((1400, 900), PHONE):
            page.emulate_media(color_scheme=shade)
            page.set_viewport_size({"width": width, "height": height})
            assert violations(page) == []
            assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    upload = page.get_by_role("button", name="Upload and open")
    upload.focus()
    upload.press("Enter")
    page.wait_for_url(ROOM)
    expect(page.locator(".chart")).to_have_attribute("data-boxes", SOME)
    assert len(traces(analyst_server)) == before + 1
    assert [re.search("Chrome", agent) is not None for agent in other_site.agents] == [True]
    assert "connect-src 'self';" in page.request.get(page.url).headers["content-security-policy"]


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("{site}/closed", "does not let pages of other sites read this address"),
        ("{site}/missing", "answered 404"),
        ("http://example.com/a.json", "Only addresses with https://"),
        ("{server}/api/v1/traces", "an address of this server"),
        ("<img src=x onerror=alert(1)>", "no address"),
    ],
)
def test_what_is_not_fetched_is_said(
    browser: Browser, analyst_server: RunningServer, other_site: OtherSite, path: str, reason: str
) -> None:
    page = browser.new_page(
        reduced_motion="reduce"
    )  # without those of fixtures: the browser itself writes of a refusal
    address = path.format(site=other_site.address, server=analyst_server.address)
    page.goto(f"{analyst_server.address}/open?url={address}")
    expect(page.get_by_role("alert")).to_contain_text(reason)
    expect(page.get_by_role("button", name="Upload and open")).to_have_count(0)
    assert page.locator("main img").count() == 0
    assert violations(page) == []
    page.close()


def test_the_window_that_opened_the_page_hands_a_recording_over(
    page: Page, analyst_server: RunningServer, other_site: OtherSite
) -> None:
    before = len(traces(analyst_server))
    page.goto(f"{other_site.address}/sender")
    with page.expect_popup() as opened:
        page.evaluate("address => { window.open(address); }", f"{analyst_server.address}/open")
    here = opened.value
    expect(here.get_by_text("handed.folded")).to_be_visible()
    expect(here.get_by_text(other_site.address)).to_be_visible()
    expect(page).to_have_title("Taken")
    here.evaluate("postMessage({ type: 'flamechat:recording', name: 'own.folded', recording: 'main 1' }, '*')")
    assert len(traces(analyst_server)) == before
    here.get_by_role("button", name="Upload and open").click()
    here.wait_for_url(ROOM)
    expect(here.locator(".chart")).to_have_attribute("data-boxes", SOME)
    assert here.evaluate("window.opener") is None
    assert traces(analyst_server)[0]["name"] == "handed.folded"
    here.goto(f"{analyst_server.address}/open")
    expect(here.get_by_text("An address like /open?url=")).to_be_visible()
