"""A gate's judgement as a comment on a pull request.

A trace's texts stand as code, in which no renderer sees links, mentions, pictures or HTML; those with a character that
could end the code or a table's cell are written in entities, which CommonMark (2.5) never takes for structure.
"""

import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from server.edges.cli.gate_report import GateReport, counted, evidence_of, headline
from server.quoting import clamp, plain, visible
from traces.analysis.units import format_value
from traces.gate.growth import Growth, Method
from traces.gate.growth_text import figures, shares_of
from traces.gate.judgement import ChangedFunction, RuleResult
from traces.gate.outcome import Outcome
from traces.gate.rules import GrowthRule

MARKER = "<!-- flamechat-gate -->"
"""By which a job finds its own comment, to change it."""
SIGNS = {Outcome.KEPT: "✅", Outcome.BROKEN: "❌", Outcome.UNDECIDED: "❔"}
MOST_RULES = 40
"""Rows of the table: GitHub refuses a comment of more than 65,536 characters."""
LONGEST_COMMAND = 8_000
ADDRESS = ":/?&=#[]@!$'()*+,;%~"
"""What stays as it is in an address (RFC 3986, 2.2), none of which ends a link in brackets."""
_UNSAFE = re.compile(r"[`|\\]|^\s|\s$")


def as_markdown(report: GateReport) -> str:
    """The marker, the end, a table of rules, one of changed functions, how sure, and how to see it again."""
    judgement = report.judgement
    parts = [f"{MARKER}\n### {SIGNS[judgement.outcome]} Performance gate: {headline(report)}"]
    if judgement.incomparable:
        parts.append(code(judgement.incomparable, 300))
    rows = [[SIGNS[one.outcome], code(one.rule.text), *_cells(one, report)] for one in judgement.results]
    parts.append(_table(["", "rule", "before → after", "why"], rows[:MOST_RULES]))
    if len(rows) > MOST_RULES:
        parts.append(f"… and {len(rows) - MOST_RULES} more rules")
    if judgement.changed:
        changed = [_changed(row, report) for row in judgement.changed]
        header = ["function", "own share", "own value", "change"]
        parts.append("**Most changed by themselves** (medians, untested)\n\n" + _table(header, changed))
    if report.diff is not None:
        parts.append(f"[Open the diff](<{quote(report.diff, safe=ADDRESS)}>)")
    if report.picture is not None:
        parts.append(f"![What changed, as a flame graph](<{quote(str(report.picture), safe=ADDRESS)}>)")
    parts.append(_how_sure(report))
    parts += [f"Note: {code(note, 300)}" for note in judgement.notes]
    parts.append("<details><summary>Reproduce</summary>\n\n" + _fenced(_commands(report)) + "\n\n</details>")
    return "\n\n".join(parts)


def code(text: str, limit: int = 80) -> str:
    """A trace's text as inline code that nothing in it can leave."""
    one_line = plain(text, limit)
    if one_line and not _UNSAFE.search(one_line):
        return f"`{one_line}`"
    return f"<code>{''.join(one if one.isalnum() or one == ' ' else f'&#{ord(one)};' for one in one_line)}</code>"


def _cells(result: RuleResult, report: GateReport) -> list[str]:
    judgement = report.judgement
    if result.growth is not None and isinstance(result.rule, GrowthRule):
        return [figures(result.rule, result.growth, judgement), code(result.reason, 300)]
    return ["", code(evidence_of(result, judgement), 300)]


def _changed(row: ChangedFunction, report: GateReport) -> list[str]:
    unit = report.judgement.unit
    values = f"{format_value(row.self_before, unit)} → {format_value(row.self_after, unit)}"
    return [
        code(row.name) + (f" {code(row.file, 60)}" if row.file else ""),
        shares_of(row),
        values,
        f"{100 * (row.share_after - row.share_before):+.1f} points",
    ]


def _how_sure(report: GateReport) -> str:
    judgement = report.judgement
    methods = {one.growth.method for one in judgement.results if isinstance(one.growth, Growth)}
    said = []
    if Method.RANKS in methods:
        said.append("the exact rank test, to the side of growth (delta is Cliff's, from -1 to 1)")
    if Method.PREDICTION in methods:
        said.append("the prediction interval of the runs before, on logarithms")
    if not said:
        return "How sure: nothing was tested."
    growth_rules = sum(isinstance(one.rule, GrowthRule) for one in judgement.results)
    return (
        f"How sure: judged by {' and '.join(said)}, each at {judgement.level:.3g} "
        f"(0.05 over {counted(growth_rules, 'rule')} of growth); intervals in brackets are at that level."
    )


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _commands(report: GateReport) -> list[str]:
    before = report.command or ("--before", *_paths(report.before))
    words: list[str] = ["flamechat", "gate", *_paths(report.after), *before]
    for rule in report.rules:
        words += ["--rule", rule.text]
    words += report.scope.as_options()
    if report.single_run is not None:
        words += ["--single-run", f"{report.single_run:.6%}"]
    drawn = ["flamechat", "render", *_paths(report.after[:1]), "--diff", *_paths(report.before[:1]), "-o", "diff.png"]
    lines = (words,) if report.command else (words, drawn)
    return [clamp(visible(shlex.join(line), but=""), LONGEST_COMMAND) for line in lines]


def _paths(paths: Sequence[Path]) -> list[str]:
    """As arguments: one that begins with a dash would be an option."""
    return [f"./{path}" if str(path).startswith("-") else str(path) for path in paths]


def _fenced(lines: Sequence[str]) -> str:
    longest = max((len(run) for line in lines for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([f"{fence}sh", *lines, fence])
