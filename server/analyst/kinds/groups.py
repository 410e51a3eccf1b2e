"""Questions about a file, package, class or phase: the sums over the functions whose name or file holds the word."""

import re
from typing import Any

from server.analyst.asked_things import PAIR, named_like
from server.analyst.evidence import Evidence
from server.analyst.figures import linked
from server.analyst.forms import forms
from server.analyst.kinds import imports, one_function, ranked_places
from server.analyst.kinds.device import (
    asks_how_busy,
    heaviest_kernels,
    kernels_of_all_tracks,
    on_device,
    track_of_kernels,
)
from server.analyst.kinds.kind import BY_SELF, SUMMARY, Call
from server.analyst.kinds.one_function import leading
from server.analyst.kinds.paths import is_entry
from server.analyst.kinds.scripts import longest_scripts, scripts_asked_for
from server.analyst.question import Question
from server.analyst.wording import cited, coded, joined, located, own, total
from traces.analysis.units import format_share

_FORMS = forms("groups")
_CHOSEN_INTENT = forms("chosen_intent")

MATCHES = 50
SHOWN = 4
PASSES_ON = 0.1
"""Part of what functions take in all under which they are no place where it is spent."""
LITTLE = 0.02
"""Share of the main profile below which what is named may be elsewhere."""


def first(question: Question, evidence: Evidence) -> list[Call]:
    names = question.names or question.maybe
    plain: list[Call] = [
        ("find_frames", {"pattern": name, "limit": MATCHES}) for name in names if _likes(name, question)
    ]
    return [SUMMARY, *(("find_frames", _search(name, question)) for name in names), *plain, BY_SELF]


def _likes(name: str, question: Question) -> str:
    """The expression for names like an ordinary word; empty for one that was quoted, or has no ending."""
    return named_like(name) if f"`{name}`" not in question.text else ""


def _search(name: str, question: Question) -> dict[str, Any]:
    """What finds the functions of a word: by its stem, unless it was quoted."""
    like = _likes(name, question) or (rf"{re.escape(name)}(?!\w)" if _is_path(name) else "")
    return {"pattern": like, "regex": True, "limit": MATCHES} if like else {"pattern": name, "limit": MATCHES}


def _is_path(name: str) -> bool:
    """Whether it is the path of a package, which ends where its last word does: `a/ssa` is not `a/ssagen`."""
    return "/" in name and name[-1:].isalnum()


def then(question: Question, evidence: Evidence) -> list[Call]:
    """All profiles together, where the main one holds little of what is named."""
    names = question.names or question.maybe
    if "kernel" in names and (sql := kernels_of_all_tracks(evidence)):
        return [("query_trace", {"sql": sql})]
    if "kernel" in names and (track := track_of_kernels(evidence)):
        return [("get_top_functions", {"sort_by": "self", "limit": 6, "profile": track})]
    if not names or imports.asked_for(question):
        return _files_of(question, evidence)
    several = len(evidence.profiles) > 1
    found = {name: evidence.first("find_frames", pattern=_search(name, question)["pattern"]) for name in names}
    little = [
        name
        for name, data in found.items()
        if data and data["rows"] and (name == "kernel" or data["total_share"] < LITTLE)
    ]
    return [("find_frames", _search(name, question) | {"profile": "all"}) for name in little if several]


def _files_of(question: Question, evidence: Evidence) -> list[Call]:
    """The files, packages or classes with the most self time."""
    if asked := [call for call in scripts_asked_for(question) if not evidence.all("query_trace")]:
        return asked
    if (of_imports := imports.calls(question, evidence)) and evidence.first("query_trace", **of_imports[0][1]) is None:
        return of_imports
    if imports.loads(question, evidence):
        return []
    if longest_scripts(evidence):
        return []
    return ranked_places.calls(question, evidence)


def _found(name: str, question: Question, evidence: Evidence) -> dict[str, Any] | None:
    """What the name matches: in all profiles, where these hold more of it than the main one."""
    pattern = _search(name, question)["pattern"]
    if (as_written := evidence.first("find_frames", pattern=name)) and _is_named_so(as_written, name):
        return as_written
    main, everywhere = (evidence.first("find_frames", pattern=pattern, profile=which) for which in (None, "all"))
    return everywhere if everywhere and main and everywhere["total_value"] > main["total_value"] else main


def _is_named_so(found: dict[str, Any], name: str) -> bool:
    """Whether a function has just this word for its name, as in `(marking)`."""
    return any(row["name"].strip("()<>").casefold() == name and row["total_value"] > 0 for row in found["rows"])


def _sums(question: Question, evidence: Evidence) -> list[tuple[str, dict[str, Any]]]:
    """Each name that something matches, with what it matches: by total value, or by self value where totals overlap."""
    found = [(name, _found(name, question, evidence)) for name in question.names or question.maybe]
    with_weight = [(name, data) for name, data in found if data and data["total_value"] > 0]
    overlap = sum(data["total_share"] for _, data in with_weight) > 1
    by = "self_value" if overlap else "total_value"
    return sorted(with_weight, key=lambda one: -one[1][by])


