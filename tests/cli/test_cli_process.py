"""The command line as its own process: only what a command needs is imported, and no setting is needed."""

import os
import subprocess
import sys
from pathlib import Path

HEAVY = ("fastapi", "starlette", "langgraph", "langchain_core", "langchain_openai", "openai", "psycopg", "uvicorn")


def run(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("FLAMECHAT_", "OPENAI_"))}
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=60, env=environment
    )


def test_summary_imports_neither_the_server_nor_the_model_clients(fixtures: Path) -> None:
    code = (
        "import sys\n"
        "from server.app import main\n"
        "try:\n    main()\n"
        "except SystemExit as end:\n"
        f"    print('loaded:', sorted(set({HEAVY!r}) & set(sys.modules)), 'code:', end.code or 0)\n"
    )
    result = run(code, "summary", str(fixtures / "sample" / "order-service.speedscope.json.gz"))
    assert "find_discount" in result.stdout, result.stderr
    assert "loaded: [] code: 0" in result.stdout


def test_analyze_answers_without_settings_a_server_or_a_database(fixtures: Path) -> None:
    source = fixtures / "settlement.go-cpu.pb.gz"
    result = run("from server.app import main; main()", "analyze", str(source))
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("**[`main.matchTrades`](#f")
