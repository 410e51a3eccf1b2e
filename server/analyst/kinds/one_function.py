"""Questions about one function, or two: what it costs, who calls it, what it calls, how often."""

import re
from typing import Any

from server.analyst.evidence import Evidence
from server.analyst.forms import forms
from server.analyst.kinds.caller_chains import called_from, further_up, highest, is_flat, not_made
from server.analyst.kinds.in_threads import elsewhere, in_all, seen
from server.analyst.kinds.kind import BY_SELF, FINDINGS, SUMMARY, Call
from server.analyst.kinds.meant_functions import OF_ALL_THREADS, around_of, is_named, matches_of, meant, still_to_find
from server.analyst.kinds.other_values import first_value
from server.analyst.kinds.paths import apart_from_it, path_said, path_to_heaviest
from server.analyst.kinds.premises import false_premise
from server.analyst.kinds.reasons import asks_why, one_long_call, single_calls, why_slow
from server.analyst.queries import query
from server.analyst.question import Intent, Question
from server.analyst.wording import (
    amount,
    cited,
    coded,
    few,
    listed,
    located,
    neighbours,
    noun,
    own,
    share,
    total,
    verb,
)
from traces.lazy_regex import lazy_regex

_FORMS = forms("one_function")

MOST_CALLED = query("most_called")
MATCHES = 5
NAMESAKE = 0.01
"""Total share from which another function of the same name may be the one that is meant."""
NEIGHBOURS = 2
"""Of a function that the first sentence about it names: what it calls, and who calls it."""
WORTH = 0.1
"""Part of a function's total from which what it calls is named with it."""
NAMESAKES = 4
"""Functions of one name that the question back lists."""
SEVERAL = 2
"""Functions from which a name that none of them has is that of a file, a package or a class."""
NAMED, LISTED = 3, 3
"""Callers or callees that the first sentence names, and those listed after it."""
OTHER_PROFILES = 3
"""Profiles of another kind that are asked for a function that the main one does not hold."""


def first(question: Question, evidence: Evidence) -> list[Call]:
    if question.handle:
        where = {"profile": question.profile} if question.profile else {}
        why = [FINDINGS] if question.intent is Intent.FUNCTION and asks_why(question) else []
        return [SUMMARY, ("get_callers_callees", {"frame": question.handle} | where), BY_SELF, *why]
    names = question.names or question.maybe
    if not names:
        most: list[Call] = [("query_trace", {"sql": MOST_CALLED})] if question.intent is Intent.HOW_OFTEN else []
        return [SUMMARY, BY_SELF, *most]
    why = [FINDINGS] if question.intent is Intent.FUNCTION and asks_why(question) else []
    return [SUMMARY, *(("find_frames", {"pattern": name, "limit": MATCHES}) for name in names), BY_SELF, *why]


def then(question: Question, evidence: Evidence) -> list[Call]:
    if missing := still_to_find(question, evidence):
        return missing
    rows = meant(question, evidence)
    calls: list[Call] = []
    two_of_them = rows[: 2 if question.intent is Intent.TWO_FUNCTIONS else 1]
    apart = len(two_of_them) > 1 and any(row["total_value"] <= 0 for row in two_of_them)
    for row in two_of_them:
        handle = row["handle"]
        where = {"profile": "all"} if apart else _where(row, question, evidence)
        calls.append(("get_callers_callees", {"frame": handle} | where))
        if not where and evidence.runs_in_several:
            calls.append(("get_callers_callees", {"frame": handle, "profile": "all"}))
        counts = {"filter": row["name"][:100], "limit": MATCHES}
        if question.intent is Intent.HOW_OFTEN:
            calls.append(("get_top_functions", counts | where))
            if evidence.counted == "contentions":
                calls.append(("get_top_functions", counts | {"value": "contentions", "sort_by": "total"} | where))
        elif question.intent is not Intent.TWO_FUNCTIONS and where.get("profile") != "all":
            calls += _drawn(handle, where, evidence)
            calls += _below(handle, where, evidence)
        calls += single_calls(question, handle, where, evidence)
        if question.intent is Intent.SHOW:
            calls.append(("show_in_viewer", {"handle": handle} | ({"view": question.view} if question.view else {})))
    if question.intent is Intent.CALLERS and not not_made(calls, evidence) and (up := highest(rows, evidence)):
        calls.append(("get_callers_callees", {"frame": up}))
    if question.intent is Intent.SHOW and not (question.names or question.maybe or question.handle):
        mode = question.view if question.view in ("time_order", "left_heavy") else "left_heavy"
        calls = [
            ("generate_flamegraph_screenshot", {"mode": mode}),
            ("show_in_viewer", {"view": question.view or mode}),
        ]
    return calls


