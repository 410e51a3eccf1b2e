"""The system's Chromium, running servers, and a page whose errors fail the test."""

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import httpx
import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect

from tests.e2e.bad_files import MAX_UPLOAD_BYTES
from tests.e2e.one_browser import OneBrowser
from tests.e2e.running_server import RunningServer, running_server
from tests.e2e.tcp_proxy import TcpProxy, open_proxy
from tests.openai_endpoint import Endpoint, Reply, openai_endpoint

NAMED = os.environ.get("FLAMECHAT_CHROMIUM")
REQUIRED = os.environ.get("FLAMECHAT_REQUIRE_BROWSER") == "1"
EXPECT_MS = 45_000
SAMPLE_S = 90
WHEN_CUT = (
    "status of 401",
    "status of 409",
    "status of 413",
    "status of 415",
    "status of 422",
    "WebSocket connection to",
    "net::ERR_",
)
"""What Chromium itself writes to the console for a refused file and for a connection that a test has cut."""

SOURCE = "import rows\n\n\ndef lay_out(page):\n    return '<b>' + rows.of(page)\n"
"""`app/layout.py`."""

Scripted = Callable[..., AbstractContextManager[Endpoint]]


@pytest.fixture(scope="session")
def chromium() -> str:
    found = NAMED or next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        missing = "no chromium or google-chrome on PATH: install one, or name it in FLAMECHAT_CHROMIUM"
        if REQUIRED:
            pytest.fail(f"FLAMECHAT_REQUIRE_BROWSER is set, and there is {missing}")
        pytest.skip(missing)
    return found


@pytest.fixture(scope="session")
def portal() -> Iterator[BlockingPortal]:
    """A loop in a thread of its own, for the fakes that these synchronous tests talk to."""
    with start_blocking_portal() as portal:
        yield portal


@pytest.fixture(scope="session")
def analyst_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """Answered by the built-in analyst; takes small files only, and has one file of sources."""
    sources = tmp_path_factory.mktemp("sources")
    (sources / "app").mkdir()
    (sources / "app/layout.py").write_text(SOURCE)
    settings = {"FLAMECHAT_MAX_UPLOAD_BYTES": str(MAX_UPLOAD_BYTES), "FLAMECHAT_SOURCE_DIR": str(sources)}
    with running_server(tmp_path_factory.mktemp("analyst"), settings) as server:
        deadline = time.monotonic() + SAMPLE_S
        while not httpx.get(f"{server.address}/api/v1/traces", timeout=60).json()["traces"]:
            assert time.monotonic() < deadline, "the sample was not loaded"
        yield server


@pytest.fixture(scope="session")
def model_proxy(portal: BlockingPortal) -> Iterator[TcpProxy]:
    """Where `model_server` finds its model; `scripted` leads it to a script."""
    with portal.wrap_async_context_manager(open_proxy(9)) as proxy:
        yield proxy


@pytest.fixture(scope="session")
def model_server(tmp_path_factory: pytest.TempPathFactory, model_proxy: TcpProxy) -> Iterator[RunningServer]:
    """Answered by an OpenAI-compatible endpoint, the one behind `model_proxy`."""
    settings = {
        "FLAMECHAT_MODEL_BASE_URL": f"{model_proxy.address}/v1",
        "OPENAI_API_KEY": "a-key",
        "FLAMECHAT_MODEL": "fake",
    }
    with running_server(tmp_path_factory.mktemp("model"), settings) as server:
        yield server


@pytest.fixture
def scripted(portal: BlockingPortal, model_proxy: TcpProxy) -> Scripted:
    """`with scripted(Reply(...), ...) as endpoint:` is what the model of `model_server` says, and what it was asked."""

    @contextmanager
    def script(*replies: Reply) -> Iterator[Endpoint]:
        with portal.wrap_async_context_manager(openai_endpoint(*replies)) as endpoint:
            portal.call(model_proxy.lead_to, int(endpoint.base_url.split(":")[2].partition("/")[0]))
            yield endpoint

    return script


_one_browser = OneBrowser()


@pytest.fixture
def browser(chromium: str) -> Browser:
    expect.set_options(timeout=EXPECT_MS)
    return _one_browser.launched(chromium)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> Iterator[None]:
    """The browser is closed before a test that needs none: Playwright's loop must not be running when an async test
    starts."""
    try:
        return (yield)
    finally:
        if "browser" not in getattr(nextitem, "fixturenames", ()):
            _one_browser.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(viewport={"width": 1400, "height": 900}, reduced_motion="reduce")
    context.set_default_timeout(EXPECT_MS)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A page that fails the test when a script of it fails or its policy refuses something."""
    page = context.new_page()
    errors: list[str] = []

    def on_console(message: ConsoleMessage) -> None:
        if message.type == "error":
            errors.append(message.text)

    page.on("console", on_console)
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    assert [error for error in errors if not any(part in error for part in WHEN_CUT)] == []


@pytest.fixture(scope="session")
def board_trace(fixtures: Path) -> Path:
    return fixtures / "board.chrome-object.json.gz"
