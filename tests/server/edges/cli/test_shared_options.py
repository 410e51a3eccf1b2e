"""Paths on the command line: a wrong one is refused before anything is done."""

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from server.edges.cli.shared_options import EXISTING_FILE, EXISTING_FOLDER, FOLDER, POSITIVE, readable_or_stdin


@pytest.mark.parametrize(
    ("kind", "given", "refusal"),
    [
        (EXISTING_FOLDER, "folder", ""),
        (EXISTING_FOLDER, "file", "is a file"),
        (EXISTING_FOLDER, "nothing", "does not exist"),
        (FOLDER, "folder", ""),
        (FOLDER, "nothing", ""),
        (FOLDER, "file", "is a file"),
        (EXISTING_FILE, "file", ""),
        (EXISTING_FILE, "folder", "is a directory"),
        (EXISTING_FILE, "nothing", "does not exist"),
        (readable_or_stdin, "file", ""),
        (readable_or_stdin, "-", ""),
        (readable_or_stdin, "folder", "is no file that can be read"),
        (readable_or_stdin, "nothing", "is no file that can be read"),
        (POSITIVE, "1", ""),
        (POSITIVE, "0", "not in the range"),
    ],
)
def test_an_unusable_value_is_refused(
    kind: "click.ParamType[object]", given: str, refusal: str, tmp_path: Path
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()

    @click.command()
    @click.argument("value", type=kind)
    def command(value: object) -> None:
        click.echo(f"taken: {value}")

    there = tmp_path / given
    result = CliRunner().invoke(command, [str(there) if there.exists() or given == "nothing" else given])
    assert result.exit_code == (2 if refusal else 0)
    assert (refusal or "taken: ") in result.output.replace("\n", " ")
