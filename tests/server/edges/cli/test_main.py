"""The commands in process: what goes to stdout, what to stderr, and their exit codes."""

import gzip
import json
import re
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from server.adapters.in_process.workers import InlineTraceWorkers
from server.adapters.model.choice import ChosenModels, ModelChoice
from server.adapters.prompt_file import PromptFile
from server.agent.service import FlamechatAgent
from server.agent.turn import Pictures
from server.edges.cli.command_values import Analysis, AnalyzeOptions, ServeOptions
from server.edges.cli.entry_points import CliEntryPoints
from server.edges.cli.main import DECLARED_IN, build_cli
from server.errors import ConfigError
from tests.openai_endpoint import Reply, openai_endpoint

SAMPLE = "sample/order-service.speedscope.json.gz"


def analyst_entry(options: AnalyzeOptions, pictures: Pictures) -> Analysis:
    workers = InlineTraceWorkers()
    agent = FlamechatAgent(
        models=ChosenModels(ModelChoice()),
        prompts=PromptFile(),
        workers=workers,
        pictures=pictures,
        debug_dir=options.debug_messages_dir,
    )
    return Analysis(agent=agent, workers=workers, draws_for_itself=False)


def no_server(options: ServeOptions) -> int:
    raise AssertionError("this command starts no server")


@pytest.fixture
def cli() -> click.Group:
    return build_cli(CliEntryPoints(serve=no_server, analysis=analyst_entry))


def test_analyze_streams_the_answer_to_stdout_and_its_steps_to_stderr(cli: click.Group, fixtures: Path) -> None:
    result = CliRunner().invoke(cli, ["analyze", str(fixtures / SAMPLE)])
    assert result.exit_code == 0
    assert result.stdout.startswith("**[`find_discount`](#f")
    assert "· Ranking functions" in result.stderr
    assert "not found" not in result.stderr


def test_blanks_ask_nothing(cli: click.Group, fixtures: Path) -> None:
    result = CliRunner().invoke(cli, ["analyze", str(fixtures / SAMPLE), " \t "])
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr == "flamechat: It has no text to answer: write what you want to know.\n"


def test_nothing_is_drawn_that_nobody_sees_and_that_is_said(cli: click.Group, fixtures: Path) -> None:
    result = CliRunner().invoke(cli, ["analyze", str(fixtures / SAMPLE), "draw a flamegraph"])
    assert "Drawing" not in result.stderr
    assert "· no flame graph was drawn: --out DIR saves those of the answer" in result.stderr
    assert "picture" not in result.stdout


def test_a_model_that_looks_at_pictures_has_them_drawn_without_a_folder(fixtures: Path) -> None:
    def looking(options: AnalyzeOptions, pictures: Pictures) -> Analysis:
        return replace(analyst_entry(options, pictures), draws_for_itself=True)

    cli = build_cli(CliEntryPoints(serve=no_server, analysis=looking))
    result = CliRunner().invoke(cli, ["analyze", str(fixtures / SAMPLE)])
    assert "· Drawing a left heavy flamegraph" in result.stderr
    assert "1 picture was drawn and not kept: --out DIR saves them" in result.stderr


def test_analyze_saves_pictures_where_it_is_asked_to(cli: click.Group, fixtures: Path, tmp_path: Path) -> None:
    out = tmp_path / "new folder"
    result = CliRunner().invoke(cli, ["analyze", str(fixtures / SAMPLE), "draw a flamegraph", "--out", str(out)])
    assert result.exit_code == 0
    assert (out / "picture-1.png").read_bytes().startswith(b"\x89PNG")
    assert f"saved {out / 'picture-1.png'}" in result.stderr


