"""Words of a question that its answer does not take up: then the answer begins by saying so, and which question it
answers instead. Another question's answer without a word is the worst that can be given.
"""

import re
from functools import cache

from server.agent.memory.word_stem import SHORTEST, stem
from server.agent.verification.recompute import last_part
from server.agent.verification.references.figure_links import without_addresses
from server.analyst.forms import forms, word_list
from server.analyst.intent import ABOUT_ONE_FUNCTION, Intent, intents
from server.analyst.moments import without_time_ranges
from server.analyst.nearest_intent import asked_with, meaning, vocabulary
from server.analyst.question import Question
from server.analyst.subjects import IDENTIFIER
from server.analyst.wording import coded, joined
from traces.lazy_regex import lazy_regex

_FORMS = forms("unread_words")
_SENTENCE_FORMS = forms("sentence_forms")

BEGINNING = 5
"""Letters of a word by which a function was meant that is named a little otherwise."""
LETTERS = 5
"""Of a word that may have one too many."""
OF_ASKING = 5
"""Intents from which a word that their examples have is one of asking, and says nothing of what is asked."""
MOST = 3
"""Such words that the sentence names."""
_OF_EVERYTHING = frozenset({Intent.OVERVIEW, Intent.WHY})
"""Intents that are meant where somebody describes a symptom in words of their own."""
_WITHOUT_A_SUBJECT = intents("abilities code compare correction smalltalk sql summarise usage draw")
SMALL_WORDS = word_list("small_words")
_WORD = lazy_regex(r"(?<![\w.@/:`'’-])[A-Za-z]{3,}(?![\w@/:`-])")
_OF_ANY_SCRIPT = lazy_regex(r"(?<![\w.@/:`'’-])[^\W\d_]{2,}(?![\w@/:`-])")
_CODE = lazy_regex(r"`[^`]*`")
_A_COUNT = lazy_regex(
    r"(?<![\w.,])\d[\d,]*(?![\w.,%]|\s?(?:ns|µs|us|ms|s|min|B|kB|KB|MB|GB|%)\b|\s?%)|"
    r"\b(?:once|twice|no|none|nothing|[Oo]ne (?:call|thread|of|sampled))\b"
)
_DECLINES = lazy_regex(
    r"\bcan(?:not|'t)\b|\bno function that matches\b|\bneeds a language model\b|"
    r"\bnot (?:kept apart|recorded)\b"
)
_WITH_A_DIGIT = lazy_regex(r"(?<![\w.@/:`-])(?!utf|http|top|python|java|es\d|x86)[a-z]{3,}\d+[a-z]*(?![\w@/:`-])")
"""A word that only code has: `pbkdf2`."""
_SENTENCE = lazy_regex(r"(?<=[.!?])\s+")
_SLOW_THING = lazy_regex(
    r"^(?:(?:and|so|but)[ ,]+)*which (?!one\b|part\b|bit\b|thing)\w+ (?:is|are|was)\b|"
    r"\bwhy\b.{0,12}\b(?:is|are|was|does|do) (?:the |our |my )?\w+(?: \w+)? (?:so |too )?(?:slow|long|take)"
)


def unread(question: Question, text: str, *, is_first: bool = True) -> tuple[str, ...]:
    """The words of the prompt that are neither of asking, nor of the intent, nor in the answer. What goes on asks for
    something, where a first prompt may name a symptom."""
    code = _unread_code(question, text)
    if question.measured or code:
        return code
    if question.note and question.intent in ABOUT_ONE_FUNCTION and not _has_subject(question):
        return _foreign(question.text, text)
    if not question.text.isascii() or question.note or question.intent in _WITHOUT_A_SUBJECT:
        return ()
    asks = _SLOW_THING.search(question.text) or _asks_a_thing(question)
    if question.intent in _OF_EVERYTHING and is_first and not asks:
        return ()
    of_all = question.intent in _OF_EVERYTHING  # what stands far down in a report on everything took no word up
    remedy = word_list("of_a_remedy") if question.intent is Intent.FIRST_FIX else frozenset()
    answer = without_addresses("\n\n".join(text.split("\n\n")[:2]) if of_all else text).casefold()
    found: dict[str, None] = {}
    asked = without_time_ranges(_SENTENCE.split(question.text.strip())[-1])  # a symptom may stand before it
    for word in _WORD.findall(_FORMS.of_the_program.sub(" ", asked)):
        root = stem(word)
        asking = _of_stems().get(root, frozenset())
        known = word.casefold() in SMALL_WORDS | remedy or len(asking) >= OF_ASKING or question.intent in asking
        as_spoken = root[:BEGINNING] if question.handle and not question.carried else root
        if not (known or len(root) < SHORTEST or as_spoken in answer or _is_mistyped(word.casefold())):
            found[word] = None
    by_name = bool(question.names) and not question.carried
    is_asked_for = len(found) == 1 and re.search(rf"\b(?:is|are) (?:the|our|its) {next(iter(found))}\W*$", asked)
    left = () if by_name and len(found) == 1 and not is_asked_for else found
    return tuple(word for word in left if not _is_modifier(word, question.text, answer))


