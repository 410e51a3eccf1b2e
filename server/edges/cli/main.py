"""The commands, and the module that declares each with its options, imported when it is named. What a command does lies
in a module of its own again, imported when it runs.
"""

from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_group

from server.edges.cli.entry_points import CliEntryPoints

DECLARED_IN = {
    "analyze": "running",
    "render": "render_options",
    "summary": "questions",
    "functions": "questions",
    "find": "questions",
    "tree": "questions",
    "callers": "questions",
    "windows": "questions",
    "spans": "questions",
    "insights": "questions",
    "compare": "questions",
    "convert": "questions",
    "query": "running",
    "mcp": "running",
    "schema": "running",
    "serve": "running",
    "config": "config",
    "check-config": "config",
    "plans": "plan_commands",
    "usage": "plan_commands",
}
"""The commands in the order of help. Each module has an `add_commands`."""

HELP_CHARACTERS = 300
"""Of a command's first sentence in the list of commands: more than any has."""


class Commands(TyperGroup):
    """Each command is built when it is named: running one does not wait for the options of all others."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A command by name, or None."""
        if cmd_name in DECLARED_IN and cmd_name not in self.commands:
            part = typer.Typer(rich_markup_mode=None)
            import_module(f"server.edges.cli.{DECLARED_IN[cmd_name]}").add_commands(part, ctx.obj)
            self.commands.update(get_group(part).commands)
        return super().get_command(ctx, cmd_name)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write each command with its first sentence, wrapped and not cut."""
        rows = [(name, self.get_command(ctx, name).get_short_help_str(limit=HELP_CHARACTERS)) for name in DECLARED_IN]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of all commands."""
        return list(DECLARED_IN)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that arguments begin with. One that is not known is compared with all."""
        if args[0] not in DECLARED_IN:
            for name in DECLARED_IN:
                self.get_command(ctx, name)
        return super().resolve_command(ctx, args)


def build_cli(entry_points: CliEntryPoints) -> typer.Typer:
    """The command line application over these entry points."""
    return typer.Typer(
        cls=Commands,
        callback=flamechat,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,  # rich takes a quarter of a second to import, for boxes around the same words
        context_settings={"help_option_names": ["-h", "--help"], "obj": entry_points},
    )


def flamechat() -> None:
    """A performance trace goes in, answers come out."""
