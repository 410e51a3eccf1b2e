"""`flamechat gate AFTER... --before FILES --rule RULE`: whether runs keep the rules that earlier runs set."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from server.agent.tools.contract.tool_errors import ToolRetry
from server.edges.cli.gate_report import GateReport, written
from server.edges.cli.gate_settings import GateSettings, read_gate_settings
from server.edges.cli.printing import Opened, open_trace
from server.edges.cli.reading import FAILED, MISUSED, UNDECIDABLE, fail
from server.edges.cli.scope import Scope
from traces.errors import TraceError
from traces.gate.function_keys import FunctionKey, matching
from traces.gate.judgement import Judgement, judge
from traces.gate.outcome import Outcome
from traces.gate.rules import FindingRule, GrowthRule, InvalidRule, Rule, parse_percent, parse_rules
from traces.gate.run_measures import RunMeasures, function_keys, measure_run

if TYPE_CHECKING:
    from server.edges.cli.gate_on_server import JudgedThere, ServerBaseline

ACCEPT = Path("accept")
"""As the only word before a result's id, where no file has that name."""

EXIT_CODES = {Outcome.KEPT: 0, Outcome.BROKEN: FAILED, Outcome.UNDECIDED: UNDECIDABLE}


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRequest:
    """What the command was called with."""

    after: tuple[Path, ...]
    before: tuple[Path, ...]
    rules: tuple[str, ...]
    single_run: str | None
    config: Path | None
    report_only: bool
    form: str
    baseline: str | None = None
    last: int | None = None
    labels: tuple[str, ...] = ()
    server: str | None = None
    token: str | None = field(default=None, repr=False)
    reason: str | None = None
    picture: Path | None = None


def gate(request: GateRequest, scope: Scope) -> None:
    """Print the judgement and end with its exit code. What cannot be read is misuse: 1 is for broken rules alone."""
    if request.after[:1] == (ACCEPT,) and len(request.after) == 2 and not ACCEPT.exists():
        _accept(request)
        return
    try:
        settings = read_gate_settings(request.config)
        rules = parse_rules(request.rules or settings.rules)
        bound = request.single_run or settings.single_run
        single_run = None if bound is None else parse_percent(bound)
        after = _files(request.after)
        where = None if request.before else _server_of(request, settings)
        if where is None:
            before = _files(request.before) or settings.runs_before()
            if not before or not after:
                raise InvalidRule("a gate needs runs before (--before FILES or --baseline LABELS) and runs after.")
            there, judgement = None, judge_files(before, after, rules, scope, single_run=single_run)
        else:
            there = _judged_there(where, after, rules, bound, scope)
            before, judgement = tuple(map(Path, there.before)), there.judgement
    except (ToolRetry, TraceError) as error:
        fail(str(error), MISUSED)
    except click.exceptions.Exit as ended:
        raise click.exceptions.Exit(MISUSED if ended.exit_code == FAILED else ended.exit_code) from None
    code = EXIT_CODES[judgement.outcome]
    if request.report_only and judgement.outcome is Outcome.BROKEN:
        code = 0
    report = GateReport(judgement, rules, before, after, scope, single_run, code, report_only=request.report_only)
    if there is not None and where is not None:
        report = replace(report, diff=there.diff, command=where.as_options())
    if request.picture is not None:
        if there is not None:
            fail(f"--diff draws files that are here; a server shows the diff at {there.diff}", MISUSED)
        _draw(before[0], after[0], request.picture, scope)
        report = replace(report, picture=request.picture)
    click.echo(written(report, request.form))
    raise click.exceptions.Exit(code)


def _draw(before: Path, after: Path, picture: Path, scope: Scope) -> None:
    """The diff flame graph into a file. Ends the command as wrongly called where that cannot be drawn or written: its
    other codes are the judgement's."""
    from server.edges.cli.render import render

    profile = None if scope.profile == "all" else scope.profile
    try:
        render(after, picture, before=before, show=False, asked={"profile": profile, "before_profile": profile})
    except click.exceptions.Exit:
        raise click.exceptions.Exit(MISUSED) from None


def _accept(request: GateRequest) -> None:
    from server.edges.cli.gate_on_server import accept
    from server.edges.cli.server_requests import DEFAULT_SERVER

    click.echo(accept(str(request.after[1]), request.reason, request.server or DEFAULT_SERVER, request.token))


def _server_of(request: GateRequest, settings: GateSettings) -> "ServerBaseline | None":
    """Raises InvalidRule."""
    if request.baseline is None and not settings.baseline:
        return None
    from server.edges.cli.gate_on_server import baseline_of

    return baseline_of(
        request.baseline,
        settings,
        labels=request.labels,
        last=request.last,
        server=request.server,
        token=request.token,
    )


def _judged_there(
    where: "ServerBaseline", after: Sequence[Path], rules: Sequence[Rule], bound: str | None, scope: Scope
) -> "JudgedThere":
    """Raises InvalidRule for what only runs of this machine can be asked."""
    from server.edges.cli.gate_on_server import judged_there

    if not after:
        raise InvalidRule("a gate needs runs that it judges.")
    if options := scope.as_options():
        raise InvalidRule(f"a server judges runs as it shows them first: leave out {options[0]}.")
    there = judged_there(where, after, [rule.text for rule in rules], bound)
    return replace(there, judgement=replace(there.judgement, notes=(*there.notes, *there.judgement.notes)))


def judge_files(
    before: Sequence[Path], after: Sequence[Path], rules: Sequence[Rule], scope: Scope, *, single_run: float | None
) -> Judgement:
    """The judgement of recordings. Raises InvalidRule, ToolRetry, TraceError; ends the command for a bad file."""
    runs = [open_trace(path, scope) for path in (*before, *after)]
    targets = _targets(rules, runs)
    measured = [_measured(run, rules, targets) for run in runs]
    return judge(measured[: len(before)], measured[len(before) :], rules, single_run=single_run)


def _targets(rules: Sequence[Rule], runs: Sequence[Opened]) -> dict[str, frozenset[FunctionKey]]:
    """The functions that rules mean, over all runs together, so that a rule means the same in each."""
    named = [rule.function for rule in rules if isinstance(rule, GrowthRule) and rule.function is not None]
    known = {key for run in runs for key in function_keys(run.trace)} if named else set()
    return {function: matching(function, known) for function in named}


def _measured(run: Opened, rules: Sequence[Rule], targets: dict[str, frozenset[FunctionKey]]) -> RunMeasures:
    found: dict[str, bool | None] = {}
    if any(isinstance(rule, FindingRule) for rule in rules):
        from traces.gate.rule_findings import findings_of, need_findings

        found = findings_of(run.trace, run.profile, need_findings(rules))
    return measure_run(run.chosen, targets=targets, window=run.window, findings=found)


def _files(given: Sequence[Path]) -> tuple[Path, ...]:
    """Each file once; a folder stands for the files in it. Raises InvalidRule for an empty one."""
    found: dict[Path, None] = {}
    for path in given:
        if not path.is_dir():
            found[path] = None
            continue
        inside = sorted(one for one in path.iterdir() if one.is_file() and not one.name.startswith("."))
        if not inside:
            raise InvalidRule(f"{path} is a folder without runs.")
        found |= dict.fromkeys(inside)
    return tuple(found)
