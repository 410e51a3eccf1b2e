"""Names of characters in answers, which the built page leaves to the browser."""

import html.entities
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.pages import ask, expect_status, open_room
from tests.e2e.running_server import RunningServer
from tests.e2e.scripted_turns import ScriptedTurns

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(400)]

NO_NAMES = ["&nosuchname;", "&ltx;", "&amp", "&NotEqual", "&lt<b>;"]


def test_every_name_of_html_is_its_character_and_nothing_else_is(
    page: Page, analyst_server: RunningServer, board_trace: Path
) -> None:
    names = sorted(name for name in html.entities.html5 if name.endswith(";"))
    assert len(names) > 2000
    lines = [f"- `{name}` is ({'&' + name})" for name in names] + [f"- ({text})" for text in NO_NAMES]
    ScriptedTurns(page, [{"type": "answer", "text": "\n".join(lines), "citations": []}])
    open_room(page, analyst_server.address, board_trace)
    ask(page)
    expect_status(page, "completed")
    items = page.locator(".turn .prose li")
    expect(items).to_have_count(len(lines))
    shown = items.evaluate_all("items => items.map((one) => one.textContent)")
    expected = [f"{name} is ({html.entities.html5[name]})" for name in names] + [f"({text})" for text in NO_NAMES]
    assert [pair for pair in zip(shown, expected, strict=True) if pair[0] != pair[1]] == []