def _unread_code(question: Question, text: str) -> tuple[str, ...]:
    """The words spelled like code that the answer does not begin with, whatever it is that was asked."""
    if question.intent in _WITHOUT_A_SUBJECT or question.excluded:
        return ()
    letters = _letters("\n\n".join(without_addresses(text).split("\n\n")[:2]))
    said = [name.removesuffix("()") for name in IDENTIFIER.findall(question.text)]
    said += _WITH_A_DIGIT.findall(question.text)
    place = _letters(question.on_thread or "") if question.profile or question.intent is Intent.THREAD else ""
    return tuple(name for name in said if _letters(last_part(name)) not in letters and _letters(name) not in place)


def is_of_asking(word: str) -> bool:
    """Whether a word, in small letters, is one that people ask with, whatever it is that they ask."""
    is_small = word in SMALL_WORDS or word.removesuffix("s") in SMALL_WORDS
    return is_small or len(_of_stems().get(stem(word), frozenset())) >= OF_ASKING


def placed_words(asked: str, opening: str) -> tuple[list[str], list[str]]:
    """The words of a prompt that are none of asking: those that an opening has, and those that it has not."""
    known = opening.casefold()
    words = [word for word in _OF_ANY_SCRIPT.findall(without_time_ranges(asked)) if not is_of_asking(word.casefold())]
    words = [word for word in words if not (word.isascii() and _is_mistyped(word.casefold()))]
    placed = [word for word in words if stem(word.casefold()) in known]
    placed += [asked] if asked.strip("?!. ").casefold() in known else []  # `n+1?`
    return placed, [word for word in words if len(word) >= SHORTEST and stem(word.casefold()) not in known]


def _asks_a_thing(question: Question) -> bool:
    """Whether it asks for something, or is hardly more than its name, where others name a symptom."""
    short = len(question.text.split()) < LETTERS and question.text.endswith("?")
    return not question.why and (short or _SENTENCE_FORMS.asks_what.search(question.text) is not None)


def _letters(text: str) -> str:
    """What is left of a name however people write it: `nodes_of_class` and `nodesOfClass` alike."""
    return re.sub(r"[\W_]", "", text).casefold()


def _has_subject(question: Question) -> bool:
    return bool(question.names or question.handle or question.carried)


def _foreign(asked: str, text: str) -> tuple[str, ...]:
    """The words of a prompt in another language that no example has, where nothing in it was found in the trace."""
    answer = without_addresses(text).casefold()
    words = dict.fromkeys(word for word in re.findall(r"[^\W\d_]{3,}", asked) if word.casefold() not in vocabulary())
    return tuple(word for word in words if word.casefold() not in answer)


def _is_mistyped(word: str) -> bool:
    """Whether two letters of a word of asking are the wrong way round, or one is too many: `teh`, `happend`."""
    ways = [word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(len(word) - 1)]
    ways += [word[:at] + word[at + 1 :] for at in range(len(word))] if len(word) > LETTERS else []
    return any(one in SMALL_WORDS or one == "the" for one in ways)


def _is_modifier(word: str, text: str, answer: str) -> bool:
    """Whether it stands before a word that the answer does take up: `crc` of `the crc checksum`."""
    after = re.search(rf"\b{word} ([A-Za-z]{{3,}})", text)
    return (
        after is not None
        and not word.endswith("ing")
        and after[1].casefold() not in SMALL_WORDS
        and stem(after[1]) in answer
    )


def admitted(question: Question, text: str, *, is_first: bool = True) -> str:
    """The sentence before an answer that leaves words of its question out; empty before any other."""
    words, first = unread(question, text, is_first=is_first), without_addresses(text).partition("\n")[0]
    if _DECLINES.search(first):
        return ""
    is_counted = _A_COUNT.search(_CODE.sub("", first)) or (
        _FORMS.of_threads.search(question.text) and "one profile" in first
    )
    if _FORMS.how_many.search(question.text) and not (is_counted or question.measured):
        return f"**How many that is, I cannot say**; taken as “{meaning(question.intent)}”: "
    if not words:
        return ""
    named = joined([coded(word) for word in words[:MOST]])
    return f"**I could not place {named}, so I cannot answer that part**; taken as “{meaning(question.intent)}”: "


@cache
def _of_stems() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for word, asking in asked_with().items():
        root = stem(word)
        found[root] = found.get(root, frozenset()) | asking
    return found
