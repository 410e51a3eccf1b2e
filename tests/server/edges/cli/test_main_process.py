"""The command line as its own process: only what a command needs is imported, and no setting is needed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from traces.formats.detection import FORMATS

SERVING = ("fastapi", "starlette", "uvicorn", "asyncio", "mcp", "psycopg", "httpx", "limits.administration")
THINKING = ("langgraph", "langchain_core", "langchain_openai", "openai", "server.settings", "server.protocol")
SELDOM = ("duckdb", "pydantic", "rich", "matplotlib", "PIL", "rendering", "numpy.ma", "server.edges.cli.plan_commands")

LISTED = (
    "import json, sys\n"
    "from server.app import main\n"
    "try:\n    main()\n"
    "except SystemExit as end:\n"
    "    print(json.dumps({'code': end.code or 0, 'modules': sorted(sys.modules)}), file=sys.stderr)\n"
)


def run(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("FLAMECHAT_", "OPENAI_"))}
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=60, env=environment
    )


def modules_of(*arguments: str) -> frozenset[str]:
    """What a command that went well has imported."""
    result = run(LISTED, *arguments)
    said = json.loads(result.stderr.splitlines()[-1])
    assert said["code"] == 0, result.stderr
    return frozenset(said["modules"])


def readers(modules: frozenset[str]) -> set[str]:
    """The formats whose readers are among the modules."""
    return {known.name for known in FORMATS if known.module in modules}


@pytest.mark.parametrize("command", ["summary", "functions", "convert"])
def test_a_question_of_a_file_imports_neither_server_nor_model_and_one_reader(
    command: str, fixtures: Path, tmp_path: Path
) -> None:
    written = ("--to", "speedscope", "-o", str(tmp_path / "out.json")) if command == "convert" else ()
    modules = modules_of(command, str(fixtures / "settlement.go-cpu.pb.gz"), *written)
    assert modules.isdisjoint({*SERVING, *THINKING, *SELDOM})
    assert readers(modules) == {"pprof"}


def test_a_cpu_profile_and_stacks_load_their_own_reader_alone(fixtures: Path) -> None:
    assert readers(modules_of("summary", str(fixtures / "search-index.cpuprofile.gz"))) == {"cpuprofile"}
    assert readers(modules_of("summary", str(fixtures / "thumbnails.perf.collapsed.txt"))) == {"collapsed"}


def test_a_small_file_waits_for_no_archive_no_cache_and_no_other_trace(fixtures: Path) -> None:
    modules = modules_of("summary", str(fixtures / "settlement.go-cpu.pb.gz"))
    others = {
        "traces.cache",
        "platformdirs",
        "zipfile",
        "tarfile",
        "zstandard",
        "traces.analysis.compare",
        "traces.analysis.hottest_windows",
    }
    assert modules.isdisjoint(others)


def test_help_imports_nothing_that_a_command_runs() -> None:
    assert modules_of("--help").isdisjoint({"numpy", *SERVING[:-1], *THINKING})


def test_summary_says_what_is_heavy(fixtures: Path) -> None:
    source = fixtures / "sample" / "order-service.speedscope.json.gz"
    assert "find_discount" in run("from server.app import main; main()", "summary", str(source)).stdout


def test_analyze_with_the_analyst_imports_no_graph_and_no_tracing(fixtures: Path) -> None:
    modules = modules_of("analyze", str(fixtures / "settlement.go-cpu.pb.gz"))
    assert modules.isdisjoint({"langgraph", "langsmith", "langchain_openai", "openai", "langchain_core.runnables"})


def test_analyze_answers_without_settings_a_server_or_a_database(fixtures: Path) -> None:
    source = fixtures / "settlement.go-cpu.pb.gz"
    result = run("from server.app import main; main()", "analyze", str(source))
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("**[`main.matchTrades`](#f")
