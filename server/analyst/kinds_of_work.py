"""Kinds of work that a prompt may suspect, each the name of a finding, by the words for it."""

from server.analyst.forms import first_form, forms

_FORMS = forms("kinds_of_work")


def work_named_in(text: str) -> str | None:
    """The finding about the kind of work that a text has a word for; None without one."""
    return first_form("work", text) or None


def asks_of_plan(text: str) -> bool:
    """Whether a text has a word of what a plan allows; the limit of a device is none."""
    return _FORMS.of_a_plan.search(text) is not None
