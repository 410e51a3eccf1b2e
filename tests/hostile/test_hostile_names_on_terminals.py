"""Hostile names through the commands: what reaches a terminal, in text and as JSON, on stdout and stderr."""

import json
import unicodedata
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from server.adapters.model.choice import ChosenModels, ModelChoice
from server.adapters.prompt_file import PromptFile
from server.agent.service import FlamechatAgent
from server.agent.turn import Pictures
from server.edges.cli.command_values import Analysis, AnalyzeOptions, ServeOptions
from server.edges.cli.entry_points import CliEntryPoints
from server.edges.cli.main import DECLARED_IN, build_cli
from tests.hostile.names import CROWDS, MARK, NAMES, chrome, speedscope
from tests.inline_workers import inline_workers

pytestmark = pytest.mark.long

TOGETHER = pytest.mark.parametrize("keys", CROWDS, ids=lambda keys: keys[0])
INVISIBLE = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}
COMMANDS = (
    ("summary", "{trace}"),
    ("functions", "{trace}"),
    ("find", "{trace}", MARK),
    ("find", "{trace}", "no such thing"),
    ("tree", "{trace}"),
    ("callers", "{trace}", "f1"),
    ("windows", "{trace}"),
    ("spans", "{trace}"),
    ("insights", "{trace}", "--all"),
    ("insights", "{trace}", "hot-function"),
    ("compare", "{trace}", "{other}"),
    ("gate", "{trace}", "--before", "{other}", "--rule", "total +3%", "--rule", "new hot function 1%"),
    ("gate", "{trace}", "--before", "{other}", "--rule", f"self({MARK}) +3%", "--single-run", "1%"),
    ("query", "{trace}", "SELECT * FROM frames"),
    ("query", "{trace}", "SELECT nme FROM frames"),
    ("analyze", "{trace}"),
)
"""Every command that prints what is in a trace."""
PRINTS_NO_NAMES = {"render", "convert", "schema", "serve", "config", "check-config", "mcp", "cache"}
PRINTS_NO_NAMES |= {"plans", "usage", "users", "backup", "restore", "record", "memory", "upload", "ask", "batch"}
PRINTS_NO_NAMES |= {"mcp-servers", "keys", "knowledge", "teams", "login", "logout", "whoami", "gates"}


def analyst_entry(options: AnalyzeOptions, pictures: Pictures) -> Analysis:
    workers = inline_workers()
    agent = FlamechatAgent(models=ChosenModels(ModelChoice()), prompts=PromptFile(), workers=workers, pictures=pictures)
    return Analysis(agent=agent, workers=workers)


def no_server(options: ServeOptions) -> int:
    raise AssertionError("this command starts no server")


@pytest.fixture
def cli() -> click.Group:
    return build_cli(CliEntryPoints(serve=no_server, analysis=analyst_entry, workers=inline_workers))


def dangerous(result: Result) -> list[str]:
    """What moves a cursor, sets a title, colours, links, copies, or turns text round; line feeds and tabs may stay."""
    said = result.stdout + result.stderr
    return sorted({f"U+{ord(c):04X}" for c in said if c not in "\n\t" and unicodedata.category(c) in INVISIBLE})


@pytest.fixture(params=["speedscope", "chrome"])
def write(request: pytest.FixtureRequest) -> object:
    return {"speedscope": speedscope, "chrome": chrome}[request.param]


@pytest.mark.timeout(400)
@TOGETHER
def test_no_command_lets_a_name_speak_to_the_terminal(
    cli: click.Group, tmp_path: Path, keys: tuple[str, ...], write: type
) -> None:
    names = [NAMES[key] for key in keys]
    paths = {"trace": tmp_path / "trace.json", "other": tmp_path / "other.json"}
    paths["trace"].write_bytes(write(names))
    paths["other"].write_bytes(write(list(reversed(names))))
    for command in COMMANDS:
        arguments = [word.format(**paths) if word.startswith("{") else word for word in command]
        for form in ([], ["--json"]):
            result = CliRunner().invoke(cli, [*arguments, *form])
            assert result.exception is None or isinstance(result.exception, SystemExit), command
            assert dangerous(result) == [], (command, form)
            if form and result.exit_code == 0:
                json.loads(result.stdout)


def test_every_command_is_tried_or_prints_no_names() -> None:
    assert set(DECLARED_IN) == {command[0] for command in COMMANDS} | PRINTS_NO_NAMES


@pytest.mark.parametrize(
    "key", ["csi_clear", "osc_8_link", "c1_csi", "right_to_left", "rich_markup", "bell_and_backspace"]
)
def test_a_file_name_cannot_speak_to_the_terminal_either(cli: click.Group, tmp_path: Path, key: str) -> None:
    path = tmp_path / (NAMES[key].replace("/", "_") + ".json")
    path.write_bytes(b"{}")
    for arguments in (["summary", str(path)], ["analyze", str(path)]):
        result = CliRunner().invoke(cli, arguments)
        assert result.exit_code != 0
        assert dangerous(result) == [], arguments
