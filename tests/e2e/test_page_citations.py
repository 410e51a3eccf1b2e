"""A click on anything that an answer cites moves the chart there, in every trace, with one request at most."""

import re
import sys
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, Request, expect

from tests.conftest import FIXTURES
from tests.e2e.many_threads import written
from tests.e2e.pages import ask, expect_status, open_room
from tests.e2e.running_server import RunningServer, running_server

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(400)]

CHROME = ("traces/chrome-100mb.json.gz", "traces/chrome-20mb.json.gz")
FIREFOX = ("traces/firefox-gecko-profile.json.gz",)
SAMPLES = (
    "samples/chrome-trace.catapult-perf-sampling.json.gz",
    "samples/jfr.jmc-wldf.jfr.gz",
    "samples/chrome-trace.catapult-lthi-cats.json.gz",
    "samples/chrome-trace.lighthouse-amp-m86.json.gz",
)
"""All of the samples that have 30 threads or more."""
OTHERS = ("traces/perf-multi-pid.linux-perf.txt.gz",)
MANY = 30
UPLOAD_MS = 180_000
"""The largest of them take a busy machine longer to read than other tests wait for."""
SUBJECT = re.compile(r"#(?:[pwciq][0-9]+\.)?([fpns][0-9]+)(?:\.|$)")
"""The thing of the trace in the address of a citation, or of a figure about it."""


def clicks_every_citation(page: Page) -> int:
    """How many links there are, all clicked: each selects something, or goes to a thread, and where all of them are is
    asked for once."""
    asked: list[str] = []

    def seen(request: Request) -> None:
        if "/places?" in request.url:
            asked.append(request.url)

    page.on("request", seen)
    chart = page.locator(".chart")
    page.evaluate("() => document.querySelectorAll('.turn details').forEach((one) => (one.open = true))")
    links = page.locator(".turn .prose a.citation")
    count = links.count()
    for index in range(count):
        link = links.nth(index)
        before = len(asked)
        link.click()
        href = str(link.get_attribute("href"))
        expect(chart).to_have_attribute("aria-busy", "false")
        thing = SUBJECT.match(href)
        assert thing is not None, href
        if thing[1].startswith("p"):
            expect(chart).to_have_attribute("data-profile", thing[1])
        elif thing[1].startswith("f"):
            expect(chart).to_have_attribute("data-selected", thing[1])
        else:
            expect(chart).to_have_attribute("data-selected", re.compile("."))
        if link.get_attribute("data-window"):
            expect(page).to_have_url(re.compile(r"[?&]start=\d"))
        assert len(asked) - before <= 1, href
        assert "not found" not in chart.inner_text()
        assert "not in this trace" not in chart.inner_text()
    page.remove_listener("request", seen)
    assert len(asked) <= 1, asked
    return count


def threads_of(server: RunningServer, page: Page) -> int:
    """How many threads the list over the chart has of the open trace."""
    trace = page.url.partition("/t/")[2].partition("/")[0]
    rows = httpx.get(f"{server.address}/api/v1/traces/{trace}/tracks", timeout=60).json()["tracks"]
    return sum(row["viewOf"] is None for row in rows)


@pytest.mark.long
def test_every_citation_among_fifty_threads_is_found(page: Page, analyst_server: RunningServer, tmp_path: Path) -> None:
    open_room(page, analyst_server.address, written(tmp_path))
    expect(page.locator(".chart")).to_have_attribute("data-profile", "p30")
    ask(page)
    expect_status(page, "completed")
    expect(page.locator(".turn .prose a.citation.figure").first).to_be_visible()
    expect(page.locator(".turn .prose span.figure")).to_have_count(0)
    assert clicks_every_citation(page) > 2


@pytest.mark.long
def test_what_another_thread_alone_runs_is_found_there_and_a_link_to_nothing_says_so(
    page: Page, analyst_server: RunningServer, tmp_path: Path
) -> None:
    open_room(page, analyst_server.address, written(tmp_path))
    chart = page.locator(".chart")
    page.goto(f"{page.url}#f4")
    expect(chart).to_have_attribute("data-selected-name", "flush_28")
    expect(chart).to_have_attribute("data-profile", "p27")
    page.goto(f"{page.url.partition('#')[0]}#f99999")
    expect(chart.get_by_role("alert")).to_contain_text("f99999 is not in this trace")


