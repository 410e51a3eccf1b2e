"""Questions about memory: who allocates, what stays, and that a profile of time does not know."""

from server.analyst.evidence import Evidence
from server.analyst.findings import sentence_of
from server.analyst.kinds.kind import BY_SELF, FINDINGS, SUMMARY, Call
from server.analyst.kinds.one_function import leading
from server.analyst.kinds.overview import overview
from server.analyst.kinds.overview import then as then_overview
from server.analyst.question import Question
from server.analyst.wording import amount, cited, cited_profile, located, own

HOW_TO_RECORD = (
    "Record one that does: Node with `--heap-prof`, Go's heap profile, memray or tracemalloc for Python, "
    "stackprof with "
    "`:object` for Ruby, an allocation recording of the JVM, or massif and heaptrack."
)
SHOWN = 5
"""Functions that are listed of a profile of allocations."""
_COUNTS_OBJECTS = ("object", "alloc", "bytes", "inuse", "space")


def first(question: Question, evidence: Evidence) -> list[Call]:
    return [SUMMARY, BY_SELF, FINDINGS]


def then(question: Question, evidence: Evidence) -> list[Call]:
    if _knows(evidence):
        return then_overview(question, evidence)
    return [_of_memory(handle) for handle in evidence.memory_profiles[:1]]


def _of_memory(handle: str) -> Call:
    return ("get_top_functions", {"sort_by": "self", "limit": SHOWN, "profile": handle})


def _knows(evidence: Evidence) -> bool:
    """Whether what is measured is memory: bytes, or objects that were made."""
    main, summary = evidence.main, evidence.summary
    if main is None or summary is None:
        return False
    names = (
        " ".join(value["name"] for value in main["values"]).casefold()
        + f" {summary['name']} {{main['name']}}".casefold()
    )
    return main["unit"] == "bytes" or (main["unit"] == "count" and any(word in names for word in _COUNTS_OBJECTS))


def memory(question: Question, evidence: Evidence) -> list[str]:
    if not _knows(evidence):
        return _in_its_own_profile(evidence) or _unknown(evidence)
    lead = evidence.lead
    parts = overview(question, evidence)
    if lead is None:
        return parts
    leak_finding = evidence.finding("held-memory", "growing-memory")
    what = "what is still held" if _is_live(evidence) else "what was allocated"
    leak = ""
    if "leak" in question.text.casefold() or "grow" in question.text.casefold():
        leak = (
            f"Whether it leaks, one recording cannot prove: {cited(lead.row)} holds {own(lead.row, lead.unit)} "
            f"of {what}. "
            "Take a second one later under the same load and compare: what grew is the leak."
        )
    return [parts[0], leak, f"{sentence_of(leak_finding)} {leak_finding['advice']}" if leak_finding else "", *parts[1:]]


def _in_its_own_profile(evidence: Evidence) -> list[str]:
    """Allocations that were recorded together with the work, as a profile of their own."""
    for handle in evidence.memory_profiles[:1]:
        ranked, profile = evidence.first("get_top_functions", profile=handle), evidence.profile(handle)
        if ranked and ranked["rows"] and profile:
            unit, rows = ranked["unit"], ranked["rows"]
            everything = f"{amount(ranked['whole'], unit)} in {cited_profile(profile)}"
            return [
                f"**{cited(rows[0])} allocates the most: {own(rows[0], unit)}** of {everything}.",
                "\n".join(f"- {cited(row)}{located(row)}: {own(row, unit)}" for row in rows) if len(rows) > 1 else "",
                "What was allocated is in it, not what was kept: whether something leaks, it cannot say.",
            ]
    return []


def _is_live(evidence: Evidence) -> bool:
    main = evidence.main
    return bool(main and any(value["name"].startswith("inuse") for value in main["values"]))


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
