"""On the page, too, the subject of a conversation's first turn is that of the third, said aloud."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.pages import ask, expect_status, open_room
from tests.e2e.running_server import RunningServer
from tests.server.follow_ups import FOLLOW_UPS, STACKS

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(400)]


def test_the_subject_stays_on_the_page(page: Page, analyst_server: RunningServer, tmp_path: Path) -> None:
    trace = tmp_path / "orders.collapsed.txt"
    trace.write_bytes(STACKS)
    open_room(page, analyst_server.address, trace)
    talk = FOLLOW_UPS[0]
    for prompt in talk.asked:
        ask(page, prompt)
        expect_status(page, "completed")
        expect(page.locator(".turn").last.locator("code, .citation").first).to_contain_text(talk.subject)
