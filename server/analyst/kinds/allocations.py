"""Questions about memory: who allocates, what stays, and that a profile of time does not know."""

from typing import Any

from server.analyst.evidence import Evidence
from server.analyst.findings import sentence_of
from server.analyst.forms import forms
from server.analyst.kinds.kind import Call
from server.analyst.kinds.meant_functions import is_named
from server.analyst.kinds.one_function import leading
from server.analyst.kinds.other_values import asks_of_all, first_value
from server.analyst.kinds.overview import overview
from server.analyst.kinds.overview import then as then_overview
from server.analyst.question import Question
from server.analyst.wording import amount, cited, cited_profile, located, own

_FORMS = forms("allocations")

HOW_TO_RECORD = (
    "Record one that does: Node with `--heap-prof`, Go's heap profile, memray or tracemalloc for Python, "
    "stackprof with "
    "`:object` for Ruby, an allocation recording of the JVM, or massif and heaptrack."
)
SHOWN = 5
"""Functions that are listed of a profile of allocations."""
_COUNTS_OBJECTS = ("object", "alloc", "bytes", "inuse", "space")


def then(question: Question, evidence: Evidence) -> list[Call]:
    if _knows(evidence):
        return then_overview(question, evidence)
    if (column := _column_of_bytes(evidence)) is not None:
        names = question.names or question.maybe
        ways: list[dict[str, Any]] = [{"filter": name[:100]} for name in names] or [{}]
        return [("get_top_functions", {"sort_by": "self", "limit": SHOWN, "value": column} | way) for way in ways]
    asked = [_of_memory(handle) for handle in evidence.memory_profiles[:1]]
    return [*asked, *((tool, {**arguments, "limit": 1, "my_code": True}) for tool, arguments in asked)]


def _column_of_bytes(evidence: Evidence) -> str | None:
    """The quantity of the main profile that is bytes, where it measures time first."""
    values = (evidence.main or {}).get("values", ())
    return next((value["name"] for value in values if value["unit"] == "bytes"), None)


def _of_memory(handle: str) -> Call:
    return ("get_top_functions", {"sort_by": "self", "limit": SHOWN, "profile": handle})


def _knows(evidence: Evidence) -> bool:
    """Whether what is measured is memory: bytes, or objects that were made."""
    main, summary = evidence.main, evidence.summary
    if main is None or summary is None:
        return False
    names = (
        " ".join(value["name"] for value in main["values"]).casefold() + f" {summary['name']} {main['name']}".casefold()
    )
    if main["unit"] == "count" and main.get("waits") == "neither":  # objects that were sampled as they were made
        return True
    return main["unit"] == "bytes" or (main["unit"] == "count" and any(word in names for word in _COUNTS_OBJECTS))


def memory(question: Question, evidence: Evidence) -> list[str]:
    if not _knows(evidence):
        return _in_its_own_column(question, evidence) or _in_its_own_profile(evidence) or _unknown(evidence)
    lead = evidence.lead
    parts = overview(question, evidence)
    if lead is None:
        return parts
    leak_finding = evidence.finding("held-memory", "growing-memory")
    what, done = ("what is still held", "holds") if _is_live(evidence) else ("what was allocated", "made")
    leak = ""
    if _FORMS.leaks.search(question.text):
        leak = (
            f"Whether it leaks, one recording cannot prove: {cited(lead.row)} {done} {own(lead.row, lead.unit)} "
            f"of {what}. "
            "Take a second one later under the same load and compare: what grew is the leak."
        )
    if asks_of_all(question.text) and not (question.names or question.handle):
        what = "objects were" if lead.unit == "count" else "was"
        of_all = f"In all {amount(lead.total, lead.unit)} {'is in use' if _is_live(evidence) else f'{what} recorded'}"
        return [f"**{of_all}**, the most by {cited(lead.row)}: {own(lead.row, lead.unit)}.", *parts[1:]]
    if leak:
        return [f"**{leak.replace(': ', ':** ', 1)}", *parts]
    if lead.unit == "count" and (evidence.main or {}).get("waits") == "neither":
        parts.insert(1, "What is counted is objects that were made, not their bytes.")
    return [parts[0], f"{sentence_of(leak_finding)} {leak_finding['advice']}" if leak_finding else "", *parts[1:]]


