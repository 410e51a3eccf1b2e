"""docs/insights.md, from the registry: every detector with its thresholds and their sources."""

from itertools import groupby

from traces.analysis.units import format_share, format_value
from traces.insights.insight import Detector, Kind
from traces.insights.registry import DETECTORS
from traces.insights.thresholds import THRESHOLDS, Threshold
from traces.values import Unit

HEADINGS = {
    Kind.QUALITY: "The trace itself",
    Kind.CODE: "Code",
    Kind.OVERHEAD: "Overheads by name",
    Kind.RUNTIME: "Runtime and kernel",
    Kind.WAITING: "Locks and waiting",
    Kind.TIMELINE: "Timelines",
    Kind.PAGE: "Pages in Chrome",
    Kind.REQUESTS: "Requests and queries",
    Kind.MEMORY: "Memory",
    Kind.PYTORCH: "PyTorch",
    Kind.COMPARISON: "Comparison",
}
HEAD = """# Findings

What is looked for in every trace before anybody asks (`traces/insights`), without a model. Each detector answers `fail`
(the trace has it), `pass`, or `not_applicable` with the reason, and gives evidence with handles, the window where there
is one, the share at stake at most, and its confidence: `high` is arithmetic on what was recorded, `medium` a rule that
seldom errs, `low` a guess from names. `flamechat insights TRACE`, `GET /api/v1/traces/{id}/insights` and the tool
`get_insights` show them. A finding of `low` severity and more names the class of cause that its
detector claims. "ours" marks a threshold for which no published source was found.

All of this file but its last part is written from the registry
(`python -c "from traces.insights.catalogue import catalogue; print(catalogue(), end='')"`); `python -m evals.causes`
prints the last part's table.
"""
MEASURED = "\n## How well causes are found\n"
"""The heading of the document's last part, which has printed figures."""


def catalogue() -> str:
    """The document as Markdown."""
    parts = [HEAD, f"There are {len(DETECTORS)} detectors."]
    for kind, detectors in groupby(sorted(DETECTORS, key=_place), key=lambda detector: detector.kind):
        lines = [
            f"\n## {HEADINGS[kind]}\n",
            "| finding | looks for | cause it claims | confidence | thresholds and their sources |",
        ]
        lines.append("|---|---|---|---|---|")
        for one in detectors:
            cause = one.cause or "none"
            limits = "; ".join(_said(THRESHOLDS[key]) for key in one.thresholds) or "none"
            lines.append(f"| `{one.id}` {one.title} | {one.about} | {cause} | {one.confidence} | {limits} |")
        parts.append("\n".join(lines))
    return "\n".join(parts) + "\n"


def _place(detector: Detector) -> int:
    return list(Kind).index(detector.kind)


def _said(limit: Threshold) -> str:
    if limit.unit == "share":
        amount = format_share(limit.value)
    elif limit.unit in ("ns", "bytes"):
        amount = format_value(limit.value, Unit.NANOSECONDS if limit.unit == "ns" else Unit.BYTES)
    else:
        amount = (
            f"{limit.value:,.0f} {limit.unit}" if limit.value == int(limit.value) else f"{limit.value} {limit.unit}"
        )
    return f"{amount} ({limit.meaning}; {limit.source})"
