"""`flamechat config` and `flamechat check-config`: what the settings are, and whether what they name answers."""

import json
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import click

from server.edges.cli.entry_points import CliEntryPoints
from server.errors import ConfigError

Sign = Literal["ok", "slow", "off", "FAILED"]
"""`slow`: it works, but not as well as it could; `off`: not configured."""


@dataclass(frozen=True, slots=True)
class ShownSetting:
    """`value` as text, of a secret only that there is one; `source` is `default` or the name of the variable."""

    name: str
    value: str
    source: str


@dataclass(frozen=True, slots=True)
class Checked:
    """One service. `said` holds no secret."""

    name: str
    sign: Sign
    said: str


ShowConfig = Callable[[Path | None], Sequence[ShownSetting]]
CheckConfig = Callable[[Path | None], AsyncIterator[Checked]]
"""Both by the data folder of the command line, if it names one."""

data_option = click.option("--data", type=click.Path(path_type=Path), help="The server's data folder.")


def add_commands(app: click.Group, entry_points: CliEntryPoints) -> None:
    """Add the two commands to the application."""

    @app.command()
    @click.option("--changed", is_flag=True, help="Only what is not a default.")
    @click.option("--json", "as_json", is_flag=True, help="Print the settings as JSON.")
    @data_option
    def config(*, changed: bool, as_json: bool, data: Path | None) -> None:
        """Print the settings in force, where each comes from, and no secret."""
        with _misuse_reported():
            settings = [one for one in entry_points.show_config(data) if not changed or one.source != "default"]
        if as_json:
            click.echo(json.dumps([asdict(one) for one in settings], indent=2))
            return
        width = max((len(one.name) for one in settings), default=0)
        for one in settings:
            source = "" if one.source in {"default", one.name} else f"  (from {one.source})"
            mark = " " if one.source == "default" else "*"
            click.echo(f"{mark} {one.name:<{width}}  {one.value}{source}")
        if missing := entry_points.missing_kernels():
            click.echo(f"\n! {missing}")
        click.echo("\n* is set; everything else is a default. docs/settings.md says what each does.", err=True)

    @app.command("check-config")
    @data_option
    def check_config(data: Path | None) -> None:
        """Try every service that the settings name, and print a line for each. Exit code 1 when one fails.

        The model is asked one short question, which its provider may charge for.
        """
        import asyncio

        with _misuse_reported():
            failed = asyncio.run(_print_all(entry_points.check_config(data)))
        raise click.exceptions.Exit(1 if failed else 0)


async def _print_all(checks: AsyncIterator[Checked]) -> bool:
    """Whether one has failed."""
    failed = False
    async for one in checks:
        click.echo(f"{one.sign:<6}  {one.name:<14}  {one.said}")
        failed |= one.sign == "FAILED"
    return failed


class _misuse_reported:  # noqa: N801 - reads as a sentence
    """Ends the program with one line and exit code 2 for settings that cannot work."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if isinstance(error, ConfigError):
            sys.stderr.write(f"flamechat: {error}\n")
            raise click.exceptions.Exit(2) from None
