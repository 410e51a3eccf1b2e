"""Questions that are known by how they are put, whatever their other words are near to."""

from collections.abc import Callable

from server.analyst.asked_things import asks_if_done_again, asks_of_jank, asks_of_own_code
from server.analyst.forms import forms
from server.analyst.intent import Intent
from server.analyst.sentence_forms import asks_for_the_longest_wait

_FORMS = forms("known_forms")
_SENTENCE_FORMS = forms("sentence_forms")


def counts_all(text: str) -> bool:
    """Whether it asks for the number of all that was recorded: of samples, of instructions."""
    return _FORMS.in_all.search(text) is not None


BY_FORM: tuple[tuple[Callable[[str], object], Intent], ...] = (
    (asks_if_done_again, Intent.REPEATED),
    (_FORMS.hot_on_cpu.search, Intent.TOP),
    (_FORMS.of_all_threads.search, Intent.TOP),
    (_SENTENCE_FORMS.clock.search, Intent.RECORDING),
    (_FORMS.slowest_import.search, Intent.GROUP),
    (_FORMS.over_time.search, Intent.GROWTH),
    (_FORMS.by_program.search, Intent.PROFILES),
    (counts_all, Intent.HOW_OFTEN),
    (_FORMS.by_calls.search, Intent.HOW_OFTEN),
    (_FORMS.hottest_leaf.search, Intent.TOP),
    (_FORMS.all_of_it.search, Intent.RECORDING),
    (_FORMS.how_many_collections.search, Intent.GARBAGE),
    (_FORMS.cpu_busy.search, Intent.WAITING),
    (_FORMS.without_collector.search, Intent.GARBAGE),
    (_FORMS.who_waits.search, Intent.PROFILES),
    (_FORMS.hangs.search, Intent.WAITING),
    (_FORMS.which_lock.search, Intent.WAITING),
    (_FORMS.first_to_do.search, Intent.FIRST_FIX),
    (asks_for_the_longest_wait, Intent.WAITING),
    (_FORMS.who_waits_most.search, Intent.PROFILES),
    (_FORMS.hottest_kernel.search, Intent.GROUP),
    (asks_of_jank, Intent.LONG_TASKS),
    (_FORMS.leaks.search, Intent.MEMORY),
    (_FORMS.longest_task.search, Intent.LONG_TASKS),
    (_SENTENCE_FORMS.who_works.search, Intent.PROFILES),
    (asks_of_own_code, Intent.LIBRARIES),
)
"""Questions that are known by how they are put, the first that fits."""
