"""Questions for the time that loading modules takes, and for the module that takes the most of it."""

from typing import Any

from server.analyst.evidence import Evidence
from server.analyst.forms import forms
from server.analyst.kinds.kind import Call
from server.analyst.kinds.one_function import leading
from server.analyst.queries import query
from server.analyst.question import Question
from server.analyst.spoken_topics import OF_IMPORTS
from server.analyst.wording import amount, coded, joined, share

_FORMS = forms("imports")
_SQL = query("imports")
SHOWN = 4
_NONE = "**No import is recorded here**: no frame shows the program loading a module."
Row = tuple[str, float]


def calls(question: Question, evidence: Evidence) -> list[Call]:
    """The query for what loads modules, where that is asked for."""
    return [("query_trace", {"sql": _statement(evidence)})] if asked_for(question) else []


def asked_for(question: Question) -> bool:
    return _FORMS.asked.search(question.text) is not None


def _statement(evidence: Evidence) -> str:
    return _SQL.replace("'?'", f"'{(evidence.summary or {'default_profile': 'p0'})['default_profile']}'")


def loads(question: Question, evidence: Evidence) -> list[str]:
    """All loading and the modules with the most of it; empty where neither is asked for, or only another word for
    loading is and nothing is recorded."""
    if not asked_for(question):
        return []
    found = evidence.first("query_trace", sql=_statement(evidence))
    (every, modules), everything = _rows(found), (evidence.main or {}).get("total") or 0.0
    if found is None or not everything:
        return []
    if not every:
        return [_NONE, leading(evidence, "The heaviest function is")] if _FORMS.by_word.search(question.text) else []
    if modules and _FORMS.which.search(question.text):
        (place, value), *others = modules
        begins = f"**Importing {coded(place)} takes longest: {_took(value, everything, evidence)}**"
        begins += f", with what it imports itself{_listed(others, evidence)}"
        text = f"{begins}. All imports take {_took(every, everything, evidence)}."
    else:
        most, others = (
            (f", most of it {coded(modules[0][0])} with {_amount(modules[0], evidence)}", modules[1:])
            if modules
            else ("", [])
        )
        unnamed = "" if modules else " Which module that is, the frames do not say."
        text = f"{OF_IMPORTS}{_took(every, everything, evidence)}{most}**{_listed(others, evidence)}.{unnamed}"
    return [text, leading(evidence, "The heaviest function is")]


def _rows(found: dict[str, Any] | None) -> tuple[float, list[Row]]:
    """The value of all loading, and of each module that no other one loads."""
    rows = [(place.get("name") or "", own.get("value") or 0.0) for place, own in (found or {"rows": []})["rows"]]
    every = next((value for place, value in rows if not place), 0.0)
    return every, [row for row in rows if row[0] and row[1]][:SHOWN]


def _took(value: float, everything: float, evidence: Evidence) -> str:
    return f"{share(value / everything)} ({amount(value, evidence.unit)})"


def _amount(row: Row, evidence: Evidence) -> str:
    return amount(row[1], evidence.unit)


def _listed(rows: list[Row], evidence: Evidence) -> str:
    return f", then {joined([f'{coded(row[0])} with {_amount(row, evidence)}' for row in rows])}" if rows else ""
