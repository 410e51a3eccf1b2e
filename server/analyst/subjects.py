"""What a prompt names: functions, files, threads; and the prompt with names, times and numbers replaced.

The classifier sees X and Y for names, P for a thread, W for a time range, N for a number, as in `intents.toml`.
"""

import difflib
import re
from dataclasses import dataclass

from server.analyst.forms import forms, word_list
from server.analyst.moments import without_time_ranges
from server.analyst.nearest_intent import vocabulary
from traces.lazy_regex import lazy_regex

_FORMS = forms("subjects")

CODE = lazy_regex(r"`([^`\n]{1,300})`|[\"“”]([^\"“”\n]{1,300})[\"“”]|(?<!\w)'([^'\n]{2,300})'(?!\w)")
HANDLE = lazy_regex(r"(?<![\w])#?([fns]\d+)\b")
PROFILE = lazy_regex(r"(?<![\w])#?(p(?!(?:50|75|90|95|99|999)\b)\d+)\b")
IDENTIFIER = lazy_regex(
    r"(?<![\w.])(?:\w+(?:-\w*)++(?:\.\w+)+|[A-Za-z_$][\w$]*(?:(?:::|\.|#|->)[\w$~<>]+)+(?:\(\))?|[\w.-]*(?:/[\w.-]+){2,}|[A-Za-z_$]\w*\(\)|[a-z]+[A-Z]\w*|\w*_\w+|"
    r"[A-Z][a-z]+[A-Z]\w*|<\w[\w .]*>|\((?:program|idle|root|anonymous|garbage collector)\))",
    re.ASCII,
)
_LABEL = lazy_regex(r"(?<![\w.])[A-Za-z][\w.]*(?:-\w+)+(?:\.\w+)*(?!\w)", re.ASCII)
_ONE_WORD = lazy_regex(r"[\w.:/$@-]{3,80}\??", re.ASCII)
_LABELLED = lazy_regex(r"^`?([\w.$<>#]+)`?:\s")
_PLACES = (
    _FORMS.which_one,
    _FORMS.the_one,
    _FORMS.about,
    _FORMS.took,
    _FORMS.and_name,
    _FORMS.other,
    _FORMS.than,
    _LABELLED,
)
NO_THREAD = word_list("no_thread")
NO_NAMES = word_list("no_names")
_WORD = lazy_regex(r"(?<![\w.@/:-])[A-Za-z_$][\w$]{2,}(?![\w@/:-])")
_NUMBER = lazy_regex(r"(?<![\w.+])(?<!\+ )\d[\d.,]*(?![\w])")
_ADVERB = lazy_regex(r"[a-z]{2,}ly")
LETTERS_OF_ADVERBS = 5
"""More of them has a word in -ly that is no verb (`apply`, `reply`)."""
LIKE = 0.75
"""Likeness (of difflib) from which an unknown word is a known one with a typing slip."""
OF_C = frozenset(
    {"memcpy", "memset", "memmove", "memcmp", "malloc", "calloc", "realloc", "strlen", "strcmp", "strcpy", "printf"}
)
"""Functions that programs of all languages end in, by names without a sign of code: no slips of `memory`."""
SLIP_LETTERS = 2
SLIPS = 12
"""Unknown words of a prompt that are looked at for slips: more of them are a pasted log, not typing."""
NAMES = 3
"""Names that one prompt can ask about."""


@dataclass(frozen=True, slots=True)
class Subjects:
    """`names` are surely meant, quoted text first, then what is spelled like an identifier; `maybe` are words in a
    function's place, `placed`, and words that no question has. `masked` is the prompt with what was found replaced, and
    `plain` the same with the words of `maybe` left as they are."""

    names: tuple[str, ...]
    maybe: tuple[str, ...]
    placed: tuple[str, ...]
    thread: str | None
    profiles: tuple[str, ...]
    labels: tuple[str, ...]
    handle: str | None
    masked: str
    plain: str


def subjects(text: str) -> Subjects:
    """What a prompt names."""
    thread = _thread(text)
    names, placed = _names(text, thread)
    unknown, slips = _unknown(text, (*names, *placed), thread)
    maybe = _kept([*placed, *unknown], thread)
    known = vocabulary()
    masked = _masked(text, thread, (*names, *(name for name in placed if name.casefold() not in known)), slips)
    return Subjects(
        names,
        maybe,
        placed,
        thread,
        tuple(PROFILE.findall(text)),
        tuple(one for one in _LABEL.findall(CODE.sub(" ", text)) if not set(one.casefold().split("-")) <= known),
        found[1] if (found := HANDLE.search(text)) else None,
        masked,
        _masked(text, thread, names, slips) if maybe else masked,
    )


