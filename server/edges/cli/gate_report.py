"""A judgement of a gate as it is written: for people, and for programs."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from server.edges.cli.printing import where
from server.edges.cli.scope import Scope
from server.quoting import plain, visible
from traces.analysis.units import format_share
from traces.gate.growth_text import figures, shares_of
from traces.gate.judgement import Judgement, RuleResult
from traces.gate.outcome import Outcome
from traces.gate.rules import GrowthRule, Rule

LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class GateReport:
    """A judgement with what the command was asked."""

    judgement: Judgement
    rules: Sequence[Rule]
    before: Sequence[Path]
    after: Sequence[Path]
    scope: Scope
    single_run: float | None
    exit_code: int
    report_only: bool
    command: tuple[str, ...] = ()
    """In place of files before: the options of a baseline on a server."""

    diff: str | None = None
    """The address that shows the first run after against the newest before."""

    picture: Path | None = None
    """The file in which that is drawn as a flame graph."""


def written(report: GateReport, form: str) -> str:
    """The report in one of the command's formats."""
    match form:
        case "markdown":
            from server.edges.cli.gate_markdown import as_markdown

            return as_markdown(report)
        case "sarif":
            from server.edges.cli.gate_annotations import as_sarif

            return as_sarif(report)
        case "github":
            from server.edges.cli.gate_annotations import as_github

            return as_github(report)
        case "json":
            return as_json(report)
        case _:
            return as_text(report)


def as_text(report: GateReport) -> str:
    """Lines for a terminal: the end of each rule, what it was judged by, what changed."""
    judgement = report.judgement
    lines = [headline(report)]
    if judgement.incomparable:
        lines.append(plain(judgement.incomparable, 300))
    for result in judgement.results:
        ended = f"{result.outcome.value:<14} {plain(result.rule.text, LONGEST_NAME)}"
        lines.append(f"{ended}: {evidence_of(result, judgement)}")
    if judgement.changed:
        lines.append("most changed by their own share (medians, untested):")
        lines += [f"  {shares_of(row):>18}  {where(row.name, row.file, None)}" for row in judgement.changed]
    lines += [f"note: {plain(note, 300)}" for note in judgement.notes]
    if report.diff is not None:
        lines.append(f"diff: {visible(report.diff)}")
    return "\n".join(lines)


def as_json(report: GateReport) -> str:
    """One document with the figures in the runs' own units."""
    judgement = report.judgement
    document: dict[str, Any] = {
        "outcome": judgement.outcome.value,
        "exit_code": report.exit_code,
        "report_only": report.report_only,
        "incomparable": judgement.incomparable,
        "unit": judgement.unit.value,
        "level": judgement.level,
        "single_run": report.single_run,
        "before": [str(path) for path in report.before],
        "after": [str(path) for path in report.after],
        "diff": report.diff,
        "picture": None if report.picture is None else str(report.picture),
        "rules": [_rule_fields(result, judgement) for result in judgement.results],
        "changed": [asdict(row) for row in judgement.changed],
        "notes": list(judgement.notes),
    }
    return visible(json.dumps(document, indent=2, ensure_ascii=False))


def headline(report: GateReport) -> str:
    """How the gate ended, over how many runs."""
    judgement = report.judgement
    broken = sum(result.outcome is Outcome.BROKEN for result in judgement.results)
    runs = f"{counted(len(report.before), 'run')} before, {len(report.after)} after"
    rules = counted(len(judgement.results), "rule")
    ended = f"{broken} of {rules}" if broken else rules
    return f"{judgement.outcome.value}: {ended}; {runs}" + (" (report only)" if report.report_only else "")


def counted(number: int, noun: str) -> str:
    """`1 run`, `2 runs`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def evidence_of(result: RuleResult, judgement: Judgement) -> str:
    """What a rule was judged by, on one line."""
    parts = []
    if result.growth is not None and isinstance(result.rule, GrowthRule):
        parts.append(figures(result.rule, result.growth, judgement))
    if result.occurrences is not None:
        named = [plain(one.name, LONGEST_NAME) + f" {format_share(one.share)}" for one in result.occurrences.functions]
        parts += [", ".join(named[:5]) + (f" and {len(named) - 5} more" if len(named) > 5 else "")] if named else []
    return "; ".join([*parts, plain(result.reason, 300)])


def _rule_fields(result: RuleResult, judgement: Judgement) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "rule": result.rule.text,
        "outcome": result.outcome.value,
        "reason": result.reason,
        "summary": evidence_of(result, judgement),
        "growth": None if result.growth is None else asdict(result.growth),
        "occurrences": None if result.occurrences is None else asdict(result.occurrences),
    }
    return fields
