"""`flamechat plans ...` and `flamechat usage ...`: on the data folder of this machine, whether its server runs or
not.
"""

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import asdict
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click

from limits.administration import Administration, Author
from limits.errors import LimitsError
from limits.plans import OverBudget, Plan, SessionsPeriod
from limits.refusals import LimitType
from limits.usage import Forecast, Usage, meters
from server.edges.cli.entry_points import CliEntryPoints
from server.edges.cli.limit_command import add_limit
from server.edges.cli.reading import FAILED, MISUSED, fail
from server.edges.cli.shared_options import FOLDER
from server.edges.cli.spend_command import add_spend
from server.errors import ConfigError, ServerError
from server.ports.identity import LOCAL_USER_ID

UNLIMITED = "unlimited"
NO_TOOLS = "none"
WORDS = {
    LimitType.LIFETIME_ANALYSES: "conversations",
    LimitType.MONTHLY_SESSIONS: "conversations this month",
    LimitType.MONTHLY_UPLOADS: "uploads this month",
    LimitType.TOTAL_TRACES: "traces held",
    LimitType.SESSION_MESSAGES: "messages",
    LimitType.MONTHLY_COST: "cents of model calls this month",
    LimitType.MONTHLY_TOKENS: "tokens this month",
    LimitType.MONTHLY_RENDERS: "pictures this month",
    LimitType.API_KEYS: "keys",
}

Task = Callable[[Administration], Awaitable[Any]]
Command = TypeVar("Command", bound=Callable[..., Any])


def _limit_option(name: str) -> Callable[[Command], Command]:
    return click.option(name, metavar="N|unlimited")


name_argument = click.argument("name", metavar="PLAN")
user_option = click.option("--user", default=LOCAL_USER_ID, help="The user's id; default: the user of this machine.")
dry_run_option = click.option("--dry-run", is_flag=True, help="Say how many users would be over; change nothing.")
reason_option = click.option("--reason", help="Why, for the audit.")
data_option = click.option("--data", type=FOLDER, help="The server's data folder.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")

PLAN_OPTIONS = (
    click.option("--display-name", help="As people read it."),
    click.option("--price-monthly-cents", type=click.IntRange(min=0)),
    _limit_option("--chat-messages-per-session"),
    _limit_option("--chat-sessions-limit"),
    click.option(
        "--chat-sessions-period",
        type=click.Choice(tuple(map(str, SessionsPeriod))),
        help="What the sessions limit is of.",
    ),
    _limit_option("--monthly-upload-limit"),
    _limit_option("--total-trace-limit"),
    _limit_option("--retention-days"),
    _limit_option("--monthly-cost-limit-cents"),
    _limit_option("--monthly-token-limit"),
    _limit_option("--turn-token-limit"),
    _limit_option("--api-keys-limit"),
    _limit_option("--api-requests-per-minute"),
    _limit_option("--monthly-render-limit"),
    click.option(
        "--over-budget",
        type=click.Choice(tuple(map(str, OverBudget))),
        help="What becomes of prompts once the month is spent.",
    ),
    click.option("--allow-public-sharing/--no-public-sharing", default=None),
    click.option(
        "--hidden-tools", help="Tools of the agent that the plan leaves out, with commas; none for all of them."
    ),
    click.option(
        "--chat-models", help="Models the plan offers, with commas, its default first; none for the server's own."
    ),
)
LIMITS = (
    "chat_messages_per_session",
    "chat_sessions_limit",
    "monthly_upload_limit",
    "total_trace_limit",
    "retention_days",
    "monthly_cost_limit_cents",
    "monthly_token_limit",
    "turn_token_limit",
    "api_keys_limit",
    "api_requests_per_minute",
    "monthly_render_limit",
)


class DeclaredOrder(click.Group):
    """A group whose help has the commands as they are declared."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands."""
        return list(self.commands)


def plan_options(command: Command) -> Command:
    """The command with an option for each value of a plan."""
    for option in reversed(PLAN_OPTIONS):
        command = option(command)
    return command


def add_commands(app: click.Group, entry_points: CliEntryPoints) -> None:
    """Add both groups to the application."""
    app.add_command(_plans(entry_points))
    app.add_command(_usage(entry_points))