def group(question: Question, evidence: Evidence) -> list[str]:
    """One group with its heaviest functions, or several in order of their totals; files of it where none is named."""
    of_device = on_device(evidence) if not question.names and asks_how_busy(question.text) else []
    if of_device and question.maybe in ((), ("kernel",)):
        return of_device
    if "kernel" in (question.names or question.maybe) and (of_kernels := heaviest_kernels(evidence)):
        return of_kernels
    if of_imports := imports.loads(question, evidence):
        return of_imports
    sums = _sums(question, evidence)
    if not (question.names or question.maybe):
        return _by_file(question, evidence)
    if not sums:
        return one_function.unknown(question, evidence)
    name, found = sums[0]
    unit = found["unit"]
    rows = _heaviest(found, question)
    heaviest = "\n".join(
        f"- {cited(row)}{located(row)}: {own(row, unit)} itself, {total(row, unit)} in total" for row in rows[:SHOWN]
    )
    if len(sums) > 1:
        ranked = joined([f"{coded(one)} {total(data, unit)} ({own(data, unit)} itself)" for one, data in sums])
        missing = [one for one in question.names or question.maybe if one not in dict(sums)]
        none = f" Nothing is named like {joined([coded(one) for one in missing])}." if missing else ""
        most = "more" if len(sums) == PAIR else "the most of them"
        if _CHOSEN_INTENT.together.search(question.text) and not _overlap(sums):
            share = sum((data["total_share"] for _, data in sums[1:]), sums[0][1]["total_share"])
            return [f"**Together they take {linked(format_share(float(share)), share)}**: {ranked}.{none}"]
        return [
            f"**{coded(name)} takes {most}**{' itself' if _overlap(sums) else ''}: in total, {ranked}.{none}",
            f"The heaviest of {coded(name)}:\n\n{heaviest}",
            _overlap(sums),
        ]
    if _FORMS.ranks.search(question.text) and (ranking := _ranking(name, found, question, evidence)):
        return ranking
    where = " of all profiles together" if found["profile"] == "all" else ""
    many = f"The {found['total_matches']:,} functions" if found["total_matches"] > 1 else "The one function"
    verb = "take" if found["total_matches"] > 1 else "takes"
    return [
        (
            f"**{many} {_named_how(name, question)} {coded(name)} {verb} {total(found, unit)} in total and "
            f"{own(found, unit)} themselves{where}**, counting what they call in the first."
            f"{_first_of(rows, unit)}"
        ),
        heaviest,
        leading(evidence, "What takes the most of all is"),
    ]


def _heaviest(found: dict[str, Any], question: Question) -> list[dict[str, Any]]:
    """The functions of a word, by what is in them itself, or in all where they only pass on; first those that have
    the name of a kind in theirs."""
    by = "self_value" if found["self_value"] > PASSES_ON * found["total_value"] else "total_value"
    words = re.findall(r"\b([a-z]{3,})s\b", question.text.casefold())  # `ff.html has several ticks`
    others = [row for row in found["rows"] if not any(word in row["name"].casefold() for word in words)]
    named = len(others) > 1
    return sorted(found["rows"], key=lambda row: (named and row in others, is_entry(row["name"]), -row[by]))


def _first_of(rows: list[dict[str, Any]], unit: str) -> str:
    """The heaviest of several, in a sentence."""
    row = rows[0]
    is_one = len(rows) == 1 or row["total_value"] <= 0
    return "" if is_one else f" First of them is {cited(row)}: {total(row, unit)} in total, {own(row, unit)} itself."


def _ranking(name: str, found: dict[str, Any], question: Question, evidence: Evidence) -> list[str]:
    """The functions of a word, the longest first; empty where it is no order that is worth a list."""
    rows = sorted(found["rows"], key=lambda row: -row["self_value"])
    if not _likes(name, question):
        every, rows = len(rows), [row for row in rows if _is_part(name, row)]
        if not rows and found["total_matches"] > every:
            return []
    if not rows:
        closing = leading(evidence, "The heaviest function is")
        return [f"**Nothing in this trace is called {coded(name)}**: it is only inside of other words.", closing]
    if len(rows) == 1 or rows[0]["self_value"] == rows[0]["total_value"]:
        return []
    unit = found["unit"]
    by_name = [row for row in rows if name.casefold() in row["name"].casefold()]  # and not by its file alone
    ranked_rows = sorted(by_name if len(by_name) > 1 else rows, key=lambda row: -row["total_value"])
    listed_rows = joined([f"{cited(row)} with {total(row, unit)}" for row in ranked_rows[1 : SHOWN + 1]])
    return [f"**The longest is {cited(ranked_rows[0])}: {total(ranked_rows[0], unit)}**, then {listed_rows}."]


def _is_part(name: str, row: dict[str, Any]) -> bool:
    """Whether the word begins or ends a part of a row's name or file: `pass` is none of `mapassign`."""
    word = re.escape(name)
    part = rf"(?<![A-Za-z])(?i:{word})|{word.capitalize()}|(?i:{word})(?![a-z])"
    return re.search(part, f"{row['name']} {row['file'] or ''}") is not None


def _named_how(name: str, question: Question) -> str:
    return "named like" if _likes(name, question) else "whose name or file holds"


def _overlap(sums: list[tuple[str, dict[str, Any]]]) -> str:
    """A word where totals contain each other."""
    if sum(data["total_share"] for _, data in sums) > 1:
        return "They call each other, so their totals overlap and are no parts of one sum."
    return ""


def _by_file(question: Question, evidence: Evidence) -> list[str]:
    lead = evidence.lead
    if lead is None:
        return ["**Nothing in this trace has any weight to group.**"]
    if scripts := longest_scripts(evidence):
        return [*scripts, leading(evidence, "The heaviest function is")]
    if ranked := ranked_places.ranked(question, evidence):
        return [*ranked, leading(evidence, "The heaviest function is")]
    if not any(row["file"] for row in lead.rows):
        return ["**This trace does not say in which file its functions are.**", leading(evidence, "The heaviest is")]
    return [
        (
            f"**Which file, package or class?** Name it and I add its functions up. The heaviest function is "
            f"{cited(lead.row)}{located(lead.row)}, with {own(lead.row, lead.unit)} itself."
        )
    ]
