"""`flamechat gate AFTER... --before FILES --rule RULE`: whether runs keep the rules that earlier runs set."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from server.agent.tools.contract.tool_errors import ToolRetry
from server.edges.cli.gate_report import GateReport, written
from server.edges.cli.gate_settings import read_gate_settings
from server.edges.cli.printing import Opened, open_trace
from server.edges.cli.reading import FAILED, MISUSED, UNDECIDABLE, fail
from server.edges.cli.scope import Scope
from traces.errors import TraceError
from traces.gate.function_keys import FunctionKey, matching
from traces.gate.judgement import Judgement, judge
from traces.gate.outcome import Outcome
from traces.gate.rules import FindingRule, GrowthRule, InvalidRule, Rule, parse_percent, parse_rules
from traces.gate.run_measures import RunMeasures, function_keys, measure_run

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


def gate(request: GateRequest, scope: Scope) -> None:
    """Print the judgement and end with its exit code. What cannot be read is misuse: 1 is for broken rules alone."""
    try:
        settings = read_gate_settings(request.config)
        rules = parse_rules(request.rules or settings.rules)
        bound = request.single_run or settings.single_run
        single_run = None if bound is None else parse_percent(bound)
        before = _files(request.before) or settings.runs_before()
        after = _files(request.after)
        if not before or not after:
            raise InvalidRule("a gate needs runs before (--before FILES) and runs after.")
        judgement = judge_files(before, after, rules, scope, single_run=single_run)
    except (ToolRetry, TraceError) as error:
        fail(str(error), MISUSED)
    except click.exceptions.Exit as ended:
        raise click.exceptions.Exit(MISUSED if ended.exit_code == FAILED else ended.exit_code) from None
    code = EXIT_CODES[judgement.outcome]
    if request.report_only and judgement.outcome is Outcome.BROKEN:
        code = 0
    report = GateReport(judgement, rules, before, after, scope, single_run, code, report_only=request.report_only)
    click.echo(written(report, request.form))
    raise click.exceptions.Exit(code)


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
