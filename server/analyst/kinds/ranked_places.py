"""Which file, package, class or directory takes the most: an order of places, by what their functions take."""

from typing import Any

from server.analyst.asked_things import place_ranked
from server.analyst.asks.answering import rows_of
from server.analyst.evidence import Evidence
from server.analyst.kinds.kind import Call
from server.analyst.queries import query
from server.analyst.question import Question
from server.analyst.wording import amount, cited, coded, joined, share
from traces.lazy_regex import lazy_regex

_SQL = query("by_place")
_INSTALLED = query("installed_of_a_function")
_KEYS = {
    "files": "file",
    "packages": f"coalesce({_INSTALLED}, {query('package_by_name')}, file)",
    "libraries": f"coalesce({_INSTALLED}, {query('library_by_name')})",
    "classes": query("class_of_a_function"),
    "directories": r"regexp_extract(file, '^(.*)[/\\][^/\\]*$', 1)",
}
NAMED = 3
_NUMBER = lazy_regex(r"\b(?:10|[2-9])\b")


def calls(question: Question, evidence: Evidence) -> list[Call]:
    """The statement for the places that are asked for; of files where nothing says which."""
    sql = _statement(question, evidence)
    return [("query_trace", {"sql": sql})] if sql and evidence.first("query_trace", sql=sql) is None else []


def _statement(question: Question, evidence: Evidence) -> str:
    profiles = _profiles(evidence)
    if not profiles:
        return ""
    return _SQL.format(
        place=_KEYS[place_ranked(question.text) or "files"],
        profiles=", ".join(f"'{row['handle']}'" for row in profiles),
        unit="ns" if profiles[0]["unit"] == "nanoseconds" else profiles[0]["unit"],
    )


def _profiles(evidence: Evidence) -> list[dict[str, Any]]:
    """The threads that measure what the main profile does; that one alone where it is of no thread."""
    main = evidence.main
    if main is None or not main["tid"]:
        return [main] if main else []
    alike = [
        row for row in evidence.profiles if row["tid"] and (row["kind"], row["unit"]) == (main["kind"], main["unit"])
    ]
    return alike or [main]


def ranked(question: Question, evidence: Evidence) -> list[str]:
    """The places in their order, with the heaviest function of the first; empty where no function has one."""
    found = evidence.first("query_trace", sql=_statement(question, evidence))
    rows = rows_of(found) if found else []
    kind, unit = place_ranked(question.text) or "files", str((evidence.main or {}).get("unit"))
    if not rows:
        return []
    number = _NUMBER.search(question.text)
    shown = max(NAMED, int(number[0]) if number else NAMED)

    def own(row: dict[str, Any]) -> str:
        return f"{share(row['own'] / row['base'])} ({amount(row['own'], unit)})"

    first, *others = rows
    then = joined([f"{coded(one['place'])} with {own(one)}" for one in others[: shown - 1]])
    takes = "allocates" if unit == "bytes" else "takes"
    begins = f"**{coded(first['place'])} {takes} the most of all {kind}: {own(first)} itself**"
    most = cited({"name": first["most"], "handle": first["frame"]})
    listed = "\n".join(f"- {coded(one['place'])}: {own(one)} itself" for one in rows[shown:])
    heaviest = f"Its heaviest function is {most}, with {amount(first['heaviest'], unit)} itself."
    return [f"{begins}{f', then {then}' if then else ''}.", heaviest, listed]
