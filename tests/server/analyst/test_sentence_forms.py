"""How a prompt is put: what it asks for by its form, whatever its subject is."""

import re

import pytest

from server.analyst import forms as all_forms
from server.analyst import sentence_forms as forms
from tests.server.analyst.written_answers import assert_answered
from tests.server.analyst.written_answers import prompts_of as answers_of
from tests.server.analyst.written_questions import assert_read, prompts_of

_SENTENCES, _KNOWN = all_forms.forms("sentence_forms"), all_forms.forms("known_forms")


@pytest.mark.parametrize(
    ("text", "whether", "yes_or_no"),
    [
        ("is it slow?", True, True),
        ("and does it wait", True, True),
        ("ist das langsam?", True, True),
        ("the parser is slow, right?", True, True),
        ("parse?", False, True),
        ("on the main thread?", False, True),
        ("which one?", False, False),
        ("why is it slow?", False, False),
        ("median?", False, False),
        ("show me the parser", False, False),
    ],
)
def test_yes_or_no_is_asked_for_by_a_verb_first_or_by_a_name_alone(
    text: str, *, whether: bool, yes_or_no: bool
) -> None:
    assert (forms.asks_whether(text), forms.is_yes_or_no(text)) == (whether, yes_or_no)


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("is there a leak", True),
        ("and any locks?", True),
        ("gibt es Pausen", True),
        ("there is a leak", False),
        ("is it there", False),
    ],
)
def test_whether_there_is_something(text: str, *, asks: bool) -> None:
    assert forms.asks_for_any(text) is asks


@pytest.mark.parametrize(
    ("text", "has"), [("who calls it", True), ("und davon?", True), ("它 慢", True), ("who calls read", False)]
)
def test_a_pronoun_refers(text: str, *, has: bool) -> None:
    assert forms.refers(text) is has


@pytest.mark.parametrize(
    ("text", "thing"),
    [
        ("how many forks?", "fork"),
        ("and how many times are forks", ""),
        ("how many retries are there", "retrie"),
        ("how many calls?", ""),
        ("how many threads are there", ""),
        ("how many gcs?", ""),
        ("how often is fork called", ""),
    ],
)
def test_a_number_is_asked_of_what_may_be_a_function(text: str, thing: str) -> None:
    assert forms.number_asked_of(text) == thing


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("how many kernel launches?", "kernel launch"),
        ("how many page faults are there", "page fault"),
        ("how many long tasks?", ""),
        ("how many http requests?", ""),
        ("how many forks?", ""),
    ],
)
def test_a_number_is_asked_of_two_words(text: str, pair: str) -> None:
    assert forms.pair_asked_of(text) == pair


@pytest.mark.parametrize(
    ("text", "thing"),
    [
        ("which training step is slowest", "step"),
        ("the slowest epoch", "epoch"),
        ("which sort takes the longest", "sort"),
        ("which function takes the most", ""),
        ("which is slowest", ""),
    ],
)
def test_one_of_a_kind_is_ranked(text: str, thing: str) -> None:
    assert forms.ranked_thing(text) == thing


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("is strcat called from column_sums?", ("strcat", "column_sums")),
        ("was `read()` ever invoked directly by load", ("read()", "load")),
        ("does load call read?", ("read", "load")),
        ("does it call read?", ()),
        ("is read called by anything", ()),
        ("is read slow", ()),
    ],
)
def test_what_is_called_and_by_what(text: str, pair: tuple[str, ...]) -> None:
    assert forms.relation_asked_of(text) == pair


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("the longest task", 0),
        ("the second longest task", 1),
        ("2nd slowest", 1),
        ("and the next task", 1),
        ("the third call", 2),
        ("3rd worst", 2),
        ("fourth-longest wait", 3),
        ("the 4th request", 3),
        ("a second thread", 0),
    ],
)
def test_a_place_in_an_order_counts_from_nought(text: str, place: int) -> None:
    assert forms.place_asked_for(text) == place


@pytest.mark.parametrize(
    ("text", "thing"),
    [
        ("why is the network so slow", "network"),
        ("how come our Disks are busy", "disks"),
        ("warum ist die DB langsam", "db"),
        ("is the network slow", ""),
        ("why is the parser slow", ""),
    ],
)
def test_something_is_taken_for_slow(text: str, thing: str) -> None:
    assert forms.slow_thing(text) == thing


@pytest.mark.parametrize(
    ("text", "done"),
    [
        ("how often does it parse the config?", "parse config"),
        ("when do we open a socket", "open socket"),
        ("how often is read called", ""),
    ],
)
def test_what_is_done_and_to_what(text: str, done: str) -> None:
    assert forms.done_to(text) == done


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        (_SENTENCES.few_calls_why, "why do 3 calls take so long", "why are there calls"),
        (_SENTENCES.claims_first, "since read is the hottest, what now", "is read the hottest"),
        (_SENTENCES.without_symbols, "what is [unknown]", "what is known"),
        (_SENTENCES.without_symbols, "it has no debug symbols", "it has debug symbols"),
        (_SENTENCES.how_many, "the number of calls", "the calls"),
        (_SENTENCES.how_many, "wie viele Aufrufe", "welche Aufrufe"),
        (_KNOWN.longest_wait, "what was the longest time blocked", "what was blocked"),
        (_KNOWN.who_works, "who burns the cpu", "who calls read"),
        (_KNOWN.who_works, "which process works the most", "which function works"),
        (_SENTENCES.who_and_how_often, "who calls read and how often", "who calls read"),
        (_SENTENCES.asks_what, "and which thread", "is it a thread"),
    ],
)
def test_patterns_that_others_share(pattern: re.Pattern[str], yes: str, no: str) -> None:
    assert pattern.search(yes)
    assert not pattern.search(no)


def test_the_worst_of_a_kind_is_ranked() -> None:
    assert forms.ranked_thing("worst checker") == "checker"
    assert forms.ranked_thing("what is the slowest pass?") == "pass"
    assert not forms.ranked_thing("worst function")


@pytest.mark.parametrize(("module", "context", "prompt"), prompts_of("sentence_forms"))
def test_a_prompt_is_read_as_it_is_written(module: str, context: str, prompt: str) -> None:
    assert_read(module, context, prompt)


@pytest.mark.parametrize(("module", "trace", "prompt"), answers_of("sentence_forms"))
async def test_an_answer_is_as_it_is_written(module: str, trace: str, prompt: str) -> None:
    await assert_answered(module, trace, prompt)


@pytest.mark.parametrize("text", ["c'est beaucoup au total ?", "ist das viel?", "¿es mucho?", "e é muito?"])
def test_a_figure_is_judged_by_the_verb_alone(text: str) -> None:
    assert forms.judges(text)
    assert not forms.judges("es parse")