def test_analyze_as_json_prints_one_document(cli: click.Group, fixtures: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(cli, ["analyze", str(fixtures / SAMPLE), "--json", "--out", str(tmp_path)])
    said = json.loads(result.stdout)
    assert said["answer"].startswith("**[`find_discount`]")
    assert {check["status"] for check in said["checks"]} <= {"verified", "derived", "unchecked"}
    assert re.match(r"\d+ figures? (?:and \d+ statements? )?holds?", said["checked"])
    assert said["pictures"] == [str(tmp_path / "picture-1.png")]
    assert {"citations", "suggestions", "usage", "title", "model", "prompt_version", "tools"} <= set(said)


def test_analyze_writes_the_exact_messages_when_asked(cli: click.Group, fixtures: Path, tmp_path: Path) -> None:
    folder = tmp_path / "messages"
    result = CliRunner().invoke(cli, ["analyze", str(fixtures / SAMPLE), "--debug-messages", str(folder)])
    assert result.exit_code == 0
    recorded = [json.loads(file.read_text()) for file in sorted(folder.iterdir())]
    asked = recorded[0]["messages"][1]
    assert asked["role"] == "user"
    assert asked["content"].startswith("Why is this slow?\n\n(")  # and what the person looks at
    assert recorded[-1]["reply"]["content"].startswith("**[`find_discount`]")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.json", b""),
        ("truncated.json.gz", gzip.compress(b'{"nodes": []}' * 900, mtime=0)[:60]),
        ("notes.txt", b"lorem ipsum dolor sit amet " * 400),
        ("wrong.json", b'{"hello": "world"}'),
    ],
)
@pytest.mark.parametrize("command", ["analyze", "summary", "render"])
def test_a_bad_file_ends_with_one_line_that_names_it_and_exit_code_1(
    cli: click.Group, tmp_path: Path, command: str, name: str, content: bytes
) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    more = ["-o", str(tmp_path / "out.png")] if command == "render" else []
    result = CliRunner().invoke(cli, [command, str(file), *more])
    assert result.exit_code == 1
    assert result.stdout == ""
    (line,) = [line for line in result.stderr.splitlines() if not line.startswith("·")]
    assert line.startswith(f"flamechat: {name}")
    assert not (tmp_path / "out.png").exists()


async def test_a_model_that_fails_ends_with_exit_code_1(fixtures: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import asyncio

    async with openai_endpoint(Reply(status=401)) as endpoint:

        def analysis(_options: AnalyzeOptions, pictures: Pictures) -> Analysis:
            workers = InlineTraceWorkers()
            models = ChosenModels(ModelChoice(base_url=endpoint.base_url, api_key="sk-wrong-key-000", model="m"))
            agent = FlamechatAgent(models=models, prompts=PromptFile(), workers=workers, pictures=pictures)
            return Analysis(agent=agent, workers=workers)

        app = build_cli(CliEntryPoints(serve=no_server, analysis=analysis))
        result = await asyncio.to_thread(CliRunner().invoke, app, ["analyze", str(fixtures / SAMPLE)])
    assert result.exit_code == 1
    assert "refused the key (401)" in result.stderr
    assert "sk-wrong" not in result.stderr


def test_a_setting_that_cannot_work_ends_with_exit_code_2(fixtures: Path) -> None:
    def analysis(_options: AnalyzeOptions, _pictures: Pictures) -> Analysis:
        raise ConfigError("unknown setting FLAMECHAT_MODLE")

    app = build_cli(CliEntryPoints(serve=no_server, analysis=analysis))
    result = CliRunner().invoke(app, ["analyze", str(fixtures / SAMPLE)])
    assert (result.exit_code, result.stderr) == (2, "flamechat: unknown setting FLAMECHAT_MODLE\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ["analyze"],
        ["analyze", "no such file"],
        ["summary", "--nonsense"],
        ["render", "{trace}"],
        ["render", "{trace}", "-o", "{out}", "--mode", "sideways"],
        ["render", "{trace}", "-o", "{out}", "--width", "1"],
        ["render", "{trace}", "-o", "{out}", "--profile", "p99"],
        ["render", "{trace}", "-o", "{out}", "--frame", "no_such_function"],
        ["serve", "--port", "70000"],
        ["dance"],
    ],
)
def test_a_wrong_call_ends_with_exit_code_2(
    cli: click.Group, fixtures: Path, tmp_path: Path, arguments: list[str]
) -> None:
    filled = [part.format(trace=fixtures / SAMPLE, out=tmp_path / "out.png") for part in arguments]
    result = CliRunner().invoke(cli, filled)
    assert result.exit_code == 2
    assert result.stderr
    assert not (tmp_path / "out.png").exists()


@pytest.mark.parametrize(
    "more", [[], ["--mode", "left-heavy", "--theme", "dark"], ["--frame", "find_discount"], ["--highlight", "price"]]
)
def test_render_writes_a_png(cli: click.Group, fixtures: Path, tmp_path: Path, more: list[str]) -> None:
    out = tmp_path / "out.png"
    result = CliRunner().invoke(cli, ["render", str(fixtures / SAMPLE), "-o", str(out), "--width", "640", *more])
    assert result.exit_code == 0, result.stderr
    assert out.read_bytes().startswith(b"\x89PNG")
    assert f"{out}: 640×" in result.stderr


