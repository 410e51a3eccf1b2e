"""Traces that no program recorded: made the same way every time, for traps and for shapes that are hard to record."""

from collections.abc import Callable
from types import MappingProxyType

from evals.made import hostile, pages, traps
from evals.made.files import Made

MAKERS: MappingProxyType[str, Callable[[], Made]] = MappingProxyType(
    {
        "nothing-dominates": traps.nothing_dominates,
        "two-equal": traps.two_equal,
        "three-samples": traps.three_samples,
        "busy-worker": traps.busy_worker,
        "misleading-names": traps.misleading_names,
        "deep-recursion": traps.deep_recursion,
        "same-name-twice": traps.same_name_twice,
        "three-equal": traps.three_equal,
        "two-phases": traps.two_phases,
        "three-workers": traps.three_workers,
        "all-waiting": traps.all_waiting,
        "silence-names": traps.silence_names,
        "quiet-page": pages.quiet_page,
        "sequential-queries": pages.sequential_queries,
        "ordering-names": hostile.ordering_names,
        "figures-in-names": hostile.figures_in_names,
        "linked-names": hostile.linked_names,
        "forty-namesakes": hostile.forty_namesakes,
        "many-names": hostile.many_names,
    }
)


def made(name: str) -> Made:
    """The file that a generator makes: its name and bytes. Raises KeyError for an unknown generator."""
    return MAKERS[name]()
