"""On the page: a month's budget that is nearly spent, and spent, in each window that is open."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from anyio.from_thread import BlockingPortal
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect

from server.ports.identity import LOCAL_USER_ID
from tests.e2e.pages import ask, expect_status, open_room
from tests.e2e.running_server import RunningServer, running_server
from tests.openai_endpoint import Endpoint, Reply, openai_endpoint

pytestmark = [
    pytest.mark.long,
    pytest.mark.browser,
    pytest.mark.xdist_group("browser"),
    pytest.mark.timeout(400),
]

COSTLY = Reply(text="It is the painting.", usage=(850_000, 0))
CHEAPER = Reply(text="It is still the painting.", usage=(150_000, 0))


@pytest.fixture
def endpoint(portal: BlockingPortal) -> Iterator[Endpoint]:
    with portal.wrap_async_context_manager(openai_endpoint(COSTLY, CHEAPER)) as endpoint:
        yield endpoint


@pytest.fixture
def server(tmp_path: Path, endpoint: Endpoint) -> Iterator[RunningServer]:
    """One whose user has a dollar a month, at a dollar for a million tokens."""
    prices = tmp_path / "prices.toml"
    prices.write_text("[fake]\ninput = 1.0\noutput = 1.0\n", encoding="utf-8")
    settings = {
        "FLAMECHAT_MODEL_BASE_URL": endpoint.base_url,
        "OPENAI_API_KEY": "a-key",
        "FLAMECHAT_MODEL": "fake",
        "FLAMECHAT_MODEL_FALLBACKS": "none",
        "FLAMECHAT_MODEL_PRICES": str(prices),
    }
    with running_server(tmp_path / "data", settings) as server:
        httpx.put(
            f"{server.address}/api/v1/admin/users/{LOCAL_USER_ID}/limits",
            json={"monthlyCostLimitCents": 100},
            timeout=60,
        ).raise_for_status()
        yield server


def notice(page: Page) -> Locator:
    return page.get_by_role("alert").filter(has_text="budget")


def test_every_open_window_says_once_that_a_budget_is_nearly_spent_and_that_it_is(
    page: Page, server: RunningServer, board_trace: Path, endpoint: Endpoint
) -> None:
    open_room(page, server.address, board_trace)
    other = page.context.new_page()
    other.goto(page.url)
    expect(other.locator(".opening")).to_be_visible()
    ask(page)
    expect_status(page, "completed")
    for one in (page, other):
        expect(notice(one)).to_contain_text("80 % of this month's budget")
    assert [one["id"] for one in Axe().run(page).response["violations"]] == []
    notice(page).get_by_role("button", name="Dismiss").click()
    expect(notice(page)).to_have_count(0)
    expect(notice(other)).to_have_count(1)
    ask(page, "And why?")
    expect_status(page, "completed")
    for one in (page, other):
        expect(notice(one)).to_contain_text("is used up")
    ask(page, "And now?")
    expect(page.locator(".banner.limit")).to_contain_text("1.00 USD of 1.00 USD used on the")
    assert len(endpoint.requests) == 2, "the third was refused"
