"""Five grades, by rule: right is claimed in two sentences, and what is wrong is wrong whatever else is said."""

import pytest
from pydantic import ValidationError

from evals.cause_classes import CLASSES, CauseClass, claims, fits
from evals.grades import Grade, beginning, declines, grade, is_taken_otherwise, opening
from evals.questions import Question

WHY = Question.model_validate(
    {"asked": "why so slow", "culprit": ["lines_of", "execute"], "cause": "n_plus_one", "fix": True}
)
RIGHT = "`lines_of` runs one query per order: 600 of them take 64 % of 0.46 s.\n\nFetch all lines with one join."


def graded(question: Question, text: str) -> Grade:
    return grade(question, text).grade


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (RIGHT, Grade.RIGHT),
        ("`lines_of` takes 64 % of the time. It is hot.\n\nIt sends one query per order: join them.", Grade.PARTLY),
        ("`lines_of` runs one query per order, 64 % of 0.46 s.", Grade.PARTLY),
        ("`<module>` takes 93 % of the time.\n\nBelow it: `lines_of`.", Grade.PARTLY),
        ("This trace does not say which queries were sent.", Grade.HONEST),
        ("Profile it again.", Grade.UNHELPFUL),
        ("", Grade.UNHELPFUL),
        ("`format_row` dominates: 64 % is spent in it itself.", Grade.WRONG),
        ("`lines_of` is not slow. It takes 64 %. There is no n+1.", Grade.PARTLY),
        (
            "`a_b`, `c_d`, `e_f`, `g_h`, `i_j` and `lines_of` take the time, one query per order.\n\nJoin them.",
            Grade.PARTLY,
        ),
        ("It depends. Perhaps. `lines_of` runs one query per order: join them.", Grade.PARTLY),
    ],
)
def test_a_cause_is_right_when_culprit_class_and_change_are_claimed_in_the_opening(text: str, expected: Grade) -> None:
    assert graded(WHY, text) is expected


def test_an_opening_that_claims_every_class_is_right_about_nothing() -> None:
    everything = (
        "Yes or no: `lines_of` takes most of the time, 600 calls, one query per row, waiting for a lock, "
        "GC, a regex that backtracks, quadratic, an exception, logging.\n\nJoin, batch, cache, reuse, set."
    )
    plain = Question.model_validate({"asked": "how often?", "opening": ["600"]})
    assert graded(WHY, everything) is Grade.PARTLY
    assert graded(plain, everything) is Grade.UNHELPFUL
    assert graded(plain, "It is called 600 times.") is Grade.RIGHT


def test_an_opening_is_two_sentences_without_lists_paths_notes_and_a_word_on_the_language() -> None:
    text = (
        "(The question is not known: I take it as another.) Auf Englisch, leider. **`a_b`** takes 5 %. The path: `x` → "
        "`y`.\nThird one.\n- listed"
    )
    assert opening(text) == "**`a_b`** takes 5 %. The path:"
    assert "Third one" in beginning(text)
    assert len(opening("word " * 500)) <= 450


def test_a_report_of_another_question_is_wrong_unless_it_says_so() -> None:
    who = Question.model_validate({"asked": "and who calls it?", "opening": ["receipt_of"], "about": ["call"]})
    overview = "`lines_of` dominates: 64 % of the time is spent in it."
    assert graded(who, overview) is Grade.WRONG
    assert graded(who, f"(I take this as: where does the time go?) {overview}") is Grade.UNHELPFUL
    assert (
        graded(who, f"{overview} (I was not sure what is asked, and took it as: what takes the time.)")
        is Grade.UNHELPFUL
    )
    assert graded(who, "It is called by `receipt_of`, 600 times.") is Grade.RIGHT
    assert graded(who, "This trace has no callers; what they are is not recorded.") is Grade.HONEST


def test_what_cannot_be_known_is_right_only_when_it_is_said() -> None:
    bytes_asked = Question.model_validate({"asked": "how many bytes?", "cannot": True, "wrong": ["\\d MB"]})
    assert graded(bytes_asked, "This trace cannot say: it measures time.") is Grade.RIGHT
    assert graded(bytes_asked, "About 12 MB; more is not recorded.") is Grade.WRONG
    assert graded(bytes_asked, "(The rules do not know this question.) `main` leads.") is Grade.UNHELPFUL
    assert is_taken_otherwise("(The rules do not know this question.) `main` leads.")


def test_a_false_cause_of_a_sibling_is_wrong_and_its_denial_is_not() -> None:
    sibling = Question.model_validate(
        {"asked": "n+1?", "opening": ["\\bno\\b"], "false_causes": ["n_plus_one", "lock_contention"]}
    )
    assert graded(sibling, "No, there is no n+1: one query brings all lines.") is Grade.RIGHT
    assert graded(sibling, "Yes, one query per order, no doubt.") is Grade.WRONG
    assert graded(sibling, "No. Threads wait for a lock instead.") is Grade.WRONG