def _drawn(handle: str, where: dict[str, Any], evidence: Evidence) -> list[Call]:
    """The picture of a function, in a profile that is known to hold it."""
    asked = [result.data["frame"] for result in evidence.all("get_callers_callees")]
    known = not where or any(frame["handle"] == handle and frame["total_value"] > 0 for frame in asked)
    return [("generate_sandwich_flamegraph_screenshot", {"frame": handle} | where)] if known else []


def _below(handle: str, where: dict[str, Any], evidence: Evidence) -> list[Call]:
    """The tree under a function that is known to leave most of its work to what it calls."""
    asked = (result.data for result in evidence.all("get_callers_callees"))
    passes_on = any(around["frame"]["handle"] == handle and _passes_on(around) for around in asked)
    return [("get_call_tree", {"root": handle} | where)] if passes_on else []


def _passes_on(around: dict[str, Any]) -> bool:
    row = around["frame"]
    return bool(row["total_value"] > 0 and row["self_value"] * 2 <= row["total_value"])


def _where(row: dict[str, Any], question: Question, evidence: Evidence) -> dict[str, Any]:
    """The main profile where it holds the function; else all of its kind; else, one after the other, the busiest of
    another kind."""
    if question.intent in OF_ALL_THREADS and evidence.runs_in_several and not question.profile:
        return {"profile": "all"}
    if question.profile:
        return {"profile": question.profile}
    if question.handle or row["total_value"] > 0:
        return {}
    summary = evidence.summary or {"profiles": [], "default_profile": ""}
    main = evidence.profile(summary["default_profile"]) or {"kind": "", "pid": ""}
    others = [one for one in summary["profiles"] if one["kind"] != main["kind"]]
    others.sort(key=lambda one: (one["pid"] != main["pid"], -(one["total"] or 0)))
    tried = [result.arguments.get("profile") for result in evidence.all("get_callers_callees")]
    found = [
        result.arguments.get("profile")
        for result in evidence.all("get_callers_callees")
        if result.data["frame"]["handle"] == row["handle"] and result.data["frame"]["total_value"] > 0
    ]
    ways = found or [way for way in ("all", *(one["handle"] for one in others[:OTHER_PROFILES])) if way not in tried]
    return {"profile": ways[0]} if ways else {"profile": "all"}


def _is_exact(name: str, evidence: Evidence) -> bool:
    return any(is_named(row, name) for row in matches_of(name, evidence))


def _several(question: Question, evidence: Evidence) -> list[str]:
    """What all functions of a file, package or class take together, where the name is that of no function."""
    names = question.names or question.maybe
    found = evidence.first("find_frames", pattern=names[0]) if names and not question.handle else None
    rows = found["rows"] if found else []
    if found is None or found["total_matches"] < SEVERAL or _is_exact(names[0], evidence):
        return []
    unit = found["unit"]
    if found["total_value"] <= 0:
        return []
    heaviest = [row for row in rows if row["total_value"] > 0]
    heaviest.sort(key=lambda row: -row["self_value"])
    return [
        (
            f"**The {found['total_matches']:,} functions whose name or file holds {coded(names[0])} take "
            f"{total(found, unit)} in total and {own(found, unit)} themselves.**"
        ),
        "\n".join(
            f"- {cited(row)}{located(row)}: {own(row, unit)} itself, {total(row, unit)} in total" for row in heaviest
        ),
    ]


def about(question: Question, evidence: Evidence) -> list[str]:
    if several := _several(question, evidence):
        return [*several, leading(evidence, "What takes the most of all is")]
    around = around_of(question, evidence)
    if around is None:
        return unknown(question, evidence)
    unit, row = around["unit"], around["frame"]
    why, ends = (
        why_slow(question, evidence, around) or one_long_call(question, evidence, around),
        _ends(evidence, around),
    )
    below = "" if why else ends
    if not asks_why(question):  # what it is about stays the function itself
        below = below.replace("Below it the largest part", "The largest part below it")
    apart, leads = apart_from_it(row, evidence), _compared_to_lead(evidence, around)
    leads = "" if evidence.lead and cited(evidence.lead.row) in below else leads
    named = 2 * bool(apart) or bool(below or leads)
    said = f"{_namesakes(question, evidence)}{why}{_cost(question, evidence, around, NEIGHBOURS - named)}"
    return [
        " ".join(filter(None, [said, in_all(evidence, around), apart, below, leads])),
        f"- {neighbours(around, unit)}",
        ends if why else "",
        calls_itself(around, question.text.casefold()),
        around.get("remark") or "",
        _others(question, evidence, row),
        *_closing(question, evidence),
    ]


def _namesakes(question: Question, evidence: Evidence) -> str:
    """A word first where several functions have the name, and weigh something."""
    names = question.names or question.maybe
    found = evidence.first("find_frames", pattern=names[0]) if len(names) == 1 and not question.handle else None
    return which_of((found or {"rows": []})["rows"], names[0]) if found else ""


