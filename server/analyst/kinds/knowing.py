"""Questions about the trace itself, about what rules cannot answer, and about what is or is not wrong."""

from typing import Any

from server.analyst.evidence import Evidence
from server.analyst.figures import linked
from server.analyst.findings import distinct_findings, sentence_of
from server.analyst.forms import forms
from server.analyst.kinds import recorded_time
from server.analyst.kinds.kind import BY_SELF, DOMINATES, SUMMARY, Call
from server.analyst.kinds.one_function import leading
from server.analyst.kinds.overview import caveats, overview, verdict
from server.analyst.kinds.paths import LEADS
from server.analyst.kinds.reasons import asks_why
from server.analyst.kinds.recorded_numbers import numbers_recorded
from server.analyst.question import Intent, Question
from server.analyst.wording import amount, coded

_FORMS = forms("knowing")
_KNOWN_FORMS = forms("known_forms")

FEW_SAMPLES = 100
"""Fewer leave small shares to chance, as the finding of few samples has it."""
CONNECT = (
    "To connect one, set `OPENAI_API_KEY`, or `FLAMECHAT_MODEL_BASE_URL` for any OpenAI-compatible server, and start "
    "again."
)


def abilities(question: Question, evidence: Evidence) -> list[str]:
    if _KNOWN_FORMS.clock.search(question.text) and question.intent is Intent.RECORDING:
        return [recorded_time.clock_of(evidence), leading(evidence, "What takes the most is")]
    return recorded_time.answer(question, evidence) or _abilities(question, evidence)


def _abilities(question: Question, evidence: Evidence) -> list[str]:
    summary = evidence.summary
    if not summary:
        return ["The summary of this trace could not be read."]
    length = f", {amount(summary['duration_ns'], 'nanoseconds')} long" if summary.get("duration_ns") else ""
    count = len(summary["profiles"])
    profiles = f"{count} profiles" if count != 1 else "one profile"
    first = (
        f"This is a **{summary['format']}** trace{length}, with {profiles} and {summary['frame_count']:,} functions."
    )
    measured = {"nanoseconds": "time", "bytes": "memory, in bytes", "count": "counts, not time"}[str(summary["unit"])]
    numbers = numbers_recorded(question, evidence)
    parts = [f"{first} It measures {measured}. {numbers}".rstrip(), leading(evidence, "The heaviest function is")]
    doubts = evidence.finding("few-samples", "irregular-sampling", "lost-events", "truncated-stacks")
    if not length and _FORMS.how_long.search(question.text):
        parts.insert(0, "**How long that was recorded, I cannot say.**")
    if _FORMS.trust.search(question.text):
        parts.insert(0, _doubt(question, evidence, doubts))
    findings = distinct_findings(evidence)[:3]
    if findings:
        parts.append("What stands out:\n\n" + "\n".join(f"- {row['title']}: {sentence_of(row)}" for row in findings))
    for title, items in (("It can answer", summary["can_answer"]), ("It cannot answer", summary["cannot_answer"])):
        if items:
            parts.append(f"{title}:\n\n" + "\n".join(f"- {item}" for item in items))
    return [*parts, caveats(evidence)]


def _doubt(question: Question, evidence: Evidence, doubts: dict[str, Any] | None) -> str:
    """Whether its figures can be trusted, and how many samples there are where it is asked whether they are enough."""
    main = evidence.main or {"sample_count": 0}
    if _KNOWN_FORMS.enough_data.search(question.text) and main["sample_count"] and main.get("counted") == "samples":
        samples = linked(f"{int(main['count']):,}", main["count"])
        if main["count"] < FEW_SAMPLES:
            return (
                f"**Hardly: {samples} samples in all, so every share may be chance.** Record for longer, or repeat it."
            )
        return f"**Yes, for what is large: {samples} samples were taken; a share of a few of them may be chance.**"
    return f"**With care: {sentence_of(doubts)}**" if doubts else "**Nothing speaks against it in the recording.**"