def _in_its_own_column(question: Question, evidence: Evidence) -> list[str]:
    """Bytes that were recorded with the time: of the functions that are named, else of those that have most."""
    column = _column_of_bytes(evidence)
    found = [result.data for result in evidence.all("get_top_functions") if result.arguments.get("value") == column]
    names = question.names or question.maybe
    best: dict[str, dict[str, Any]] = {}
    for data in found if column is not None else []:
        rows = [row for row in data["rows"] if row["self_value"] > 0]
        exact = [row for row in rows if any(is_named(row, name) for name in names)]
        for row in (exact or rows)[: 1 if names else SHOWN]:
            best.setdefault(row["handle"], row)
    if not best:
        return []
    unit, rows = found[0]["unit"], sorted(best.values(), key=lambda row: -row["self_value"])
    first_, *others = rows
    most = "allocates" if names and not others else "allocates the most"
    return [
        f"**{cited(first_)} {most}: {own(first_, unit)}** of {amount(found[0]['whole'], unit)}.",
        "\n".join(f"- {cited(row)}{located(row)}: {own(row, unit)}" for row in others),
        "What was allocated is in it, not what was kept: whether something leaks, it cannot say.",
    ]


def _in_its_own_profile(evidence: Evidence) -> list[str]:
    """Allocations that were recorded together with the work, as a profile of their own."""
    for handle in evidence.memory_profiles[:1]:
        ranked, profile = evidence.first("get_top_functions", profile=handle), evidence.profile(handle)
        if ranked and ranked["rows"] and profile:
            unit, rows = ranked["unit"], ranked["rows"]
            everything = f"{amount(ranked['whole'], unit)} in {cited_profile(profile)}"
            mine = evidence.first("get_top_functions", profile=handle, my_code=True)
            behind = [row for row in (mine or {"rows": []})["rows"] if row["handle"] != rows[0]["handle"]]
            on_behalf = (
                f" Counting libraries to who calls them, {cited(behind[0])} does: {own(behind[0], unit)}."
                if behind
                else ""
            )
            return [
                f"**{cited(rows[0])} allocates the most: {own(rows[0], unit)}** of {everything}.{on_behalf}",
                "\n".join(f"- {cited(row)}{located(row)}: {own(row, unit)}" for row in rows) if len(rows) > 1 else "",
                "What was allocated is in it, not what was kept: whether something leaks, it cannot say.",
            ]
    return []


def _is_live(evidence: Evidence) -> bool:
    """Whether what is measured first is what is still held: pprof's heap profiles have what was allocated, too."""
    return bool(first_value(evidence)["name"].startswith("inuse"))


def _unknown(evidence: Evidence) -> list[str]:
    what = "counts" if evidence.unit == "count" else "time"
    said = (
        f"**This trace cannot say: it measures {what}, not memory**, so what is allocated, held or leaked is not in it."
    )
    parts = [said]
    indirect = [
        row
        for row in [*evidence.findings("runtime"), *evidence.findings("memory")]
        if row["id"] in ("garbage-collection", "allocator", "collection-pause", "explicit-collection", "growing-memory")
    ]
    if indirect:
        signs = "\n".join(f"- {row['title']}: {sentence_of(row)} {row['advice']}".rstrip() for row in indirect)
        parts.append(f"What hints at it:\n\n{signs}")
    else:
        parts.append("Nothing hints at it either: no collector or allocator stands out among what ran.")
    return [
        *parts,
        leading(evidence, f"What takes the most {'time' if what == 'time' else 'of what is counted'} is"),
        HOW_TO_RECORD,
    ]
