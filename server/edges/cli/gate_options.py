"""The options of `flamechat gate`."""

from pathlib import Path
from typing import Any

import click

from server.edges.cli.entry_points import CliEntryPoints
from server.edges.cli.scope import Scope, scoped
from server.edges.cli.shared_options import ANY_PATH, token_option

BEFORE = "--before"
FORMATS = ("text", "json", "markdown", "sarif", "github")


class GateCommand(click.Command):
    """`--before` takes every file up to the next option, as a shell's pattern leaves them: `--before runs/*.json`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments with one `--before` in front of each of its files."""
        return super().parse_args(ctx, _each_before(args))


def _each_before(args: list[str]) -> list[str]:
    written: list[str] = []
    following = False
    for place, word in enumerate(args):
        if word == "--":
            return [*written, *args[place:]]
        if word == BEFORE:
            following = True
            continue
        following = following and not (word.startswith("-") and word != "-")
        written += [BEFORE, word] if following else [word]
    return [*written, BEFORE] if args and args[-1] == BEFORE else written


def add_commands(app: click.Group, _: CliEntryPoints) -> None:
    """Add the command to the application."""
    from server.edges.cli.server_requests import account_option

    @app.command(cls=GateCommand)
    @click.argument("after", metavar="AFTER...", nargs=-1, type=ANY_PATH, help="The runs that are judged.")
    @click.option(
        BEFORE,
        "before",
        metavar="FILES",
        type=ANY_PATH,
        multiple=True,
        help="The runs they are judged by: files, or folders of them.",
    )
    @click.option("--rule", "rules", metavar="RULE", multiple=True, help='Such as "self_share(f) +5%"; repeat it.')
    @click.option(
        "--baseline", metavar="LABELS", help="Instead: runs on a server, such as label=branch:main,scenario=x."
    )
    @click.option("--last", type=click.IntRange(1, 100), help="How many of these, the newest; default 10.")
    @click.option("--label", "labels", metavar="KEY=VALUE", multiple=True, help="Of the runs that are sent there.")
    @click.option("--server", help="The server of --baseline, where the runs are sent and judged.")
    @token_option
    @account_option
    @click.option("--reason", help="Why: of `flamechat gate accept RESULT`, by an owner.")
    @click.option("--single-run", metavar="25%", help="With too few runs for a test, break on growth above this.")
    @click.option("--config", type=ANY_PATH, help="Rules and baseline; default: flamechat.toml here, if there is one.")
    @click.option("--report-only", is_flag=True, help="A broken rule ends with 0, not with 1.")
    @click.option("--format", "form", type=click.Choice(FORMATS), default="text", help="For people or for machines.")
    @click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
    @click.option(
        "--diff", "picture", type=ANY_PATH, help="Draw the diff flame graph of the first runs: x.png or x.svg."
    )
    @scoped()
    def gate(after: tuple[Path, ...], *, as_json: bool, **given: Any) -> None:
        """Say whether runs keep rules that earlier runs set: exit code 0 yes, 1 no, 2 called wrongly, 3 not decidable.

        Rules: "self_share(f) +5%", "total_share(f) +5%", "self(f) +5%", "total(f) +5%", "total +3%",
        "new hot function 2%", "finding long-tasks". docs/ci.md says how they are judged.

        `flamechat gate accept RESULT --reason TEXT --server URL` accepts what a gate of a server found.
        """
        from server.edges.cli.gate import GateRequest
        from server.edges.cli.gate import gate as run

        scope: Scope = given.pop("scope")
        given["form"] = "json" if as_json else given["form"]
        run(GateRequest(after=after, **given), scope)