def _plans(entry_points: CliEntryPoints) -> click.Group:
    group = DeclaredOrder("plans", help="What plans there are, and what they allow.", no_args_is_help=True)

    @group.command("list")
    @data_option
    @json_option
    def list_(*, data: Path | None, as_json: bool) -> None:
        """All plans, retired ones too."""
        plans: list[Plan] = _run(entry_points, data, lambda administration: administration.plans())
        _print([asdict(plan) for plan in plans], (_plan_line(plan) for plan in plans), as_json=as_json)

    @group.command()
    @name_argument
    @data_option
    @json_option
    def show(name: str, *, data: Path | None, as_json: bool) -> None:
        """What one plan allows."""
        _print_plan(_run(entry_points, data, lambda administration: administration.plan(name)), as_json=as_json)

    @group.command()
    @name_argument
    @plan_options
    @reason_option
    @data_option
    @json_option
    def create(name: str, *, reason: str | None, data: Path | None, as_json: bool, **given: Any) -> None:
        """A new plan; what is not given is unlimited."""
        values = _values(given)
        plan = Plan(name=name, **(values | {"display_name": values.get("display_name") or name.capitalize()}))
        _print_plan(_run(entry_points, data, lambda a: a.create_plan(plan, _author(reason))), as_json=as_json)

    @group.command()
    @name_argument
    @plan_options
    @dry_run_option
    @reason_option
    @data_option
    @json_option
    def change(name: str, *, dry_run: bool, reason: str | None, data: Path | None, as_json: bool, **given: Any) -> None:
        """Change what is given; it binds the next prompt, without a restart."""
        changes = _values(given)
        if not changes:
            fail("nothing to change: name a limit, see flamechat plans change --help", MISUSED)
        if dry_run:
            _print_forecast(_run(entry_points, data, lambda a: a.foresee_change(name, changes)), as_json=as_json)
        else:
            _print_plan(
                _run(entry_points, data, lambda a: a.change_plan(name, changes, _author(reason))), as_json=as_json
            )

    @group.command()
    @name_argument
    @reason_option
    @data_option
    @json_option
    def retire(name: str, *, reason: str | None, data: Path | None, as_json: bool) -> None:
        """Take nobody new; who is on it stays."""
        _print_plan(_run(entry_points, data, lambda a: a.retire_plan(name, _author(reason))), as_json=as_json)

    @group.command()
    @data_option
    @json_option
    def changes(*, data: Path | None, as_json: bool) -> None:
        """Who changed what, newest first."""
        found = _run(entry_points, data, lambda administration: administration.changes())
        lines = (
            f"{one.changed_at:%Y-%m-%d %H:%M} {one.action} {one.plan_name or ''} {one.reason or ''}" for one in found
        )
        _print([asdict(one) for one in found], lines, as_json=as_json)

    return group


def _usage(entry_points: CliEntryPoints) -> click.Group:
    group = DeclaredOrder("usage", help="Where users stand, and what they are given.", no_args_is_help=True)

    @group.command()
    @user_option
    @click.option("--all", "everybody", is_flag=True, help="All users.")
    @data_option
    @json_option
    def show(*, user: str, everybody: bool, data: Path | None, as_json: bool) -> None:
        """What is used, what is left, when it renews."""

        async def task(administration: Administration) -> list[Usage]:
            return await administration.usages() if everybody else [await administration.usage(user)]

        found: list[Usage] = _run(entry_points, data, task)
        lines = (line for usage in found for line in _usage_lines(usage))
        _print([asdict(usage) for usage in found], lines, as_json=as_json)

    @group.command()
    @click.argument("plan", metavar="PLAN")
    @user_option
    @dry_run_option
    @reason_option
    @data_option
    @json_option
    def put_on_plan(
        plan: str, *, user: str, dry_run: bool, reason: str | None, data: Path | None, as_json: bool
    ) -> None:
        """Move a user to a plan; the counters are kept."""
        if dry_run:
            _print_forecast(_run(entry_points, data, lambda a: a.foresee_plan(user, plan)), as_json=as_json)
        else:
            _print_usage(
                _run(entry_points, data, lambda a: a.put_on_plan(user, plan, _author(reason))), as_json=as_json
            )

    @group.command()
    @click.argument("sessions", metavar="SESSIONS", type=int)
    @user_option
    @reason_option
    @data_option
    @json_option
    def grant(sessions: int, *, user: str, reason: str | None, data: Path | None, as_json: bool) -> None:
        """Conversations on top of the plan: of this month, or for good where the plan counts for a lifetime."""
        _print_usage(
            _run(entry_points, data, lambda a: a.grant_sessions(user, sessions, _author(reason))), as_json=as_json
        )

    @group.command()
    @user_option
    @reason_option
    @data_option
    @json_option
    def reset(*, user: str, reason: str | None, data: Path | None, as_json: bool) -> None:
        """All counters at zero, and nothing granted any more."""
        _print_usage(_run(entry_points, data, lambda a: a.reset_usage(user, _author(reason))), as_json=as_json)

    add_spend(group, entry_points)
    add_limit(group, partial(_run, entry_points), lambda value, lines, as_json: _print(value, lines, as_json=as_json))
    return group


