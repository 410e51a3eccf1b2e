"""The garbage collector while tests run."""

import gc
import weakref


class Knot:
    """Refers to itself, so that only the search for cycles frees it."""

    def __init__(self) -> None:
        self.itself = self


def test_what_was_collected_is_left_alone_and_cycles_of_tests_are_found() -> None:
    assert gc.isenabled()
    assert gc.get_freeze_count() > 1_000
    of_this_test = weakref.ref(Knot())
    gc.collect()
    assert of_this_test() is None
