"""Questions about other recordings of the account: was this seen before, which one spends the most in something, what
do all of them show."""

from dataclasses import dataclass
from typing import Any, Literal

from server.analyst.evidence import Evidence
from server.analyst.findings import sentence_of
from server.analyst.forms import forms, word_list
from server.analyst.kinds.kind import BY_SELF, FINDINGS, SUMMARY, Call
from server.analyst.wording import coded, share
from server.quoting import plain
from traces.lazy_regex import lazy_regex

_FORMS = forms("earlier_traces")

SAME_PROGRAM = 0.3
"""Overlap of own functions from which a recording is of this program."""
SHOWN = 5
LISTED = 12
LINE = 240
_WORDS = lazy_regex(r"[A-Za-z][\w.-]{2,}")
_PLAIN = word_list("of_recordings")

Asks = Literal["seen", "which", "have", "all"]


@dataclass(frozen=True, slots=True)
class EarlierQuestion:
    """`words` name what is looked for; none for anything."""

    kind: Asks
    words: tuple[str, ...] = ()

    def calls(self) -> list[Call]:
        query = {"query": " ".join(self.words)} if self.words else {}
        search: Call = ("search_findings", query | {"limit": 30})
        return [SUMMARY, BY_SELF, FINDINGS, search]


def earlier_question(prompt: str) -> EarlierQuestion | None:
    """What a prompt asks of other recordings; None for one about this trace."""
    text = " ".join(prompt.split())
    if len(text) > 300:
        return None
    if found := _FORMS.which.search(text):
        return EarlierQuestion("which", _named(found["thing"] or found["subject"]))
    if _FORMS.all.search(text):
        return EarlierQuestion("all")
    if _FORMS.seen.search(text):
        return EarlierQuestion("seen")
    if (found := _FORMS.have.search(text)) and not _FORMS.may.search(found["thing"]):
        words = _named(found["thing"])
        return EarlierQuestion("have", words) if words else EarlierQuestion("all")
    return None


def _named(text: str) -> tuple[str, ...]:
    return tuple(word for word in _WORDS.findall(text) if word.casefold() not in _PLAIN)[:4]


def earlier_answer(question: EarlierQuestion, evidence: Evidence) -> str:
    """What the other recordings say of it."""
    found = evidence.first("search_findings")
    if found is None:
        return "**Other recordings cannot be looked at here**, so I cannot say."
    if not found["searched"]:
        return (
            "**I cannot say: this is the only recording of yours that is here**, so there is none to have seen it in."
        )
    return {"seen": _seen, "which": _which, "have": _have, "all": _all}[question.kind](question, evidence, found)


def _seen(question: EarlierQuestion, evidence: Evidence, found: dict[str, Any]) -> str:
    related = {one["trace_id"]: one for one in found["traces"] if one["overlap"] >= SAME_PROGRAM}
    is_new = _FORMS.new.search(evidence.prompt) is not None
    yes, no = ("Not new", "New, as far as was recorded") if is_new else ("Yes", "No")
    if not related:
        others = "one other recording is" if found["searched"] == 1 else f"{found['searched']} other recordings are"
        return f"**{no}: nothing of this program was recorded before.** Of yours, {others} here, of other programs."
    mine = [row for row in evidence.found() if row["severity"] != "info"]
    rows = [row for row in found["rows"] if row["trace_id"] in related and row["severity"] != "info"]
    both = [(one, row) for one in mine for row in rows if _is_same(one, row)]
    if both:
        first = both[0][1]
        lines = "\n".join(dict.fromkeys(_line(row) for _, row in both[:SHOWN]))
        where = f"{coded(first['trace'])} of {first['created']}"
        return (
            f"**{yes}: {both[0][0]['title'].lower()} was there in {where} too**, a recording of the same program.\n\n"
            f"Earlier:\n\n{lines}\n\nNow: {sentence_of(both[0][0])}"
        )
    names = ", ".join(coded(one["trace"]) for one in list(related.values())[:SHOWN])
    what = (
        f"What stands out here, {mine[0]['title'].lower()}, "
        if mine
        else "Nothing stands out here, and what was found then "
    )
    earlier = "\n".join(_line(row) for row in rows[:SHOWN]) or "- nothing that stands out"
    more = "is in none of them" if mine else "is another thing"
    return f"**{no}: not in the earlier recordings of this program** ({names}). {what}{more}. They had:\n\n{earlier}"


def _is_same(mine: dict[str, Any], earlier: dict[str, Any]) -> bool:
    """Whether a finding of now and one of then are of one problem: the same detector, and a function of both."""
    if mine["id"] != earlier["id"]:
        return False
    names = [one["name"] for one in mine["evidence"] if one.get("handle", "")[:1] in ("f", "n", "s")]
    return not names or any(f'"{plain(name, 80)}"' in earlier["detail"] for name in names)


def _which(question: EarlierQuestion, evidence: Evidence, found: dict[str, Any]) -> str:
    named = " ".join(question.words) or "that"
    this = {"trace": "this one", "share": found["share"], "created": ""}
    ranked = sorted([this, *found["traces"]], key=lambda one: -one["share"])
    if not question.words or ranked[0]["share"] <= 0:
        return f"**None: no recording of yours has {coded(named)} among its heaviest functions.**"
    lines = "\n".join(f"- {_trace_name(one)}: {share(one['share'])}" for one in ranked[:SHOWN] if one["share"] > 0)
    return (
        f"**{_trace_name(ranked[0])} spends the most in {coded(named)}: {share(ranked[0]['share'])} of its self "
        f"value**, "
        f"as far as its heaviest functions say.\n\n{lines}"
    )


def _trace_name(one: dict[str, Any]) -> str:
    return coded(one["trace"]) if one["created"] else "This recording"


def _have(question: EarlierQuestion, evidence: Evidence, found: dict[str, Any]) -> str:
    named = " ".join(question.words)
    words = [word.casefold() for word in question.words]
    rows = [
        row
        for row in found["rows"]
        if row["severity"] != "info" and all(word in f"{row['id']} {row['detail']}".casefold() for word in words)
    ]
    traces = {row["trace_id"]: row for row in rows}
    if not traces:
        return f"**None of your {found['searched']} other recordings has a finding with {coded(named)}.**"
    lines = "\n".join(_line(row) for row in list(traces.values())[:LISTED])
    count = f"{len(traces)} of your {found['searched']} other recordings"
    return f"**{count}: those with a finding of {coded(named)}.**\n\n{lines}"


def _all(question: EarlierQuestion, evidence: Evidence, found: dict[str, Any]) -> str:
    worst: dict[str, dict[str, Any]] = {}
    for row in found["rows"]:
        if row["severity"] != "info":
            worst.setdefault(row["trace_id"], row)
    lines = []
    for one in found["traces"][:LISTED]:
        row, most = worst.get(one["trace_id"]), one["heaviest"]
        says = row["detail"] if row else ""
        if not says and most:
            says = f"{coded(most['name'])} takes {share(most['share'])}"
        lines.append(f"- {coded(one['trace'])} ({one['created']}): {plain(says, LINE) or 'nothing stands out'}")
    more = f"\n\nThere are {len(found['traces']) - LISTED} older ones." if len(found["traces"]) > LISTED else ""
    return (
        f"**{found['searched']} other recordings are here**, the newest first, each with its worst finding:\n\n"
        + "\n".join(lines)
        + more
    )


def _line(row: dict[str, Any]) -> str:
    return f"- {coded(row['trace'])} ({row['created']}): {plain(row['detail'], LINE)}"
