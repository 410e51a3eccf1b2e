"""Questions for a list: the top functions, one's own code, the hot path, recursion."""

import re
from typing import Any

from server.analyst.evidence import Evidence, lead_of
from server.analyst.exclusions import is_excluded
from server.analyst.findings import sentence_of
from server.analyst.forms import forms
from server.analyst.kinds import meant_functions, one_function
from server.analyst.kinds.kind import BY_SELF, FINDINGS, OWN_CODE, SUMMARY, Call
from server.analyst.kinds.one_function import leading
from server.analyst.kinds.overview import caveats
from server.analyst.kinds.paths import heaviest_path, path_said
from server.analyst.kinds.recorded_numbers import numbers_asked, numbers_recorded
from server.analyst.preempted import counted_to_callers
from server.analyst.pseudo_frames import is_pseudo
from server.analyst.queries import query
from server.analyst.question import Question
from server.analyst.wording import (
    amount,
    cited,
    cited_profile,
    coded,
    counted,
    few,
    joined,
    located,
    noun,
    own,
    share,
    table,
    total,
)

_FORMS = forms("rankings")

CALLS_OF_ITSELF = query("calls_of_itself")
SHOWN = 10
"""Rows of a ranking from which something is left out."""
MOST = 50
"""Rows of one in which those are counted that take more than some figure."""
NAMED = 3
"""Functions that are named as having as much as the one in front."""


def first_top(question: Question, evidence: Evidence) -> list[Call]:
    limit = MOST if _FORMS.over.search(question.text) else question.limit
    return [
        SUMMARY,
        ("get_top_functions", {"sort_by": question.sort_by, "limit": limit} | _where(question)),
        ("generate_flamegraph_screenshot", {"mode": "left_heavy"}),
    ]


def then_top(question: Question, evidence: Evidence) -> list[Call]:
    """The same ranking of all threads together, where there are several and none is named."""
    if not evidence.runs_in_several or question.profile or question.thread or _where(question):
        return []
    limit = MOST if _FORMS.over.search(question.text) else question.limit
    return [("get_top_functions", {"sort_by": question.sort_by, "limit": limit, "profile": "all"})]


def _over(question: Question, found: dict[str, Any]) -> list[str]:
    """The functions that take more than the figure that is asked for; empty where none is."""
    limit = _FORMS.over.search(question.text)
    if limit is None:
        return []
    unit, order = found["unit"], found["sort_by"]
    number, of = limit["number"] or limit["number_zh"], (limit["unit"] or limit["unit_zh"]).casefold()
    in_ns = next((ns for way, ns in _NS.items() if of.startswith(way)), None)
    if in_ns is not None and unit != "nanoseconds":
        return []
    least = float(number.replace(",", ".")) * (in_ns or 0.01)
    rows = [row for row in found["rows"] if row[f"{order}_value" if in_ns else f"{order}_share"] > least]
    said, more = (own if order == "self" else total), " or more" if len(rows) == len(found["rows"]) else ""
    written = f"{number} {of}" if in_ns else f"{number}%"
    one, several = ("itself", "themselves") if order == "self" else ("with what it calls", "with what they call")
    if not rows:
        first = f" {cited(found['rows'][0])} comes nearest: {said(found['rows'][0], unit)}."
        return [f"**No function takes more than {written} {one}.**{first}"]
    named = joined([f"{cited(row)} with {said(row, unit)}" for row in rows[:NAMED_OVER]])
    others = f" and {few(len(rows) - NAMED_OVER)} more" if len(rows) > NAMED_OVER else ""
    many = f"{few(len(rows)).capitalize()}{more} functions take" if len(rows) > 1 else "One function takes"
    words = several if len(rows) > 1 else one
    return [f"**{many} more than {written} {words}**: {named}{others}.", table(rows[:SHOWN], unit)]


NAMED_OVER = 5
_NS = {"ms": 1e6, "milli": 1e6, "毫": 1e6, "µs": 1e3, "us": 1e3, "s": 1e9, "秒": 1e9}


def _where(question: Question) -> dict[str, Any]:
    if question.profile:
        return {"profile": question.profile}
    return {"profile": "all"} if _FORMS.all_threads.search(question.text) else {}


