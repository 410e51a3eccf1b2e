"""`flamechat plans ...` and `flamechat usage ...`: on the data folder of this machine, whether its server runs or
not.
"""

import json
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from limits.administration import Administration, Author
from limits.errors import LimitsError
from limits.plans import Plan, SessionsPeriod
from limits.refusals import LimitType
from limits.usage import Forecast, Usage, meters
from server.edges.cli.entry_points import CliEntryPoints
from server.edges.cli.reading import FAILED, MISUSED, fail
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
}

Task = Callable[[Administration], Awaitable[Any]]
Data = Annotated[Path | None, typer.Option(file_okay=False, help="The server's data folder.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Reason = Annotated[str | None, typer.Option(help="Why, for the audit.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say how many users would be over; change nothing.")]
User = Annotated[str, typer.Option(help="The user's id; default: the user of this machine.")]
PlanName = Annotated[str, typer.Argument(metavar="PLAN")]


Limit = Annotated[str | None, typer.Option(metavar="N|unlimited", show_default=False)]
DisplayName = Annotated[str | None, typer.Option(help="As people read it.")]
Price = Annotated[int | None, typer.Option("--price-monthly-cents", min=0)]
PeriodOption = Annotated[
    SessionsPeriod | None, typer.Option("--chat-sessions-period", help="What the sessions limit is of.")
]
HiddenTools = Annotated[
    str | None, typer.Option(help="Tools of the agent that the plan leaves out, with commas; none for all of them.")
]
ChatModels = Annotated[
    str | None, typer.Option(help="Models the plan offers, with commas, its default first; none for the server's own.")
]
Sharing = Annotated[bool | None, typer.Option("--allow-public-sharing/--no-public-sharing", show_default=False)]


def add_commands(app: typer.Typer, entry_points: CliEntryPoints) -> None:
    """Add both groups to the application."""
    app.add_typer(_plans(entry_points), name="plans")
    app.add_typer(_usage(entry_points), name="usage")


def _plans(entry_points: CliEntryPoints) -> typer.Typer:
    group = typer.Typer(help="What plans there are, and what they allow.", no_args_is_help=True)

    @group.command("list")
    def list_(*, data: Data = None, as_json: AsJson = False) -> None:
        """All plans, retired ones too."""
        plans: list[Plan] = _run(entry_points, data, lambda administration: administration.plans())
        _print([asdict(plan) for plan in plans], (_plan_line(plan) for plan in plans), as_json=as_json)

    @group.command()
    def show(name: PlanName, *, data: Data = None, as_json: AsJson = False) -> None:
        """What one plan allows."""
        _print_plan(_run(entry_points, data, lambda administration: administration.plan(name)), as_json=as_json)

    @group.command()
    def create(
        name: PlanName,
        *,
        display_name: DisplayName = None,
        price: Price = None,
        chat_messages_per_session: Limit = None,
        chat_sessions_limit: Limit = None,
        period: PeriodOption = None,
        monthly_upload_limit: Limit = None,
        total_trace_limit: Limit = None,
        retention_days: Limit = None,
        sharing: Sharing = None,
        hidden_tools: HiddenTools = None,
        chat_models: ChatModels = None,
        reason: Reason = None,
        data: Data = None,
        as_json: AsJson = False,
    ) -> None:
        """A new plan; what is not given is unlimited."""
        ceilings = _ceilings(
            chat_messages_per_session, chat_sessions_limit, monthly_upload_limit, total_trace_limit, retention_days
        )
        values = _given(
            display_name=display_name or name.capitalize(),
            price=price,
            period=period,
            sharing=sharing,
            hidden=hidden_tools,
            models=chat_models,
        )
        plan = Plan(name=name, **(values | ceilings))
        _print_plan(_run(entry_points, data, lambda a: a.create_plan(plan, _author(reason))), as_json=as_json)

    @group.command()
    def change(
        name: PlanName,
        *,
        display_name: DisplayName = None,
        price: Price = None,
        chat_messages_per_session: Limit = None,
        chat_sessions_limit: Limit = None,
        period: PeriodOption = None,
        monthly_upload_limit: Limit = None,
        total_trace_limit: Limit = None,
        retention_days: Limit = None,
        sharing: Sharing = None,
        hidden_tools: HiddenTools = None,
        chat_models: ChatModels = None,
        dry_run: DryRun = False,
        reason: Reason = None,
        data: Data = None,
        as_json: AsJson = False,
    ) -> None:
        """Change what is given; it binds the next prompt, without a restart."""
        ceilings = _ceilings(
            chat_messages_per_session, chat_sessions_limit, monthly_upload_limit, total_trace_limit, retention_days
        )
        changes = ceilings | _given(
            display_name=display_name,
            price=price,
            period=period,
            sharing=sharing,
            hidden=hidden_tools,
            models=chat_models,
        )
        if not changes:
            fail("nothing to change: name a limit, see flamechat plans change --help", MISUSED)
        if dry_run:
            _print_forecast(_run(entry_points, data, lambda a: a.foresee_change(name, changes)), as_json=as_json)
        else:
            _print_plan(
                _run(entry_points, data, lambda a: a.change_plan(name, changes, _author(reason))), as_json=as_json
            )

    @group.command()
    def retire(name: PlanName, *, reason: Reason = None, data: Data = None, as_json: AsJson = False) -> None:
        """Take nobody new; who is on it stays."""
        _print_plan(_run(entry_points, data, lambda a: a.retire_plan(name, _author(reason))), as_json=as_json)

    @group.command()
    def changes(*, data: Data = None, as_json: AsJson = False) -> None:
        """Who changed what, newest first."""
        found = _run(entry_points, data, lambda administration: administration.changes())
        lines = (
            f"{one.changed_at:%Y-%m-%d %H:%M} {one.action} {one.plan_name or ''} {one.reason or ''}" for one in found
        )
        _print([asdict(one) for one in found], lines, as_json=as_json)

    return group


def _usage(entry_points: CliEntryPoints) -> typer.Typer:
    group = typer.Typer(help="Where users stand, and what they are given.", no_args_is_help=True)

    @group.command()
    def show(
        *,
        user: User = LOCAL_USER_ID,
        everybody: Annotated[bool, typer.Option("--all", help="All users.")] = False,
        data: Data = None,
        as_json: AsJson = False,
    ) -> None:
        """What is used, what is left, when it renews."""

        async def task(administration: Administration) -> list[Usage]:
            return await administration.usages() if everybody else [await administration.usage(user)]

        found: list[Usage] = _run(entry_points, data, task)
        lines = (line for usage in found for line in _usage_lines(usage))
        _print([asdict(usage) for usage in found], lines, as_json=as_json)

    @group.command()
    def put_on_plan(
        plan: PlanName,
        *,
        user: User = LOCAL_USER_ID,
        dry_run: DryRun = False,
        reason: Reason = None,
        data: Data = None,
        as_json: AsJson = False,
    ) -> None:
        """Move a user to a plan; the counters are kept."""
        if dry_run:
            _print_forecast(_run(entry_points, data, lambda a: a.foresee_plan(user, plan)), as_json=as_json)
        else:
            _print_usage(
                _run(entry_points, data, lambda a: a.put_on_plan(user, plan, _author(reason))), as_json=as_json
            )

    @group.command()
    def grant(
        sessions: Annotated[int, typer.Argument(metavar="SESSIONS")],
        *,
        user: User = LOCAL_USER_ID,
        reason: Reason = None,
        data: Data = None,
        as_json: AsJson = False,
    ) -> None:
        """Conversations on top of the plan: of this month, or for good where the plan counts for a lifetime."""
        _print_usage(
            _run(entry_points, data, lambda a: a.grant_sessions(user, sessions, _author(reason))), as_json=as_json
        )

    @group.command()
    def reset(*, user: User = LOCAL_USER_ID, reason: Reason = None, data: Data = None, as_json: AsJson = False) -> None:
        """All counters at zero, and nothing granted any more."""
        _print_usage(_run(entry_points, data, lambda a: a.reset_usage(user, _author(reason))), as_json=as_json)

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


def _given(
    *,
    display_name: str | None,
    price: int | None,
    period: SessionsPeriod | None,
    sharing: bool | None,
    hidden: str | None,
    models: str | None,
) -> dict[str, Any]:
    values = {
        "display_name": display_name,
        "price_monthly_cents": price,
        "chat_sessions_period": period,
        "allow_public_sharing": sharing,
        "hidden_tools": None if hidden is None else _tools(hidden),
        "chat_models": None if models is None else _models(models),
    }
    return {name: value for name, value in values.items() if value is not None}


def _tools(text: str) -> tuple[str, ...]:
    from server.agent.tools.all_tools import known_tool

    try:
        return tuple(known_tool(name.strip()) for name in text.split(",") if name.strip() not in ("", NO_TOOLS))
    except ValueError as error:
        fail(f"--hidden-tools: {error}", MISUSED)


def _models(named: str) -> tuple[str, ...]:
    """Names of models; `none` is the empty list."""
    return () if named.strip() == "none" else tuple(part.strip() for part in named.split(",") if part.strip())


def _ceilings(
    messages: str | None, sessions: str | None, uploads: str | None, traces: str | None, days: str | None
) -> dict[str, Any]:
    given = {
        "chat_messages_per_session": messages,
        "chat_sessions_limit": sessions,
        "monthly_upload_limit": uploads,
        "total_trace_limit": traces,
        "retention_days": days,
    }
    return {name: _ceiling(name, text) for name, text in given.items() if text is not None}


def _ceiling(name: str, text: str) -> int | None:
    if text == UNLIMITED:
        return None
    if not text.isascii() or not text.isdigit():
        fail(f"--{name.replace('_', '-')}: {text} is neither a number nor {UNLIMITED}", MISUSED)
    return int(text)


def _print(value: Any, lines: Iterable[str], *, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(value, default=_json, indent=2))
    else:
        for line in lines:
            typer.echo(line)


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
