"""What words alone say of texts."""

from collections import Counter

from hypothesis import example, given
from hypothesis import strategies as st

from server.agent.memory.memory_texts import words_of
from server.agent.memory.ranking import MOST_OF_A_WORD, SHORT, Met, by_bm25, met_words, word_stems

TIMES = st.integers(1, MOST_OF_A_WORD)


def met(asked: str, text: Counter[str]) -> Met:
    return Met({word: text[word] for word in asked.split() if text[word]}, text.total())


def score(asked: str, *texts: Counter[str], among: int = 50) -> list[float]:
    return [value for value, _, _ in by_bm25(asked.split(), [met(asked, one) for one in texts], among)]


@given(TIMES, st.integers(0, 3 * SHORT), st.integers(1, SHORT))
def test_of_two_texts_with_a_word_as_often_the_shorter_counts_more(times: int, more: int, still_more: int) -> None:
    short, long = (Counter({"lock": times, "other": count}) for count in (more, more + still_more))
    first, second = score("lock", short, long)
    assert first > second > 0


@given(st.integers(1, MOST_OF_A_WORD - 1), st.integers(0, SHORT))
def test_a_word_counts_more_the_more_often_it_stands_in_a_text_of_one_length(times: int, more: int) -> None:
    seldom, often = (Counter({"lock": n, "other": MOST_OF_A_WORD + more - n}) for n in (times, times + 1))
    first, second = score("lock", seldom, often)
    assert second > first
    repeated = Counter({"lock": MOST_OF_A_WORD + 1 + more, "other": MOST_OF_A_WORD})
    as_often = Counter({"lock": MOST_OF_A_WORD, "other": MOST_OF_A_WORD + 1 + more})
    assert len(set(score("lock", repeated, as_often))) == 1, "what is repeated further adds nothing"


def test_a_rare_word_counts_more_and_what_is_shared_is_the_part_of_the_question() -> None:
    texts = [Counter(["lock", "page"]), Counter(["page", "draw"]), Counter(["page", "lines"])]
    found = by_bm25(["lock", "page"], [met("lock page", one) for one in texts], 3)
    (locks, part, shared), (_, less, one), _ = found
    assert shared == {"lock", "page"}
    assert (part, one) == (1.0, frozenset({"page"}))
    assert less < 0.5
    assert locks > score("lock page", *texts, among=3)[1]


LATIN = "parser parse parsing parsed sparse locks locked block 300 1300 ms naïve running run js/app.ts parseJson v8"
WORDS = st.sampled_from([*LATIN.split(), "延迟上限", "µs"])


@given(st.lists(WORDS, max_size=12), st.lists(WORDS, min_size=1, max_size=4))
@example(["1300"], ["1300"])
def test_a_text_has_as_many_of_a_word_as_one_that_is_taken_apart(text: list[str], asked: list[str]) -> None:
    sought = frozenset(word_stems(" ".join(asked)))
    said = words_of(" ".join(text))
    apart = Counter(word_stems(said))
    expected = {word: apart[word] for word in sought if apart[word]}
    found = met_words(sought, said).counts
    assert {word: often for word, often in found.items() if word.isascii()} == {
        word: often for word, often in expected.items() if word.isascii()
    }
    assert set(found) == set(expected)
