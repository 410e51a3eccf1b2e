"""On the page: choosing which model answers, from what the plan offers."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, Route, expect

from server.ports.identity import LOCAL_USER_ID
from tests.e2e.conftest import Scripted
from tests.e2e.pages import ask, expect_status, open_room
from tests.e2e.running_server import RunningServer, running_server
from tests.e2e.tcp_proxy import TcpProxy
from tests.openai_endpoint import Reply

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(400)]

ANSWERS = [Reply(text=text) for text in ("The filter.", "It scores cards.", "It does.", "So it is.")]
USAGE = "**/api/v1/me/usage*"
PLAN = {"name": "team", "displayName": "Team", "chatModels": ["large", "small"]}


@pytest.fixture
def server(tmp_path: Path, model_proxy: TcpProxy) -> Iterator[RunningServer]:
    """One with a provider and a single model, and a plan that nobody is on with two."""
    settings = {
        "FLAMECHAT_MODEL_BASE_URL": f"{model_proxy.address}/v1",
        "OPENAI_API_KEY": "a-key",
        "FLAMECHAT_MODEL": "only",
    }
    with running_server(tmp_path / "data", settings) as server:
        admin(server, "POST", "plans", PLAN)
        yield server


def admin(server: RunningServer, method: str, path: str, body: object) -> None:
    httpx.request(method, f"{server.address}/api/v1/admin/{path}", json=body, timeout=60).raise_for_status()


def hold(_: Route) -> None:
    """Neither answer a request nor let it go."""


def test_a_person_chooses_a_model_of_his_plan_and_one_that_is_taken_away_is_refused_at_the_prompt(
    page: Page, server: RunningServer, scripted: Scripted, board_trace: Path
) -> None:
    with scripted(*ANSWERS) as endpoint:
        open_room(page, server.address, board_trace)
        choice = page.get_by_label("Model", exact=True)
        expect(page.get_by_label("Ask about this trace")).to_be_enabled()
        ask(page)
        expect_status(page, "completed")
        expect(choice).to_have_count(0)

        admin(server, "PUT", f"users/{LOCAL_USER_ID}/plan", {"plan": "team"})
        page.reload()
        expect(choice).to_have_value("large")
        assert choice.get_by_role("option").all_inner_texts() == ["large", "small"]
        assert [one["id"] for one in Axe().run(page).response["violations"]] == []
        choice.select_option("small")
        ask(page, "And which?")
        expect_status(page, "completed")

        page.reload()
        expect(choice).to_have_value("small")
        page.route(USAGE, hold)  # else the page may learn of the change before it asks, and ask another model
        page.get_by_role("button", name="Answer again").last.click()
        expect(page.locator(".turn").last).to_contain_text("It does.")
        expect_status(page, "completed")

        admin(server, "PATCH", "plans/team", {"chatModels": ["large", "other"]})
        ask(page, "And now?")
        message = "The model 'small' is not offered here; offered are large, other, built-in."
        expect(page.locator(".banner")).to_contain_text(message)
        expect_status(page, "failed")
        page.unroute(USAGE)  # which lets everything go that was stopped, up to the last
        expect(choice).to_have_value("large")
        ask(page, "And now?")
        expect_status(page, "completed")
    assert [request["model"] for request in endpoint.requests] == ["only", "small", "small", "large"]