def which_of(rows: list[dict[str, Any]], name: str) -> str:
    """The question which of several functions of that name is meant, where more than one weighs; else empty."""
    named = [row for row in rows if is_named(row, name)]
    weighing = sorted((row for row in named if row["total_share"] >= NAMESAKE), key=lambda row: -row["total_share"])
    if len(weighing) < SEVERAL:
        return ""
    listed_ = ", ".join(f"{cited(row)}{located(row)} {share(row['total_share'])}" for row in weighing[:NAMESAKES])
    more = f" and {few(len(named) - NAMESAKES)} more" if len(named) > NAMESAKES else ""
    number = few(len(named)).capitalize()
    return f"**{number} functions are named {coded(name)}: which one?** {listed_}{more}. Of the heaviest: "


def _ends(evidence: Evidence, around: dict[str, Any]) -> str:
    """The function below it that keeps the largest part, and the path to it, unless it is a callee of its own."""
    tree = evidence.first("get_call_tree", root=around["frame"]["handle"])
    path = path_to_heaviest(tree["nodes"]) if tree else []
    if len(path) < 3:
        return ""
    end, unit = path[-1], around["unit"]
    largest = f"Below it the largest part is {verb(unit)} in {cited(end)}, {own(end, unit)} itself."
    return f"{largest} {path_said(path, ' to it')}"


def _cost(question: Question, evidence: Evidence, around: dict[str, Any], named: int) -> str:
    """What it takes, with as many of its heaviest callee and caller as may be `named`."""
    unit, row = around["unit"], around["frame"]
    if row["total_value"] <= 0:
        none = f"nothing is {verb(unit)} in it in {around['profile']}"
        return f"**{cited(row)}**{located(row)} is in this trace, but {none}."
    wrong = false_premise(question, evidence, row, unit)
    callee = next((one for one in around["callees"] if one["handle"] not in (None, "", row["handle"])), None)
    may_wait = evidence.runs_in_several and (evidence.main or {}).get("waits") == "unknown"
    passes = "most of that is in itself" if may_wait else "it does most of its work itself"
    passes = "it mostly passes through to what it calls" if _passes_on(around) else passes
    least = 0 if _passes_on(around) else WORTH * row["total_value"]
    if named and callee and callee["value"] > least:
        before = ", most of all" if _passes_on(around) else "; of what it calls the most is in"
        passes, named = f"{passes}{before} {cited(callee)} ({amount(callee['value'], unit)})", named - 1
    up = called_from(around) if named else ""
    return (
        f"{wrong}**{cited(row)}**{located(row)} takes {total(row, unit)} in total and {own(row, unit)} itself"
        f"{seen(around)}{elsewhere(evidence, around)}: {passes}{up}."
    )


def _compared_to_lead(evidence: Evidence, around: dict[str, Any]) -> str:
    """What takes more, when the function in question is not what takes the most of the same profile."""
    lead, row = evidence.lead, around["frame"]
    if lead is None or lead.row["handle"] == row["handle"] or row["total_share"] >= 0.5:
        return ""
    if (
        around["profile"] == "all" and lead.row["self_value"] <= row["self_value"]
    ):  # its figures are of more threads than the lead's
        return ""
    if around["profile"] not in ("all", lead.profile):
        return ""
    return f"It is not what takes the most: {cited(lead.row)} does, with {own(lead.row, lead.unit)} itself."


def calls_itself(around: dict[str, Any], asked: str = "") -> str:
    if around["recursive"]:
        return f"It is recursive: {cited(around['frame'])} calls itself."
    return f"It is not recursive: {cited(around['frame'])} does not call itself." if "recurs" in asked else ""


def _others(question: Question, evidence: Evidence, row: dict[str, Any]) -> str:
    rows = [match for match in evidence.matches if match["handle"] != row["handle"] and match["total_value"] > 0][:4]
    named = [f"{cited(match)} ({share(match['total_share'])})" for match in rows]
    return f"Other matches: {', '.join(named)}." if named else ""


def _closing(question: Question, evidence: Evidence) -> list[str]:
    drawn = evidence.first("generate_sandwich_flamegraph_screenshot")
    moved = evidence.first("show_in_viewer")
    return [
        "The sandwich picture shows its callers above and its callees below." if drawn else "",
        "The flame chart beside this conversation shows it now." if moved else "",
    ]


