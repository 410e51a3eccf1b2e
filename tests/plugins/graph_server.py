"""A real LangGraph server for the tests: `langgraph dev` with the deployed graph, in an environment of its own, whose
packages do not fit to ours (langgraph-api wants an older structlog)."""

import hashlib
import os
import shutil
import socket
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".make" / "langgraph"
DEPLOYED = ROOT / "deploy" / "langgraph" / "langgraph.json"

SERVER = ("langgraph-api==0.16.*", "langgraph-cli==0.4.*", "langgraph-runtime-inmem")
IMPORTED = frozenset(
    {
        "blake3",
        "fonttools",
        "httpx",
        "httpx2",
        "isal",
        "langchain-core",
        "langchain-openai",
        "langgraph",
        "matplotlib",
        "msgspec",
        "numpy",
        "openai",
        "pillow",
        "platformdirs",
        "pydantic",
        "pydantic-settings",
        "structlog",
        "typing-extensions",
        "zstandard",
    }
)
"""Of our own requirements what the deployed graph imports."""

INSTALLED_WITHIN_S = 240
STARTED_WITHIN_S = 90
ENDED_WITHIN_S = 15


@dataclass(frozen=True)
class GraphServer:
    """`model_port` is where its models are, of whoever listens there; `log` what it has written so far; `artifacts`
    what its model calls contained."""

    url: str
    model_port: int
    log: Path
    artifacts: Path


@pytest.fixture(scope="session")
def graph_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GraphServer]:
    """Started once. Skips where the package index is not reached."""
    with running_graph_server(graph_server_environment(), tmp_path_factory.mktemp("langgraph")) as server:
        yield server


@contextmanager
def running_graph_server(environment: Path, folder: Path, *, has_model: bool = True) -> Iterator[GraphServer]:
    """`langgraph dev` until the context ends; without a model the built-in analyst answers."""
    port, model_port = _free_port(), _free_port()
    log, artifacts = folder / "langgraph.log", folder / "artifacts"
    of_model = {
        "FLAMECHAT_MODEL_BASE_URL": f"http://127.0.0.1:{model_port}/v1",
        "FLAMECHAT_MODEL": "fake",
        "FLAMECHAT_MODEL_FALLBACKS": "none",
        "OPENAI_API_KEY": "sk-test-key-123456",
    }
    settings = {
        **(of_model if has_model else {}),
        "FLAMECHAT_ARTIFACTS": str(artifacts),
        "LANGGRAPH_DISABLE_FILE_PERSISTENCE": "true",
        "LANGSMITH_TRACING": "false",
        "PYTHONPATH": str(ROOT),
        "NO_PROXY": "127.0.0.1,localhost",
    }
    command = [environment / "bin" / "langgraph", "dev", "--config", DEPLOYED, "--no-browser", "--no-reload"]
    command += ["--host", "127.0.0.1", "--port", str(port), "--n-jobs-per-worker", "8"]
    inherited = {name: os.environ[name] for name in ("HOME", "PATH", "LANG", "TMPDIR") if name in os.environ}
    with log.open("wb") as writing:
        process = subprocess.Popen(
            [str(part) for part in command],
            cwd=folder,
            env=inherited | settings,
            stdout=writing,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        url = f"http://127.0.0.1:{port}"
        _wait_for(url, process, log)
        yield GraphServer(url, model_port, log, artifacts)
    finally:
        process.terminate()
        try:
            process.wait(ENDED_WITHIN_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(ENDED_WITHIN_S)


def graph_server_environment() -> Path:
    """A virtual environment with the server and what the graph imports; made anew when what it takes has changed."""
    ours = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    needed = sorted({*SERVER, *(one for one in ours if _name(one) in IMPORTED)})
    digest = hashlib.sha256("\n".join([sys.version, *needed]).encode()).hexdigest()[:12]
    made = FOLDER / digest
    if (made / "made").exists():
        return made
    shutil.rmtree(FOLDER, ignore_errors=True)
    _run([sys.executable, "-m", "venv", str(made)])
    _run([str(made / "bin" / "pip"), "install", "--quiet", "uv"])
    _run([str(made / "bin" / "uv"), "pip", "install", "--quiet", "--python", str(made / "bin" / "python"), *needed])
    (made / "made").touch()
    return made


def _name(requirement: str) -> str:
    return requirement.partition(">")[0].partition("=")[0].partition("[")[0].partition(",")[0].strip()


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALLED_WITHIN_S, check=False)
    if done.returncode == 0:
        return
    reason = " ".join((done.stderr or done.stdout).split())[-400:] or "no reason was given"
    text = f"a LangGraph server cannot be installed ({reason})"
    if os.environ.get("REQUIRE_PACKAGE_INDEX") == "1":
        pytest.fail(text)
    pytest.skip(f"{text}; REQUIRE_PACKAGE_INDEX=1 makes this a failure")


def _wait_for(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    with httpx.Client(trust_env=False, transport=httpx.HTTPTransport(retries=0)) as client:
        for _ in range(STARTED_WITHIN_S * 5):
            try:
                if client.get(f"{url}/ok", timeout=5).is_success:
                    return
            except httpx.HTTPError:
                pass
            try:
                process.wait(0.2)
            except subprocess.TimeoutExpired:
                continue
            break
    pytest.fail(f"the LangGraph server has not started: {log.read_text(errors='replace')[-2_000:]}")


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port
