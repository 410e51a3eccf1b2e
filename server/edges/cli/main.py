"""The commands, and the module that declares each with its options, imported when it is named. What a command does lies
in a module of its own again, imported when it runs.
"""

from importlib import import_module
from typing import Any

import click
from click.exceptions import Exit, NoSuchCommand

from server.edges.cli.entry_points import CliEntryPoints
from server.edges.cli.reading import READ_FILE
from server.edges.cli.signed_in import TERMINAL_SESSIONS

DECLARED_IN = {
    "record": "record_options",
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
    "gate": "gate_options",
    "gates": "gates_commands",
    "convert": "questions",
    "query": "sql_commands",
    "mcp": "running",
    "schema": "sql_commands",
    "serve": "running",
    "login": "login_commands",
    "logout": "login_commands",
    "whoami": "login_commands",
    "upload": "upload_command",
    "batch": "batch_command",
    "ask": "ask_command",
    "cache": "cache_command",
    "config": "config",
    "check-config": "config",
    "plans": "plan_commands",
    "usage": "plan_commands",
    "users": "user_commands",
    "teams": "team_commands",
    "keys": "key_commands",
    "memory": "memory_commands",
    "knowledge": "knowledge_commands",
    "mcp-servers": "mcp_server_commands",
    "backup": "backup_commands",
    "restore": "backup_commands",
}
"""The commands in the order of help. Each module has an `add_commands`."""

HELP_CHARACTERS = 300
"""Of a command's first sentence in the list of commands: more than any has."""

INTERRUPTED = 130
"""Exit code after Ctrl-C, as of shells: 128 and the signal's number."""


class Commands(click.Group):
    """Each command is built when it is named: running one does not wait for the modules of all others."""

    def __init__(self, entry_points: CliEntryPoints) -> None:
        super().__init__(
            "flamechat",
            help="A performance trace goes in, answers come out.",
            no_args_is_help=True,
            context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
        )
        self._entry_points = entry_points

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command by name, or None."""
        if cmd_name in DECLARED_IN and cmd_name not in self.commands:
            import_module(f"server.edges.cli.{DECLARED_IN[cmd_name]}").add_commands(self, self._entry_points)
        return super().get_command(ctx, cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each command with its first sentence, wrapped and not cut."""
        commands = {name: self.get_command(ctx, name) for name in DECLARED_IN}
        with formatter.section("Commands"):
            formatter.write_dl(
                [
                    (name, command.get_short_help_str(limit=HELP_CHARACTERS))
                    for name, command in commands.items()
                    if command
                ]
            )

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands."""
        return list(DECLARED_IN)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that arguments begin with. Raises NoSuchCommand, which names those it may have been."""
        try:
            return super().resolve_command(ctx, args)
        except NoSuchCommand as error:
            raise NoSuchCommand(error.command_name, possibilities=DECLARED_IN, ctx=ctx) from None

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that was named. Raises Exit."""
        READ_FILE.set(self._entry_points.read_file)
        TERMINAL_SESSIONS.set(self._entry_points.terminal_sessions)
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise Exit(INTERRUPTED) from None


def build_cli(entry_points: CliEntryPoints) -> click.Group:
    """The command line application over these entry points."""
    return Commands(entry_points)