def test_render_reads_stdin_and_writes_stdout(cli: click.Group, fixtures: Path) -> None:
    result = CliRunner().invoke(cli, ["render", "-", "-o", "-"], input=(fixtures / SAMPLE).read_bytes())
    assert result.exit_code == 0, result.stderr
    assert result.stdout_bytes.startswith(b"\x89PNG")


def test_summary_says_what_it_is_and_what_is_heaviest(cli: click.Group, fixtures: Path) -> None:
    result = CliRunner().invoke(cli, ["summary", str(fixtures / SAMPLE)])
    assert result.exit_code == 0
    assert "order-service.speedscope.json.gz is a speedscope trace" in result.stdout
    assert "find_discount" in result.stdout


def test_summary_says_of_what_calls_were_lost(cli: click.Group) -> None:
    call = {"ph": "X", "name": "main", "ts": 0, "dur": 5, "pid": 1, "tid": 1}
    full = json.dumps({"traceEvents": [call], "viztracer_metadata": {"overflow": True}})
    said = CliRunner().invoke(cli, ["summary", "-"], input=full).stdout
    assert "by self time (calls were lost while recording: " in said
    assert "\nKeep in mind:\n  - the recorder's buffer was full: " in said


def test_summary_says_how_much_was_lost(cli: click.Group) -> None:
    text = "prog 7 10.5: cycles:\n\t 63c run (/app/prog)\n\nprog 7 11.5: PERF_RECORD_LOST lost 42\n"
    said = CliRunner().invoke(cli, ["summary", "-"], input=text).stdout
    assert "  - samples and other records were lost while recording (42)\n" in said


def test_summary_as_json_is_the_summary(cli: click.Group, fixtures: Path) -> None:
    said = json.loads(CliRunner().invoke(cli, ["summary", str(fixtures / SAMPLE), "--json"]).stdout)
    assert said["format"] == "speedscope"
    assert len(said["profiles"]) == 5


def test_serve_hands_its_options_on_and_ends_with_their_exit_code(tmp_path: Path) -> None:
    given: list[ServeOptions] = []

    def serve(options: ServeOptions) -> int:
        given.append(options)
        return 2

    app = build_cli(CliEntryPoints(serve=serve, analysis=analyst_entry))
    result = CliRunner().invoke(app, ["serve", "--port", "0", "--data", str(tmp_path), "--no-open"])
    assert result.exit_code == 2
    assert given == [ServeOptions(host=None, port=0, data=tmp_path, open=False)]
    assert CliRunner().invoke(app, ["serve", "--role", "web"]).exit_code == 2
    assert given[1] == ServeOptions(host=None, port=None, data=None, open=None, role="web")
    assert "is not one of" in CliRunner().invoke(app, ["serve", "--role", "both"]).output


@pytest.mark.parametrize("command", DECLARED_IN)
def test_help_explains_every_command(cli: click.Group, command: str) -> None:
    result = CliRunner().invoke(cli, [command, "--help"], env={"COLUMNS": "120", "TERM": "dumb"})
    assert result.exit_code == 0
    assert "Usage:" in result.stdout
    assert command in CliRunner().invoke(cli, ["--help"]).stdout


@pytest.mark.parametrize("module", sorted(set(DECLARED_IN.values())))
def test_a_module_declares_the_commands_that_are_said_to_be_in_it(module: str) -> None:
    app = click.Group()
    import_module(f"server.edges.cli.{module}").add_commands(
        app, CliEntryPoints(serve=no_server, analysis=analyst_entry)
    )
    assert set(app.commands) == {name for name, where in DECLARED_IN.items() if where == module}


def test_a_command_that_does_not_exist_is_compared_with_all(cli: click.Group) -> None:
    result = CliRunner().invoke(cli, ["check-confg"], env={"COLUMNS": "120", "TERM": "dumb"})
    assert result.exit_code == 2
    assert "'check-config'" in result.stderr


def test_the_commands_of_a_group_stand_in_the_order_of_a_plan_s_life(cli: click.Group) -> None:
    names = [line.split()[0] for line in CliRunner().invoke(cli, ["plans", "--help"]).stdout.splitlines()[-6:]]
    assert names == ["list", "show", "create", "change", "retire", "changes"]


def test_an_interrupted_command_ends_as_shells_expect() -> None:
    def interrupted(_: ServeOptions) -> int:
        raise KeyboardInterrupt

    app = build_cli(CliEntryPoints(serve=interrupted, analysis=analyst_entry))
    assert CliRunner().invoke(app, ["serve"]).exit_code == 130