def top(question: Question, evidence: Evidence) -> list[str]:
    found = evidence.first("get_top_functions", sort_by=question.sort_by, **_where(question))
    together = evidence.first("get_top_functions", sort_by=question.sort_by, profile="all")
    if together and together["rows"] and evidence.only_running:
        found = together
    if not found or not found["rows"]:
        return ["No function has any weight there."]
    unit, order = found["unit"], found["sort_by"]
    rows = [row for row in found["rows"] if not (question.excluded and is_excluded(row, question.excluded))]
    if question.excluded and len(rows) in (0, len(found["rows"])):
        none = f"**Nothing that leads is called {coded(question.excluded)}**, so I cannot leave it out."
        return [none, leading(evidence, "What takes the most is")]
    if of_them := _over(question, together if together and together["rows"] else found):
        return of_them
    said = own if order == "self" else total
    named = [row for row in rows if not is_pseudo(row)] or rows
    place = min(_place(question), len(named) - 1)
    row = named[place]
    leads = (
        f"**{cited(row)} {'leads' if not place else f'is number {place + 1}'} by {order} {noun(unit)}**{located(row)}"
    )
    of_all = " of all threads together" if found["profile"] == "all" else _of_one_thread(found, together, evidence)
    above = [row for row in rows if is_pseudo(row) and row[f"{order}_value"] > named[place][f"{order}_value"]]
    besides = f" More, {said(above[0], unit)}, is in {cited(above[0])}, which is no function." if above else ""
    lines = [f"{leads}{of_all}: {said(row, unit)} of {amount(found['whole'], unit)}.{_as_much(named[place:], order)}"]
    if _FORMS.several.search(question.text) and len(named) > 1:
        after = joined([f"{cited(one)} with {said(one, unit)}" for one in named[1 : min(question.limit, NAMED + 1)]])
        first = f"**{cited(named[0])} leads by {order} {noun(unit)}**{of_all}: {said(named[0], unit)}"
        lines = [f"{first}, then {after}." if after else f"{first}."]
    if question.excluded:
        return [f"**Without {coded(question.excluded)}**: {lines[0]}", table(rows[:SHOWN], unit)]
    lines[0] += besides + _of_the_others(found, together, order)
    lines.append(table([row for row in rows if row[f"{order}_share"] > 0] or rows[:1], unit))
    if found["total_rows"] > len(rows):
        lines.append(f"{found['total_rows']:,} functions in all.")
    return [*lines, counted_to_callers(evidence), caveats(evidence)]


def _of_one_thread(found: dict[str, Any], together: dict[str, Any] | None, evidence: Evidence) -> str:
    """The thread that a ranking is of, where there are others like it."""
    profile = evidence.profile(found["profile"]) if together else None
    return f" in {cited_profile(profile)}" if profile else ""


def _of_the_others(found: dict[str, Any], together: dict[str, Any] | None, order: str) -> str:
    """What leads over all threads, where that ranking is of one of them."""
    if together is None or together is found or found["profile"] == "all" or not together["rows"]:
        return ""
    row = next((one for one in together["rows"] if not is_pseudo(one)), together["rows"][0])
    said = own if order == "self" else total
    return f" Over all threads together {cited(row)} leads: {said(row, together['unit'])}."


_PLACES = (
    r"\b(?:2nd|second|zweit\w*|deuxième|segund[ao])\b|#2\b",
    r"\b(?:3rd|third|dritt\w*|troisième|tercer\w*)\b|#3\b",
)


def _place(question: Question) -> int:
    """Which one in the order is asked for: 0 for the first."""
    return next((at for at, words in enumerate(_PLACES, 1) if re.search(words, question.text, re.IGNORECASE)), 0)


def _as_much(rows: list[dict[str, Any]], order: str) -> str:
    """A word where the one in front has no more than the next ones."""
    same = [row for row in rows[1:] if row[f"{order}_value"] == rows[0][f"{order}_value"]]
    if not same or rows[0][f"{order}_value"] <= 0:
        return ""
    named = joined([cited(row) for row in same[:NAMED]])
    more = f" and {len(same) - NAMED} more listed" if len(same) > NAMED else ""
    return f" It is a tie: {named}{more} have as much."


def first_libraries(question: Question, evidence: Evidence) -> list[Call]:
    """With the program's own functions of that name, where it is asked of what was spoken of."""
    before = evidence.spoken_of
    asks = before and question.refers and not before.is_aside and before.handle[:1] == "f"
    of_it: list[Call] = [("find_frames", {"pattern": before.name[:100], "my_code": True})] if before and asks else []
    return [SUMMARY, BY_SELF, OWN_CODE, FINDINGS, *of_it]


def _is_own(evidence: Evidence) -> str:
    """Whether what was spoken of is the program's own, where that was asked for."""
    before, found = evidence.spoken_of, evidence.first("find_frames", my_code=True)
    if before is None or found is None:
        return ""
    own_row = next((row for row in found["rows"] if row["handle"] == before.handle and row["total_value"] > 0), None)
    if own_row and (own_row["file"] or "<").startswith("<"):  # nothing says whose it is
        return ""
    return f"**{before.cited} counts as {'your own code' if own_row else 'code of a library or the runtime'}.** "


def libraries(question: Question, evidence: Evidence) -> list[str]:
    """The program's own functions, with what libraries do for each."""
    own_code = evidence.first("get_top_functions", my_code=True)
    lead = evidence.lead
    if not own_code or not own_code["rows"] or lead is None:
        none = (
            "**No function of this trace can be told to be your own**: all of them look like library or runtime code."
        )
        return [none, leading(evidence, "The heaviest is")]
    unit, rows, hidden = own_code["unit"], own_code["rows"], own_code["hidden"]
    first = lead_of(own_code)
    assert first is not None
    said = (
        f"{_is_own(evidence)}**Of your own code {cited(first.row)} leads**{located(first.row)}: {own(first.row, unit)}."
    )
    said += f" That is of {amount(own_code['whole'], unit)}, and counts the libraries that it calls."
    parts = [said, f"Your own functions, libraries counted to their callers:\n\n{table(rows, unit)}"]
    if hidden:
        parts.append(f"{amount(hidden, unit)} is in libraries alone: no function of your own is above it.")
    little = evidence.finding("own-code")
    if little:
        parts.append(sentence_of(little))
    if lead.row["handle"] != first.row["handle"]:
        parts.append(leading(evidence, "With libraries counted for themselves, what leads is"))
    return parts