def callers(question: Question, evidence: Evidence) -> list[str]:
    around = around_of(question, evidence)
    if around is None:
        return unknown(question, evidence)
    unit, row = around["unit"], around["frame"]
    rows = [one for one in around["callers"] if one["handle"]]
    if _FORMS.most_calls.search(question.text):
        rows.sort(key=lambda one: -(one.get("direct_calls") or 0))
    if not rows:
        first_ = f"**Nothing calls {cited(row)}**{located(row)}: stacks begin with it."
        if is_flat(evidence) and not around["callees"]:
            first_ = f"**Who calls {cited(row)} cannot be said**{located(row)}: this file has functions, and no stacks."
    else:
        others = len(rows) - NAMED + around["more_callers"]
        more = f", and {others} more" if others > 0 else ""
        what = "what each brings in brackets" if len(rows) > 1 else "with all it brings in brackets"
        first_ = f"**{cited(row)} is called from {listed(rows, unit, NAMED)}**{more} ({what})."
    up = further_up(meant(question, evidence), rows[:NAMED], evidence)
    cost = f"{cited(row)} takes {total(row, unit)} in total and {own(row, unit)} itself."
    return [
        f"{first_.removesuffix('.')}{up}. {cost}",
        _further(rows, unit),
        calls_itself(around),
        around.get("remark") or "",
        _others(question, evidence, row),
        *_closing(question, evidence),
    ]


def callees(question: Question, evidence: Evidence) -> list[str]:
    if several := _several(question, evidence):
        return several
    around = around_of(question, evidence)
    if around is None:
        return unknown(question, evidence)
    unit, row = around["unit"], around["frame"]
    rows = [one for one in around["callees"] if one["handle"]]
    if rows:
        others = len(rows) - NAMED + around["more_callees"]
        more = f", and {others} more" if others > 0 else ""
        first_ = f"**{cited(row)} calls {listed(rows, unit, NAMED)}**{more}."
    else:
        first_ = f"**{cited(row)} calls nothing else that was recorded**{located(row)}{called_from(around)}."
    cost = f"Of its {total(row, unit)} it keeps {own(row, unit)} for itself."
    return [
        f"{first_} {cost}",
        _further(rows, unit),
        calls_itself(around),
        around.get("remark") or "",
        *_closing(question, evidence),
    ]


def _further(rows: list[dict[str, Any]], unit: str) -> str:
    """The callers or callees after those that the first sentence names, one a line."""
    return "\n".join(f"- {cited(row)}: {amount(row['value'], unit)}" for row in rows[NAMED : NAMED + LISTED])


def shown(question: Question, evidence: Evidence) -> list[str]:
    if meant(question, evidence):
        return about(question, evidence)
    if question.names or question.maybe or question.handle:
        return unknown(question, evidence)
    drawn = evidence.first("generate_flamegraph_screenshot")
    order = "as it happened" if drawn and drawn["view"] == "time_order" else "merged, heaviest first"
    what = f"It shows [`{drawn['profile']}`](#{drawn['profile']}), {order}." if drawn else ""
    moved = "The flame chart beside this conversation shows it now." if evidence.first("show_in_viewer") else ""
    here = "Here is the picture. Its heaviest function is" if drawn or moved else "The heaviest function is"
    return [leading(evidence, here), what, moved]


def unknown(question: Question, evidence: Evidence) -> list[str]:
    """No such function: the nearest names, and what there is instead."""
    asked = ", ".join(coded(name) for name in question.names or question.maybe) or coded(question.handle or "it")
    near = [row for result in evidence.all("find_frames") for row in result.data.get("nearest", [])][:5]
    parts = [f"This trace has no function that matches {asked}{_without_names(evidence)}{_without_freed(evidence)}."]
    if near:
        parts.append("The nearest names are " + ", ".join(cited(row) for row in near) + ".")
    return [*parts, leading(evidence, "What does take the most is")]


def _without_freed(evidence: Evidence) -> str:
    """Why one that allocates may be missing: recordings that do not count all allocations list what is in use."""
    if evidence.unit != "bytes" or first_value(evidence)["name"].startswith("alloc"):
        return ""
    return ": most recordings of a heap list what is in use at their end, and not what was made and collected before"


def _without_names(evidence: Evidence) -> str:
    """Why there may be none: most of what ran has an address for its name."""
    rows = evidence.lead.rows if evidence.lead else []
    nameless = sum(row["self_share"] for row in rows if NAMELESS.search(row["name"]))
    if nameless < MOSTLY:
        return ""
    return ": most of it was recorded without symbols, and has addresses in place of names"


NAMELESS = lazy_regex(r"\+0x[0-9a-f]+$|^(?:0x)?[0-9a-f]{6,}$|^\[?unknown\]?$", re.IGNORECASE)
MOSTLY = 0.5
"""Self share of what is listed from which a recording has no names."""


def leading(evidence: Evidence, words: str) -> str:
    """One sentence about the hottest function, or nothing when the tools did not rank any."""
    lead = evidence.lead
    if lead is None:
        return ""
    return f"{words} {cited(lead.row)}, with {own(lead.row, lead.unit)} of self {noun(lead.unit)}."
