"""`flamechat render`: every option reaches the picture, a wrong one is named."""

import io
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result
from PIL import Image

from server.edges.cli.entry_points import CliEntryPoints
from server.edges.cli.main import build_cli
from tests.server.edges.cli.test_questions import no_model, no_server

SAMPLE = "sample/order-service.speedscope.json.gz"


@pytest.fixture(scope="module")
def cli() -> click.Group:
    return build_cli(CliEntryPoints(serve=no_server, analysis=no_model))


def run(cli: click.Group, *arguments: object, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(cli, ["render", *map(str, arguments)], input=stdin)


def test_the_formats_follow_the_names(cli: click.Group, fixtures: Path, tmp_path: Path) -> None:
    for kind, start in (("png", b"\x89PNG"), ("svg", b"<?xml"), ("webp", b"RIFF")):
        out = tmp_path / f"picture.{kind}"
        result = run(cli, fixtures / SAMPLE, "-o", out, "--width", 400, "--height", 200)
        assert result.exit_code == 0, result.stderr
        assert out.read_bytes().startswith(start)


def test_every_option_of_a_flamegraph_is_taken(cli: click.Group, fixtures: Path) -> None:
    options = (
        *("--mode", "left-heavy", "--profile", "p3", "--width", 500, "--height", 400, "--dpr", 2, "--theme", "dark"),
        *("--palette", "safe", "--start-ms", 100, "--end-ms", 5000, "--start-depth", 1, "--depth", 5),
        *("--highlight", "route", "--flatten-recursion", "--min-width", 0.5, "--minimap", "--legend"),
        *("--no-value-axis", "--no-depth-axis", "--title", "Orders", "--handles", "--format", "webp"),
    )
    result = run(cli, fixtures / SAMPLE, "-o", "-", *options)

    assert result.exit_code == 0, result.stderr
    assert Image.open(io.BytesIO(result.stdout_bytes)).width == 1000
    assert "note: " in result.stderr


def test_stdin_goes_to_stdout(cli: click.Group, fixtures: Path) -> None:
    result = run(cli, "-", "-o", "-", stdin=(fixtures / SAMPLE).read_bytes())

    assert result.stdout_bytes.startswith(b"\x89PNG")


def test_a_sandwich_and_a_diff(cli: click.Group, fixtures: Path) -> None:
    trace = fixtures / SAMPLE
    sandwich = run(cli, trace, "-o", "-", "--format", "svg", "--frame", "OrderHandler.route", "--profile", "p3")
    diff = run(cli, trace, "-o", "-", "--format", "svg", "--diff", trace, "--compare", "shares")

    assert "Callers above, callees below" in sandwich.stdout
    assert "Diff, left heavy by the second" in diff.stdout


def test_the_picture_is_shown_when_asked(
    cli: click.Group, fixtures: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    shown: list[str] = []
    monkeypatch.setattr(click, "launch", shown.append)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)

    result = run(cli, fixtures / SAMPLE, "--open", "--format", "svg")

    assert result.exit_code == 0, result.stderr
    (path,) = shown
    assert Path(path).read_bytes().startswith(b"<?xml")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["-o", "out.gif"], "must end in .png, .svg, .webp"),
        ([], "say where the picture goes"),
        (["-o", "-", "--width", "1"], "--width: 1 px is outside 100 to 8192"),
        (["-o", "-", "--start-depth", "900"], "--start-depth: 900 is past the stack"),
        (["-o", "-", "--start-ms", "5", "--end-ms", "2"], "--start-ms: 5.0 is not before"),
        (["-o", "-", "--profile", "p99"], "--profile: no profile"),
        (["-o", "-", "--frame", "rout"], "OrderHandler.route"),
        (["-o", "-", "--frame", "f1", "--minimap"], "--minimap: there is no such option"),
        (["-o", "-", "--compare", "shares"], "--compare: there is no such option"),
    ],
)
def test_what_cannot_be_is_named(cli: click.Group, fixtures: Path, options: list[str], says: str) -> None:
    result = run(cli, fixtures / SAMPLE, *options)

    assert result.exit_code == 2
    assert says.replace("5.0", "5") in result.stderr


def test_a_place_that_cannot_be_written_is_named_in_one_line(cli: click.Group, fixtures: Path, tmp_path: Path) -> None:
    out = tmp_path / "nowhere" / "picture.svg"
    result = run(cli, fixtures / SAMPLE, "-o", out)
    assert result.exit_code != 0
    assert f"{out}: No such file or directory" in result.stderr
    assert "×" not in result.stderr