def hot_path(question: Question, evidence: Evidence) -> list[str]:
    tree = evidence.first("get_call_tree")
    path = heaviest_path(tree["nodes"]) if tree else []
    if not tree or not path:
        return ["This trace has no call tree to walk.", leading(evidence, "The heaviest function is")]
    unit, last = tree["unit"], path[-1]
    below = [node for node in tree["nodes"] if node["parent"] == last["handle"]]
    below.sort(key=lambda node: -node["total_value"])
    first = (
        f"**The heaviest path ends in {cited(last)}**{located(last)}: {total(last, unit)} of "
        f"{amount(tree['whole'], unit)} goes through all of it."
    )
    parts = [first, path_said(path, "")]
    if below:
        forks = ", ".join(f"{cited(node)} ({share(node['total_share'])})" for node in below[:4])
        parts.append(f"There it forks: {own(last, unit)} stays in {cited(last)} itself, the rest goes to {forks}.")
    else:
        parts.append(f"{own(last, unit)} of it is in {cited(last)} itself.")
    return [*parts, leading(evidence, "By itself the heaviest function is"), caveats(evidence)]


def first_recursion(question: Question, evidence: Evidence) -> list[Call]:
    named = one_function.first(question, evidence) if question.names or question.handle else []
    return [
        SUMMARY,
        BY_SELF,
        ("get_insights", {"name": "recursion"}),
        ("get_call_tree", {"max_nodes": 120}),
        *(call for call in named if call not in (SUMMARY, BY_SELF)),
    ]


def then_recursion(question: Question, evidence: Evidence) -> list[Call]:
    """Who calls the function that is named, and how often it is the one that does; how deep the stacks are."""
    if asked := numbers_asked(question, evidence):
        return asked
    rows = meant_functions.meant(question, evidence) if question.names or question.handle else []
    if not rows:
        return []
    handle = rows[0]["handle"]
    calls: list[Call] = [("get_callers_callees", {"frame": handle})]
    return [*calls, ("query_trace", {"sql": CALLS_OF_ITSELF.replace("?", handle)})]


def _of_one(question: Question, evidence: Evidence) -> list[str]:
    """Whether the named function calls itself, how often and how deep, where single calls were recorded."""
    around = meant_functions.around_of(question, evidence)
    if around is None:
        return one_function.unknown(question, evidence)
    row, unit = around["frame"], around["unit"]
    spent = f"It takes {total(row, unit)} in total and {own(row, unit)} itself."
    counted_rows = evidence.rows("query_trace")
    calls, again, deepest = ([cell.get("value") for cell in counted_rows[0]] if counted_rows else [0, 0, 0])[:3]
    rows = evidence.rows("find_frames")
    again_as = next((one for one in rows if one["name"] == f"{row['name']}'2"), None)
    if again_as:  # so callgrind writes the calls of a function that runs already
        return [f"**{cited(row)} calls itself**: as {cited(again_as)}, {counted(again_as, around['counted'])}. {spent}"]
    if not around["recursive"]:
        return [f"**No: {cited(row)} does not call itself.** {spent}"]
    if not calls:
        return [f"**{cited(row)} calls itself.** How often and how deep was not recorded. {spent}"]
    if not again:
        return [f"**{cited(row)} calls itself only by way of others.** {spent}"]
    of_them = f"{again:,} of its {calls:,} calls come from itself"
    return [f"**{cited(row)} calls itself: {of_them}, up to {deepest} deep.** {spent}"]


def recursion(question: Question, evidence: Evidence) -> list[str]:
    if question.names or question.handle:
        return _of_one(question, evidence)
    if deepest := numbers_recorded(question, evidence):
        return [deepest, leading(evidence, "What takes the most is")]
    found = evidence.first("get_insights")
    row = found["insights"][0] if found and found["insights"] else None
    closing = leading(evidence, "What takes the most is")
    deep = evidence.first("get_call_tree")
    nodes = {node["handle"]: node for node in (deep or {"nodes": []})["nodes"]}
    again = [
        node
        for node in nodes.values()
        if node["parent"] and nodes[node["parent"]]["frame_handle"] == node["frame_handle"]
    ]
    if row and row["state"] == "fail":
        return [f"**Yes: {sentence_of(row)}**", row["advice"], closing]
    if again:
        heaviest = max(again, key=lambda node: node["total_value"])
        small = f"{total(heaviest, deep['unit'])} lies below its own call" if deep else ""
        return [f"**{cited(heaviest)} calls itself, but that is not where the weight is**: {small}.", closing]
    why = f" {sentence_of(row)}" if row and row["state"] == "not_applicable" else ""
    return [f"**No function that matters calls itself** in the heaviest part of the tree.{why}", closing]
