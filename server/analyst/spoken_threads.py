"""What is asked of the threads of a function: which of them has the most of it, how it is in the others."""

from dataclasses import replace

from server.analyst.evidence import Evidence
from server.analyst.forms import forms
from server.analyst.intent import Intent
from server.analyst.kinds.meant_functions import is_found
from server.analyst.measured import Measured
from server.analyst.question import Question
from server.analyst.thread_scope import singular, without_word

_FORMS = forms("thread_scope")
_RANKS = frozenset({"most", "least", "worst", "longest", "shortest", "slowest", "fewest", "best"})


def by_thread(question: Question, group: str, evidence: Evidence) -> Question | None:
    """The question for the threads of a function that is named with a word for them, or was spoken of; or for the
    longest of its calls, and its thread. None where it is of the threads themselves."""
    before, ranks = evidence.spoken_of, _FORMS.which_of_them.search(question.text)
    others = _FORMS.in_the_others.match(evidence.prompt)
    if others and before and before.handle.startswith("f") and evidence.runs_in_several:
        bare = Question(intent=Intent.FUNCTION, text="threads", note=question.note, handles=(before.handle,))
        return replace(bare, measured=Measured(("threads",), ()))
    if before and before.threads and not question.names and _FORMS.it_waits.match(question.text):
        return Question(intent=Intent.THREAD, text="that thread", thread=before.threads[0], note=question.note)
    if not ranks or not (group or _FORMS.which_thread.match(question.text)) or not evidence.runs_in_several:
        return None
    words = (*question.names, *question.maybe)
    names = tuple(one for one in without_word(question, group).names if is_found(one, evidence)) if group else ()
    names = names or tuple(
        one for one in words if not {*singular(group)} & {*singular(one.casefold())} and is_found(one, evidence)
    )
    of_it = {*singular(group)} | _RANKS
    is_new = any(not of_it & {*singular(one.casefold())} for one in (*words, *question.stems))
    is_new = is_new or _FORMS.of_threads.search(question.text) is not None
    if not names and (is_new or not before or before.is_aside or before.threads or before.handle[:1] != "f"):
        return None
    bare = replace(question, names=(), maybe=(), placed=(), stems=(), labels=(), thread=None, understood=True)
    if before and not names and _FORMS.worst_call.search(question.text):
        return replace(bare, intent=Intent.CALLS_OF, handle=before.handle, carried=before.cited, measured=None)
    handles = () if names or before is None else (before.handle,)
    return replace(bare, intent=Intent.FUNCTION, measured=Measured(("threads",), names[:1]), handles=handles)
