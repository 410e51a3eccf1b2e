"""How many samples a recording has, how deep its deepest stack and recursion are: numbers that no summary has."""

from typing import Any

from server.analyst.evidence import Evidence
from server.analyst.figures import linked
from server.analyst.forms import forms
from server.analyst.kinds.kind import Call
from server.analyst.queries import query
from server.analyst.question import Intent, Question
from server.analyst.wording import cited_profile, coded, joined

_FORMS = forms("recorded_numbers")


def numbers_asked(question: Question, evidence: Evidence) -> list[Call]:
    """The query for the number of samples or the deepest stack of the main profile, where that is asked for."""
    main = evidence.main
    if main is None or question.names or question.handle:
        return []
    if _is_of_recursion(question):
        return [("query_trace", {"sql": query("deepest_recursion")})]
    asked = (("samples_taken", _FORMS.samples), ("deepest_stack", _FORMS.depth))
    chosen = [name for name, form in asked if form.search(question.text)]
    return [("query_trace", {"sql": query(name).format(profile=main["handle"])}) for name in chosen]


def _is_of_recursion(question: Question) -> bool:
    """Whether the deepest recursion is asked for, and not the deepest stack."""
    is_asked = question.intent is Intent.RECURSION and _FORMS.recursion.search(question.text) is not None
    return is_asked and _FORMS.depth.search(question.text) is None


def numbers_recorded(question: Question, evidence: Evidence) -> str:
    """The number that is asked for, in a sentence; empty where none is, or the recording has no samples."""
    rows: list[list[dict[str, Any]]] = [
        row
        for _, arguments in numbers_asked(question, evidence)
        for row in (evidence.first("query_trace", **arguments) or {"rows": []})["rows"]
    ]
    if rows and _is_of_recursion(question):
        levels = [(level["value"], f"[{coded(name['name'])}](#{frame['name']})") for level, frame, name in rows]
        each = [f"{function} with {linked(f'{int(level):,}', level)} calls in each other" for level, function in levels]
        then = f", then {joined(each[1:])}" if each[1:] else ""
        return f"**The deepest recursion is that of {each[0]}**{then}."
    main = evidence.main
    where = f" in {cited_profile(main)}" if main else ""
    for number, *deepest in rows:
        value = number["value"]
        if deepest and value:
            frame, name = deepest
            function = f"[{coded(name['name'])}](#{frame['name']})"
            return f"**The deepest stack has {linked(f'{int(value):,}', value)} frames**{where}: it ends in {function}."
        if value:
            return f"**{linked(f'{int(value):,}', value)} samples were taken**{where}."
    return ""