def anything_wrong(question: Question, evidence: Evidence) -> list[str]:
    """Findings first; plainly nothing when there are none."""
    lead = evidence.lead
    findings = [row for row in distinct_findings(evidence) if row["severity"] in ("high", "medium")]
    if lead is None:
        return overview(question, evidence)
    if lead.row["self_share"] >= DOMINATES or any(row["severity"] == "high" for row in findings) or len(findings) > 1:
        listed = "\n".join(f"- {row['title']}: {sentence_of(row)} {row['advice']}".rstrip() for row in findings[:5])
        return [verdict(lead, evidence), f"What stands out:\n\n{listed}" if listed else "", caveats(evidence)]
    looked = evidence.first("get_insights") or {"looked_for": 0, "passed": 0}
    checked = f"{looked['passed']} known problems were looked for and not found."
    hottest = leading(evidence, "The heaviest function is")
    if findings:
        row = findings[0]
        return [
            f"**Nothing serious.** One thing stands out: {sentence_of(row)} {row['advice']}",
            hottest,
            checked,
            caveats(evidence),
        ]
    spread = "no function dominates" if lead.row["self_share"] < LEADS else "nothing beyond it stands out"
    return [f"**Nothing looks wrong**: {spread}. {hottest}", checked, _still(evidence), caveats(evidence)]


def _still(evidence: Evidence) -> str:
    return (
        "If it still feels slow, the cause is probably not in what was recorded: waiting, another thread or process, "
        "or a moment outside this recording."
    )


LANGUAGE = (
    "**That needs a language model**: the built-in analyst works by rules over the trace and cannot write or "
    "read code, "
    "translate or discuss."
)


def language(question: Question, evidence: Evidence) -> list[str]:
    return [f"{LANGUAGE} {CONNECT}", leading(evidence, "What the trace does say: the heaviest function is")]


def first_page(question: Question, evidence: Evidence) -> list[Call]:
    return [SUMMARY, BY_SELF, *(("get_insights", {"name": name}) for name in _metrics(question))]


_METRICS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("lcp", "largest"), "largest-paint"),
    (("fcp", "first contentful", "first paint"), "first-paint"),
    (("inp", "interaction", "fid"), "slow-interaction"),
    (("cls", "shift"), "layout-shifts"),
    (("render-block", "render block", "rendering block"), "first-paint"),
    (("tbt", "blocking time"), "blocking-time"),
)
_PAINTS = frozenset({"largest-paint", "first-paint"})
_BEFORE_PAINTS = ("render-blocking", "slow-document", "request-chain")
"""What a paint may have waited for."""


def _metrics(question: Question) -> list[str]:
    text = question.text.casefold()
    chosen = [name for words, name in _METRICS if any(word in text for word in words)]
    if not chosen:
        return list(dict.fromkeys(name for _, name in _METRICS))
    return list(dict.fromkeys([*chosen, *(_BEFORE_PAINTS if _PAINTS.intersection(chosen) else ())]))


def page(question: Question, evidence: Evidence) -> list[str]:
    found = [row for result in evidence.all("get_insights") for row in result.data["insights"]]
    causes = [row for row in found if row["id"] in _BEFORE_PAINTS and row["state"] == "fail"]
    found = [row for row in found if row["id"] not in _BEFORE_PAINTS]
    known = [row for row in found if row["state"] != "not_applicable"]
    closing = leading(evidence, "What this trace does show: the heaviest function is")
    if not known and not causes:
        why = sentence_of(found[0]) if found else "it holds no page"
        return [f"**This trace cannot say: no such figure of a page is in it** ({why}).", closing]
    verdicts = [
        f"**{row['title'] if row['state'] == 'fail' else 'Good'}**: {sentence_of(row)} {row['advice']}".rstrip()
        for row in known
    ]
    reasons = [f"{sentence_of(row)} {row['advice']}" for row in causes]
    verdicts = [*reasons, *verdicts] if asks_why(question) else [*verdicts, *reasons]
    missing = [f"- {row['title']}: not known, {sentence_of(row)}" for row in found if row["state"] == "not_applicable"]
    return [*verdicts, "\n".join(missing), "" if causes else closing]


def usage(question: Question, evidence: Evidence) -> list[str]:
    plan = evidence.first("get_usage")
    if plan:
        return [_used(plan)]
    return ["**Your plan and what you have used stand on the page, under your name.** The trace does not hold them."]


def _used(plan: dict[str, Any]) -> str:
    def stands(what: str, used: int, limit: int | None, left: int | None) -> str:
        return f"{used} {what} used, no limit" if limit is None else f"{used} of {limit} {what} used, {left} left"

    messages = stands(
        "messages of this conversation", plan["messages_used"], plan["messages_limit"], plan["messages_left"]
    )
    sessions = stands("conversations", plan["sessions_used"], plan["sessions_limit"], plan["sessions_left"])
    return f"**Your plan is {coded(plan['plan_name'], 60)}**: {messages}; {sessions}."