@pytest.mark.long
def test_a_tools_text_and_picture_lead_into_the_chart(
    page: Page, analyst_server: RunningServer, tmp_path: Path
) -> None:
    open_room(page, analyst_server.address, written(tmp_path))
    ask(page)
    expect_status(page, "completed")
    chart = page.locator(".chart")
    page.get_by_role("button", name="Show in chart").first.click()
    expect(chart).to_have_attribute("data-mode", "left_heavy")
    page.locator(".steps > summary").first.click()
    card = page.locator(".tool", has_text="Top functions").first
    card.locator("summary").first.click()
    expect(card.locator("td meter").first).to_be_visible()
    page.get_by_role("tab", name="Time order").click()
    expect(chart).to_have_attribute("data-mode", "time_order")
    card.get_by_role("button", name="Show in chart").click()
    expect(chart).to_have_attribute("data-mode", "left_heavy")
    card.locator("pre a.citation").first.click()
    expect(chart).to_have_attribute("data-selected", str(card.locator("pre a.citation").first.inner_text()))


@pytest.mark.long
def test_every_finding_and_every_handle_of_a_step_leads_into_the_chart(
    page: Page, analyst_server: RunningServer, tmp_path: Path
) -> None:
    open_room(page, analyst_server.address, written(tmp_path))
    chart = page.locator(".chart")
    findings = page.locator(".findings li button[title='Show in the chart']")
    expect(findings.first).to_be_visible()
    assert findings.count() > 1
    for finding in findings.all():
        expect(finding.locator(".note")).to_contain_text(re.compile(r" · .*(main|PoolWorker)"))
        page.get_by_label("Ask about this trace").focus()
        finding.click()
        expect(finding).to_have_attribute("aria-current", "true")
        expect(chart).to_have_attribute("aria-busy", "false")
        thread = "p30" if "main" in finding.locator(".note").inner_text() else re.compile("p(?!30$)")
        expect(chart).to_have_attribute("data-profile", thread)
        expect(chart.get_by_role("alert")).to_have_count(0)
    ask(page)
    expect_status(page, "completed")
    page.locator(".steps > summary").first.click()
    page.eval_on_selector_all(".tool details", "all => all.forEach((one) => (one.open = true))")
    expect(page.locator(".tool pre").first).to_be_visible()
    handles: dict[str, int] = {}
    links = page.locator(".tool a.citation")
    for place, handle in enumerate(links.all_inner_texts()):
        handles.setdefault(handle, place)
    assert {handle[0] for handle in handles} >= {"f", "n"}
    for handle, place in handles.items():
        links.nth(place).click()
        expect(chart).to_have_attribute("aria-busy", "false")
        if handle[0] in "fp":
            name = "data-selected" if handle.startswith("f") else "data-profile"
            expect(chart).to_have_attribute(name, handle)
        else:
            expect(chart).to_have_attribute("data-selected", re.compile("f"))
        expect(chart.get_by_role("alert")).to_have_count(0)


@pytest.mark.long
@pytest.mark.timeout(900)
def test_every_citation_of_large_recordings_is_found(page: Page, shared: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    written_here = [written(tmp_path), written(tmp_path / "other", threads=36)]
    with_many = [*written_here, *(shared / name for name in (*CHROME, *SAMPLES, *OTHERS))]
    files = [FIXTURES / "board.chrome-object.json.gz", FIXTURES / "settlement.go-heap.pb.gz"]
    found, threads = {}, {}
    page.set_default_timeout(UPLOAD_MS)
    with running_server(tmp_path / "server", {}) as server:
        for file in [*files, *with_many, *(shared / name for name in FIREFOX)]:
            open_room(page, server.address, file)
            threads[file] = threads_of(server, page)
            ask(page)
            expect_status(page, "completed")
            found[file] = clicks_every_citation(page)
    sys.stdout.write("".join(f"{file.name}: {threads[file]} threads, {links} links\n" for file, links in found.items()))
    assert len(found) == 12
    assert all(found.values())
    assert [threads[file] for file in written_here] == [50, 36]
    assert all(threads[file] >= MANY for file in with_many)