def test_a_figure_must_stand_in_the_opening_with_its_function() -> None:
    asked = Question.model_validate(
        {"asked": "how long?", "figures": [{"value": 64.0, "unit": "%", "within": 0.5, "near": "lines_of"}]}
    )
    assert graded(asked, "`lines_of` takes 64.2 %.") is Grade.RIGHT
    assert graded(asked, "`receipt_of` takes 64.2 %.") is Grade.UNHELPFUL
    assert graded(asked, "It is known.\nSee.\n\n- `lines_of`: 64.2 %") is Grade.UNHELPFUL


def test_looking_for_a_word_of_the_question_as_a_function_is_never_right() -> None:
    asked = Question.model_validate({"asked": "from where?", "opening": ["receipt_of"]})
    said = "This trace has no function that matches `from`. `receipt_of` is near."
    assert graded(asked, said) is not Grade.RIGHT


CLAIMED: dict[CauseClass, tuple[str, str]] = {
    "n_plus_one": ("It sends one query per row.", "Use a join."),
    "lock_contention": ("Six threads wait for the lock of the map.", "Do the work outside the lock."),
    "blocked_event_loop": ("A synchronous hash blocks the event loop.", "Use the asynchronous one."),
    "serial_waits": ("The five requests are awaited one after the other.", "Await them together."),
    "regex_backtracking": ("The pattern backtracks.", "Rewrite the pattern without nested quantifiers."),
    "superlinear_growth": ("It searches a growing list: quadratic.", "Use a set."),
    "repeated_work": ("The same table is parsed again and again.", "Keep it in a cache."),
    "gc_pressure": ("Half of it is garbage collection.", "Reuse the buffers."),
    "cold_start": ("Importing modules takes half of the start-up.", "Import lazily."),
    "outlier_call": ("One of 60 calls took 117 ms.", "Look at the arguments of that call."),
    "exceptions_as_control_flow": ("It throws an exception a cell.", "Check the text before parsing."),
    "logging": ("Logging takes most of it.", "Raise the level."),
    "serialisation": ("The document is serialised for each edit.", "Send only what changed."),
    "oversubscription": ("48 threads, which is more threads than cores.", "Use fewer threads."),
    "cache_misses": ("Its reads miss the cache.", "Walk row by row."),
    "leak": ("The visits are never released.", "Bound the list."),
    "layout_thrashing": ("Each read forces a layout.", "Do all reads first, then write."),
    "long_task": ("A long task of 1.5 s.", "Split it."),
    "main_thread_io": ("The main thread reads a file.", "Read it in a worker."),
}


def test_every_class_has_words_that_claim_it_and_a_change_that_fits() -> None:
    assert set(CLAIMED) == set(CLASSES)
    assert [name for name, (claim, change) in CLAIMED.items() if not (claims(claim, name) and fits(change, name))] == []
    assert [name for name in CLASSES if claims("`main` dominates: 64 % of 3 s is spent in it itself.", name)] == []


@pytest.mark.parametrize("text", ["There is no lock contention.", "Not an n+1.", "The GC is not seen."])
def test_a_denied_class_is_no_claim(text: str) -> None:
    assert [name for name in CLASSES if claims(text, name)] == []


def test_declining_is_about_the_trace_or_asks_back() -> None:
    assert declines("This trace does not record memory.")
    assert declines("Which of the two do you mean, `a` or `b`?")
    assert not declines("`main` dominates, nothing in what it calls.")


def test_a_question_that_nothing_is_right_for_is_refused() -> None:
    with pytest.raises(ValidationError, match="nothing is right"):
        Question.model_validate({"asked": "why?", "wrong": ["x"]})
    with pytest.raises(ValidationError, match="fix without cause"):
        Question.model_validate({"asked": "why?", "culprit": ["x"], "fix": True})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("781 calls of `walk`.", Grade.RIGHT),
        ("About `walk`, as before: `walk` was called 781 times.", Grade.RIGHT),
        ("Yes: N+1 queries: 781 calls of `walk`.", Grade.RIGHT),
        ("**N+1 queries**: One query per row: `children_of` makes 781 calls in 1 run of `walk`.", Grade.UNHELPFUL),
        ("**`walk` dominates** (`tree.py:3`): 64 % of it, in 781 calls.", Grade.UNHELPFUL),
        ("`walk` is the hottest function, with 781 calls.", Grade.UNHELPFUL),
    ],
)
def test_what_asks_for_one_thing_is_not_answered_by_a_report_on_all(text: str, expected: Grade) -> None:
    asked = {"asked": "how many calls of it", "opening": ["781"]}
    assert graded(Question.model_validate(asked | {"direct": True}), text) is expected
    assert graded(Question.model_validate(asked), text) is Grade.RIGHT