def _run(entry_points: CliEntryPoints, data: Path | None, task: Task) -> Any:
    """What the task gives; ends the command with one line when it cannot be done."""
    import asyncio

    async def run() -> Any:
        async with entry_points.administration(data) as administration:
            return await task(administration)

    try:
        return asyncio.run(run())
    except (LimitsError, ServerError) as error:
        fail(str(error), MISUSED if isinstance(error, ConfigError) else FAILED)


def _author(reason: str | None) -> Author:
    return Author(user_id=LOCAL_USER_ID, reason=reason)


def _values(options: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a plan that were given, as the plan has them."""
    readers: dict[str, Callable[[str], Any]] = {
        "chat_sessions_period": SessionsPeriod,
        "over_budget": OverBudget,
        "hidden_tools": _tools,
        "chat_models": _models,
        **{name: partial(_ceiling, name) for name in LIMITS},
    }
    given = {name: value for name, value in options.items() if value is not None}
    return {name: readers[name](value) if name in readers else value for name, value in given.items()}


def _tools(text: str) -> tuple[str, ...]:
    from server.agent.tools.all_tools import known_tool

    try:
        return tuple(known_tool(name.strip()) for name in text.split(",") if name.strip() not in ("", NO_TOOLS))
    except ValueError as error:
        fail(f"--hidden-tools: {error}", MISUSED)


def _models(named: str) -> tuple[str, ...]:
    """Names of models; `none` is the empty list."""
    return () if named.strip() == "none" else tuple(part.strip() for part in named.split(",") if part.strip())


def _ceiling(name: str, text: str) -> int | None:
    if text == UNLIMITED:
        return None
    if not text.isascii() or not text.isdigit():
        fail(f"--{name.replace('_', '-')}: {text} is neither a number nor {UNLIMITED}", MISUSED)
    return int(text)


def _print(value: Any, lines: Iterable[str], *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(value, default=_json, indent=2))
    else:
        for line in lines:
            click.echo(line)


def _json(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(type(value).__name__)


def _print_plan(plan: Plan, *, as_json: bool) -> None:
    values = asdict(plan)
    _print(values, (f"{name.replace('_', ' ')}: {_shown(value)}" for name, value in values.items()), as_json=as_json)


def _print_usage(usage: Usage, *, as_json: bool) -> None:
    _print(asdict(usage), _usage_lines(usage), as_json=as_json)


def _print_forecast(forecast: Forecast, *, as_json: bool) -> None:
    by = ", ".join(f"{count} by {WORDS[kind]}" for kind, count in sorted(forecast.by_limit.items()))
    text = (
        f"{forecast.reached_then} of {forecast.users} users would be at or over a limit{f' ({by})' if by else ''}; "
        f"{forecast.reached_now} are now. {forecast.full_then} of their conversations would take no more messages; "
        f"{forecast.full_now} take none now. Nothing was changed."
    )
    _print(asdict(forecast), [text], as_json=as_json)


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(value) or "none"
    return UNLIMITED if value is None else str(value)


def _plan_line(plan: Plan) -> str:
    sessions = _shown(plan.chat_sessions_limit) + (f"/{plan.chat_sessions_period}" if plan.chat_sessions_period else "")
    return (
        f"{plan.name:12} messages {_shown(plan.chat_messages_per_session):>9}   sessions {sessions:>14}   "
        f"uploads/month {_shown(plan.monthly_upload_limit):>9}   traces {_shown(plan.total_trace_limit):>9}   "
        f"days {_shown(plan.retention_days):>9}{'   retired' if plan.is_retired else ''}"
        + ("" if plan.monthly_cost_limit_cents is None else f"   cents/month {plan.monthly_cost_limit_cents}")
        + ("" if plan.monthly_token_limit is None else f"   tokens/month {plan.monthly_token_limit}")
        + (f"   without {', '.join(plan.hidden_tools)}" if plan.hidden_tools else "")
        + (f"   by {', '.join(plan.chat_models)}" if plan.chat_models else "")
    )


def _usage_lines(usage: Usage) -> list[str]:
    unpaid = f" (subscribed to {usage.subscribed_plan}: {usage.status})"
    plan = usage.plan.name + ("" if usage.plan.name == usage.subscribed_plan else unpaid)
    lines = [f"user {usage.user_id}{f' {usage.display_name}' if usage.display_name else ''}: plan {plan}"]
    for meter in meters(usage):
        left = "" if meter.left is None else f", {meter.left} left"
        renews = f", renews {meter.resets_at:%Y-%m-%d %H:%M} UTC" if meter.resets_at else ""
        lines.append(f"  {WORDS[meter.limit_type]}: {meter.used} of {_shown(meter.limit)}{left}{renews}")
    if usage.granted_sessions:
        lines.append(f"  {usage.granted_sessions} conversations were granted on top of the plan")
    return lines
