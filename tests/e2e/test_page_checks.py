"""Checked answers on the page: what was not verified is underlined there, the rest names its source on demand."""

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Scripted
from tests.e2e.pages import ask, expect_status, open_room
from tests.e2e.running_server import RunningServer
from tests.openai_endpoint import Reply

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(400)]

LOOK = Reply(text="I look.", calls=(("get_top_functions", '{"limit": 5}'),))
ANSWER = """🐢 In the whole, **412.7 ms** are spent in `subsequenceScore` and `notThere`.

| function | self |
|---|--:|
| `filterCards` | 77.7 ms |

See [something else](f99999)."""
INVENTED = ["412.7 ms", "notThere", "77.7 ms", "something else"]


def answered(page: Page, server: RunningServer, trace: Path) -> None:
    open_room(page, server.address, trace)
    ask(page)
    expect_status(page, "completed")


def test_what_was_not_verified_is_underlined_and_says_so(
    page: Page, model_server: RunningServer, scripted: Scripted, board_trace: Path
) -> None:
    with scripted(LOOK, Reply(text=ANSWER), Reply(text=ANSWER)):
        answered(page, model_server, board_trace)
    claims = page.locator(".claim:is([data-status=contradicted], [data-status=not_found])")
    expect(claims).to_have_text(INVENTED)
    expect(claims.first).to_have_css("text-decoration-style", "wavy")
    expect(page.get_by_role("tooltip")).to_have_count(0)
    claims.first.hover()
    expect(page.get_by_role("tooltip")).to_contain_text("Not so. The trace says: self 1.15 s")
    page.get_by_label("Ask about this trace").focus()
    page.mouse.move(0, 0)
    expect(page.get_by_role("tooltip")).to_have_count(0)
    claims.nth(1).focus()
    expect(page.get_by_role("tooltip")).to_contain_text("has this name")
    page.reload()
    expect(claims).to_have_text(INVENTED)


def test_what_was_verified_names_its_source_once_the_list_is_open(
    page: Page, model_server: RunningServer, scripted: Scripted, board_trace: Path
) -> None:
    with scripted(LOOK, Reply(text=ANSWER), Reply(text=ANSWER)):
        answered(page, model_server, board_trace)
    verified = page.locator(".claim[data-status=verified]").first
    expect(verified).to_have_text("subsequenceScore")
    verified.hover()
    expect(page.get_by_role("tooltip")).to_have_count(0)
    page.locator(".checks summary").click()
    expect(verified).to_have_css("text-decoration-style", "dotted")
    page.get_by_role("button", name="subsequenceScore in the trace").click()
    verified.hover()
    expect(page.get_by_role("tooltip")).to_contain_text("Looked up with: Top functions")
    assert [one["id"] for one in Axe().run(page).response["violations"]] == []


def test_what_does_not_exist_is_never_linked(
    page: Page, model_server: RunningServer, scripted: Scripted, board_trace: Path
) -> None:
    with scripted(LOOK, Reply(text=ANSWER), Reply(text=ANSWER)):
        answered(page, model_server, board_trace)
    expect(page.locator(".turn .prose").last).to_contain_text("something else")
    expect(page.get_by_role("link", name="something else")).to_have_count(0)


FIGURES = """`subsequenceScore` takes [1.15 s](#p0.f62.self) itself.

`subsequenceScore` takes [1.38×](#f62.self/f66.self) as much as `measureColumns`.

`measureColumns` takes [999 ms](#f66.self) itself.

`filterCards` takes [46.8 %](#f62.self/p0) of the time."""


def test_each_kind_of_mark_is_seen_and_a_click_on_a_figure_arrives(
    page: Page, model_server: RunningServer, scripted: Scripted, board_trace: Path
) -> None:
    with scripted(LOOK, Reply(text=FIGURES), Reply(text=FIGURES)):
        answered(page, model_server, board_trace)
    page.locator(".checks summary").click()
    for figure, status in {
        "1.15 s": "verified",
        "1.38×": "derived",
        "999 ms": "contradicted",
        "46.8 %": "unchecked",
    }.items():
        claim = page.locator(f".claim[data-status={status}]").filter(has_text=figure)
        expect(claim).to_have_count(1)
    page.locator(".claim[data-status=contradicted]").hover()
    expect(page.get_by_role("tooltip")).to_contain_text("833 ms")
    page.locator(".claim[data-status=unchecked]").first.hover()
    expect(page.get_by_role("tooltip")).to_contain_text("subsequenceScore")
    page.get_by_role("link", name="1.15 s").click()
    chart = page.locator(".chart")
    expect(chart).to_have_attribute("data-selected", "f62")
    expect(chart).to_have_attribute("data-profile", "p0")
