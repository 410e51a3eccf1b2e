"""What every test shares: asyncio as anyio's backend, an environment without our settings, the folders of traces."""

import logging
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

pytest_plugins = [
    "tests.plugins.certificates",
    "tests.plugins.examples",
    "tests.plugins.graph_server",
    "tests.plugins.groups",
    "tests.plugins.long_lived",
    "tests.plugins.mutations",
    "tests.plugins.one_loop",
    "tests.plugins.pooler",
    "tests.plugins.postgres",
    "tests.plugins.laid_databases",
    "tests.plugins.worlds",
    "tests.plugins.worlds_on_postgres",
    "tests.plugins.relays",
    "tests.plugins.secrets_in_logs",
]

ALIASES = (
    "OPENAI_",
    "SUPABASE_",
    "LANGFUSE_",
    "LANGSMITH_",
    "LANGCHAIN_",
    "PROCESS_AI_TURN_SECRET",
    "AI_ANALYSIS_MODEL",
)
SHARED = Path(os.environ.get("FLAMECHAT_SHARED", Path(__file__).parent.parent.parent / "shared"))
KEPT = {"FLAMECHAT_SHARED", "FLAMECHAT_REQUIRE_BROWSER", "FLAMECHAT_KERNELS"}
FIXTURES = Path(__file__).parent.parent / "fixtures"


def pytest_configure() -> None:
    """An interrupt reaches what tests start, also where the tests were started in the background: a shell has it
    ignored there, and every child would begin like that."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Bytes are named by their number: compressed ones hold the time, and workers must agree on a test's name."""
    return f"{argname}-{len(val)}-bytes" if isinstance(val, bytes) else None


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting of the machine reaches a test."""
    for name in list(os.environ):
        if (name.startswith("FLAMECHAT_") and name not in KEPT) or name.startswith(ALIASES):
            monkeypatch.delenv(name)


@pytest.fixture(autouse=True)
def own_logging() -> Iterator[None]:
    """What a test sets up of the process's logging does not outlive it: the streams it wrote to are closed by then."""
    handlers = list(logging.root.handlers)
    yield
    structlog.reset_defaults()
    for handler in set(logging.root.handlers) - set(handlers):
        logging.root.removeHandler(handler)


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of shared traces and conformance samples; the test is skipped, saying so, where it is absent."""
    if not SHARED.is_dir():
        pytest.skip(f"no shared traces at {SHARED}: set FLAMECHAT_SHARED to run this test")
    return SHARED


@pytest.fixture(scope="session")
def fixtures() -> Path:
    """The repository's own recorded traces."""
    return FIXTURES
