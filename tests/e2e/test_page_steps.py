"""What a turn does, as one line while it runs and once it is over."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from server.agent.outside.web_tools import WEB_TOOLS
from server.agent.tools.all_tools import TOOLS
from tests.e2e.pages import ask, expect_status, open_room
from tests.e2e.running_server import RunningServer
from tests.e2e.scripted_turns import Event, ScriptedTurns

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(400)]

TREE = "100.0%  0.0% n0 (all)\n 98.1%  1.0%  n1 first\n 40.0%  2.0%   n2 second"
COLUMNS = ["kind", "count", "ms"]
QUERIED = {"columns": COLUMNS, "rows": [["<i>launch</i>", 1154, 606.25]]}
TABLE = {"columns": ["name", "self"], "rows": [["f62", "46.8%"], ["<b>bold</b>", "12%"]]}


def started(call: str, tool: str, message: str) -> Event:
    return {"type": "tool_start", "toolCallId": call, "toolName": tool, "args": {}, "message": message}


def ended(call: str, tool: str, status: str, **fields: Any) -> Event:
    nothing = {"imageUrl": None, "table": None, "uiPayload": None, "truncated": False, "number": None}
    event = {"type": "tool_result", "toolCallId": call, "toolName": tool, "status": status, "resultType": "text"}
    return {**event, "textContent": "what came back", **nothing, **fields}


def test_steps_are_one_line_whose_cards_say_what_they_found_and_only_failures_are_red(
    page: Page, analyst_server: RunningServer, board_trace: Path
) -> None:
    failure = {"type": "tool_error", "toolCallId": "c", "toolName": "query_trace", "code": "execution"}
    over = [
        started("a", "get_top_functions", "Finding the top functions"),
        ended("a", "get_top_functions", "success", table=TABLE),
        started("b", "get_call_tree", "Reading the call tree"),
        ended("b", "get_call_tree", "success_with_warning", textContent=TREE),
        started("c", "query_trace", "Asking by SQL"),
        {**failure, "message": "There is no such column."},
        started("d", "tool_of_tomorrow", "Doing what nobody knows yet"),
        ended("d", "tool_of_tomorrow", "success"),
        started("e", "query_trace", "Asking by SQL"),
        ended("e", "query_trace", "success", table=QUERIED),
    ]
    ScriptedTurns(page, over, [started("f", "get_call_tree", "Reading the call tree"), {"type": "pause"}])
    open_room(page, analyst_server.address, board_trace)
    ask(page)
    expect_status(page, "completed")
    summary = page.locator(".steps > summary")
    expect(summary).to_have_text("5 steps, 1 failed")
    cards = page.locator(".tool")
    expect(cards.first).to_be_hidden()
    summary.click()
    expect(cards).to_have_count(5)
    cards.nth(0).locator("summary").click()
    expect(cards.nth(0).locator("td meter")).to_have_count(2)
    expect(cards.nth(0).locator("td").nth(2)).to_have_text("<b>bold</b>")
    expect(cards.nth(0).get_by_role("button", name="Show in chart")).to_be_visible()
    expect(cards.nth(3)).to_contain_text("Tool of tomorrow")
    cards.nth(3).locator("summary").click()
    expect(cards.nth(3)).to_contain_text("what came back")

    cards.nth(4).locator("summary").click()
    expect(cards.nth(4).locator("th")).to_have_text(COLUMNS)
    expect(cards.nth(4).locator("td.align-right")).to_have_text(["1154", "606.25"])
    cards.nth(1).locator("summary").click()
    cards.nth(1).get_by_role("link", name="n2", exact=True).click()
    expect(page.locator(".chart")).to_have_attribute("data-selected-name", "makeCards")

    def colour(card: int) -> str:
        return str(cards.nth(card).locator(".tool-state").evaluate("one => getComputedStyle(one).color"))

    assert colour(1) == colour(0), "a warning is as quiet as what went well"
    assert colour(2) != colour(0)
    ask(page)
    expect(page.locator(".waiting")).to_contain_text("Reading the call tree, 1 s")
    expect(page.locator(".steps > summary").last).to_have_text("1 step")


def test_every_tool_of_ours_and_every_foreign_one_has_its_card(
    page: Page, analyst_server: RunningServer, board_trace: Path
) -> None:
    names = [*(tool.name for tool in (*TOOLS, *WEB_TOOLS)), "tracker_close_issue", "every_get-sum", "x" * 64]
    calls = {f"c{number}": name for number, name in enumerate(names)}
    over = [
        event
        for call, name in calls.items()
        for event in (started(call, name, f"It runs {call}."), ended(call, name, "success", textContent=f"out {call}"))
    ]
    ScriptedTurns(page, over)
    open_room(page, analyst_server.address, board_trace)
    ask(page)
    expect_status(page, "completed")
    page.locator(".steps > summary").click()
    cards = page.locator(".tool")
    expect(cards).to_have_count(len(names))
    page.eval_on_selector_all(".tool details", "all => all.forEach((one) => (one.open = true))")
    expect(page.locator(".tool pre")).to_have_text([f"out {call}" for call in calls])
    shown = cards.locator(".tool-name").all_inner_texts()
    assert len(set(shown)) == len(names), "each by its own name"
    assert [one for one in shown if not one or "_" in one] == []
