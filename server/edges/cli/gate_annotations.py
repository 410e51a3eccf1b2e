"""A gate's judgement for programs that show it with the code: SARIF 2.1.0, and GitHub's workflow commands."""

import hashlib
import json
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any
from urllib.parse import quote

from server.edges.cli.gate_report import GateReport, evidence_of, headline
from server.quoting import plain, visible
from traces.gate.judgement import RuleResult
from traces.gate.outcome import Outcome
from traces.gate.rules import FindingRule, GrowthRule, NewHotFunctionRule, Rule

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
ABOUT = {
    "self": "A function's own value may grow by a bound",
    "total": "A value may grow by a bound",
    "self_share": "A function's own share of its run may grow by a bound",
    "total_share": "A function's share of its run may grow by a bound",
    "new-hot-function": "No function becomes hot that was not",
    "finding": "A finding does not appear",
}
"""What each kind of rule bounds, by the id it has in SARIF."""
LEVELS = {Outcome.BROKEN: "error", Outcome.UNDECIDED: "warning", Outcome.KEPT: "note"}
COMMANDS = {Outcome.BROKEN: "error", Outcome.UNDECIDED: "warning", Outcome.KEPT: "notice"}
LONGEST_MESSAGE = 1_000


def as_sarif(report: GateReport) -> str:
    """One SARIF log: a result for each rule that is broken or not decidable, at the first run after."""
    judgement = report.judgement
    kinds = list(dict.fromkeys(rule_id(one.rule) for one in judgement.results))
    driver = {
        "name": "flamechat gate",
        "version": _version(),
        "rules": [{"id": kind, "shortDescription": {"text": ABOUT[kind]}} for kind in kinds],
    }
    results = [
        _result(one, report, kinds.index(rule_id(one.rule)))
        for one in judgement.results
        if one.outcome is not Outcome.KEPT
    ]
    log = {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "invocations": [{"executionSuccessful": True, "exitCode": report.exit_code}],
                "results": results,
            }
        ],
    }
    return visible(json.dumps(log, indent=2, ensure_ascii=False))


def as_github(report: GateReport) -> str:
    """A workflow command for each rule, and nothing else: no text of a trace begins a line."""
    lines = [f"::notice title=flamechat gate::{_data(headline(report))}"]
    for one in report.judgement.results:
        title = _property(plain(one.rule.text, 100))
        lines.append(f"::{COMMANDS[one.outcome]} title={title}::{_data(_message(one, report))}")
    return "\n".join(lines)


def rule_id(rule: Rule) -> str:
    """The kind of a rule, one of ABOUT."""
    match rule:
        case GrowthRule(measure=measure):
            return measure.value
        case NewHotFunctionRule():
            return "new-hot-function"
        case FindingRule():
            return "finding"


def _result(result: RuleResult, report: GateReport, index: int) -> dict[str, Any]:
    artifact = {"uri": _uri(report.after[0])}
    return {
        "ruleId": rule_id(result.rule),
        "ruleIndex": index,
        "level": LEVELS[result.outcome],
        "message": {"text": _unlinked(_message(result, report))},
        "locations": [{"physicalLocation": {"artifactLocation": artifact, "region": {"startLine": 1}}}],
        "partialFingerprints": {"gateRule/v1": hashlib.sha256(result.rule.text.encode("utf-8", "replace")).hexdigest()},
        "properties": {"outcome": result.outcome.value},
    }


def _message(result: RuleResult, report: GateReport) -> str:
    judgement = report.judgement
    why = judgement.incomparable or evidence_of(result, judgement)
    return plain(f"{result.outcome.value}: {plain(result.rule.text, 300)}: {why}", LONGEST_MESSAGE)


def _unlinked(text: str) -> str:
    """Without what SARIF reads as a link (3.11.6) or a placeholder (3.11.5) in a message."""
    for special in ("\\", "[", "]"):
        text = text.replace(special, f"\\{special}")
    return text.replace("{", "{{").replace("}", "}}")


def _uri(path: Path) -> str:
    """A path as a URI reference, relative where the path is."""
    return path.as_uri() if path.is_absolute() else quote(path.as_posix().encode("utf-8", "surrogateescape"))


def _data(text: str) -> str:
    """As GitHub's runner reads it back: @actions/toolkit, packages/core/src/command.ts."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _version() -> str:
    try:
        return version("flamechat")
    except PackageNotFoundError:
        return "0"
