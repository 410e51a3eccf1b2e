"""A trace full of names that would like to be markup, opened, clicked through and asked about on the page."""

from pathlib import Path

import pytest
from playwright.sync_api import Dialog, Page, Request, expect

from tests.e2e.pages import ask, expect_status, open_room, saved_conversation
from tests.e2e.running_server import RunningServer
from tests.hostile.names import MARK, NAMES, chrome, speedscope

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(400)]

SHORT = [name[:2000] for name in NAMES.values()]
MARKUP_FIRST = sorted(SHORT, key=lambda name: "onerror" not in name)

STRANGERS = """() => {
  const here = location.origin;
  const told = [];
  const tell = (one) => told.push(one.outerHTML.slice(0, 200));
  document.querySelectorAll('iframe, object, embed, base, form[action], meta[http-equiv], svg script').forEach(tell);
  for (const one of document.querySelectorAll('script')) if (!one.src.startsWith(here)) tell(one);
  for (const one of document.querySelectorAll('img')) {
    if (one.src && !one.src.startsWith(here) && !/^(blob|data):/.test(one.src)) tell(one);
  }
  for (const one of document.querySelectorAll('a[href], [xlink\\\\:href]')) {
    if (one.origin !== here && !(one.rel || '').includes('noopener')) tell(one);
    if (/evil\\.example|javascript:/.test(one.href)) tell(one);
  }
  for (const one of document.querySelectorAll('*')) {
    for (const name of one.getAttributeNames()) if (name.startsWith('on')) tell(one);
  }
  if (window.pwned !== undefined) told.push('a script of the trace has run');
  return told;
}"""
"""Elements that only a name could have brought in."""


def test_a_stranger_on_the_page_would_be_seen(page: Page, analyst_server: RunningServer) -> None:
    page.goto(analyst_server.address)
    assert page.evaluate(STRANGERS) == []
    for markup in ("<a href='javascript:alert(1)'>x</a>", "<form action='/'></form>"):
        page.evaluate("markup => document.body.insertAdjacentHTML('beforeend', markup)", markup)
    assert len(page.evaluate(STRANGERS)) >= 2


@pytest.mark.parametrize("write", [speedscope, chrome])
def test_no_name_becomes_markup_a_request_or_a_script(
    page: Page, analyst_server: RunningServer, tmp_path: Path, write: type
) -> None:
    requests: list[str] = []
    dialogs: list[str] = []

    def record_request(request: Request) -> None:
        if not request.url.startswith((analyst_server.address, "data:", "blob:")):
            requests.append(request.url)

    def asked(dialog: Dialog) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    page.on("request", record_request)
    page.on("dialog", asked)
    trace = tmp_path / "<img src=x onerror=window.pwned=1> [x](javascript:alert(1)).json"
    trace.write_bytes(write(MARKUP_FIRST))
    open_room(page, analyst_server.address, trace)
    assert page.evaluate(STRANGERS) == []
    for question in (
        "Why is this slow?",
        f"What about `{MARK}`?",
        "What are the top 40 functions?",
        "Which threads are there?",
    ):
        ask(page, question)
        expect_status(page, "completed")
        assert page.evaluate(STRANGERS) == []
    expect(page.locator(".turn").first).to_contain_text(MARK)
    page.reload()
    expect(page.locator(".turn").first).to_contain_text(MARK)
    assert page.evaluate(STRANGERS) == []
    saved = saved_conversation(page, "Page", tmp_path)
    page.goto(saved.as_uri())
    expect(page.locator("section").first).to_contain_text(MARK)
    assert page.locator("script, iframe, svg, form, base, link, [onerror], [onload]").count() == 0
    assert page.locator("a[href]:not([href^='http'])").count() == 0
    assert page.evaluate("window.pwned") is None
    requests = [url for url in requests if url != saved.as_uri()]
    assert (requests, dialogs) == ([], [])