def _masked(text: str, thread: str | None, names: tuple[str, ...], slips: dict[str, str]) -> str:
    masked = without_time_ranges(PROFILE.sub(" P ", CODE.sub(" X ", text)))
    if thread:
        masked = masked.replace(thread, " P ")
    masked = IDENTIFIER.sub(" X ", HANDLE.sub(" X ", masked))
    for name in names:
        masked = re.sub(rf"(?<!\w){re.escape(name)}(?:\(\))?(?!\w)", " X ", masked)
    for slip, word in slips.items():
        masked = re.sub(rf"(?<!\w){re.escape(slip)}(?!\w)", word, masked)
    masked = _NUMBER.sub(" N ", masked)
    first, *others = re.split(r"\bX\b", " ".join(masked.split()))
    return first + "".join(("X" if i == 0 else "Y") + part for i, part in enumerate(others))


def _thread(text: str) -> str | None:
    """Part of the name of a thread: a handle, what stands next to the word, or what is numbered like one."""
    if found := PROFILE.search(text):
        return found[1]
    for pattern in (_FORMS.thread_named, _FORMS.named_thread, _FORMS.numbered):
        for match in pattern.finditer(text):
            name = match[1].strip("-.:'\"")
            looks = (
                pattern is not _FORMS.thread_named or not name.isalpha() or not name.islower() or "named" in match[0]
            )
            if len(name) > 1 and looks and name.casefold() not in NO_THREAD:
                return name
    return None


def _names(text: str, thread: str | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    sure = [next(group for group in match.groups() if group) for match in CODE.finditer(text)]
    rest = CODE.sub(" X ", text)
    sure += [match[0] for match in IDENTIFIER.finditer(rest)]
    sure += [word for word in _WORD.findall(rest) if word in OF_C]
    maybe = [group for place in _PLACES for match in place.finditer(rest) for group in match.groups() if group]
    maybe += [text] if _ONE_WORD.fullmatch(text) else []
    plain = (one.strip(".,?!:()") for one in maybe)
    words = [word for word in plain if word != "X" and word.casefold() not in NO_NAMES and not _ADVERB.fullmatch(word)]
    return _kept(sure, thread), _kept([word for word in words if word not in sure], thread)


def _unknown(text: str, named: tuple[str, ...], thread: str | None) -> tuple[list[str], dict[str, str]]:
    """Words that stand in no example and may be names; and slips of typing by the word that was meant."""
    known = vocabulary()
    unknown: list[str] = []
    slips: dict[str, str] = {}
    rest = without_verbs(CODE.sub(" ", text))
    taken = {part for name in (*named, thread or "") for part in re.split(r"\W+", name)}
    for word in _WORD.findall(rest):
        if (
            not word.isascii()
            or word.casefold() in known
            or word in taken
            or word.casefold() in NO_NAMES
            or (_ADVERB.fullmatch(word) and len(word) > LETTERS_OF_ADVERBS)
            or HANDLE.fullmatch(word)
        ):
            continue
        may_be_slip = len(unknown) < SLIPS and word.casefold() not in OF_C
        like = _like(word.casefold(), known) if may_be_slip else []
        if like and len(word) > 3 and word.islower() and like[0].rstrip("s") != word.rstrip("s"):
            slips[word] = like[0]
        unknown.append(word)
    return (unknown if len(unknown) <= NAMES else []), slips


def without_verbs(text: str) -> str:
    """What is left where somebody does something, which is no name: `holding` of `who's holding it`."""
    return _FORMS.verb.sub(" ", text)


def _like(word: str, known: frozenset[str]) -> list[str]:
    """The known word that one with a typing slip stands for, if any: the first letter and about the length agree."""
    near = [one for one in known if one[:1] == word[:1] and abs(len(one) - len(word)) <= SLIP_LETTERS]
    return difflib.get_close_matches(word, sorted(near), n=1, cutoff=LIKE)


def _kept(found: list[str], thread: str | None) -> tuple[str, ...]:
    unique = dict.fromkeys(name.removesuffix("()").strip() for name in found)
    return tuple(
        name
        for name in unique
        if len(name) > 1
        and name != thread
        and not HANDLE.fullmatch(name)
        and not PROFILE.fullmatch(name)
        and not re.fullmatch(r"[\d.,]+(?:ms|s|%)?", name)
    )[:NAMES]
