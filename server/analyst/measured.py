"""Prompts of nothing but measures and names, read word by word: `price self time`, `longest flush and when?`, `calls?`.

Nothing is left over in them that could mean something else, so what they ask is known without likeness to examples. A
word with a letter in it that is no measure and no small word must be a name, and the trace has to know it.
"""

import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from server.analyst.subject_words import in_english, words_without_spaces
from traces.lazy_regex import lazy_regex

WORDS = Path(__file__).with_name("measures.toml")
RUNS = 2
"""Names that such a prompt compares."""
LONGEST_RUN = 3
"""Words of a name as people say it: `script evaluation`."""
MOST_WORDS = 14
_MARK = "\x00"
_TOKEN = lazy_regex(rf"{_MARK}\w+{_MARK}|`[^`\n]+`|[^\W\d_][\w.:$#'’-]*[\w)]|[\w.:$#-]+(?:\(\))?|[^\s\w]")
_PUNCTUATION = lazy_regex(r"^[?!.,;:…'\"“”()+&/=-]$|^[？。，、：！]$")
_OF_THE_RECORDING = frozenset(
    (
        "thread",
        "threads",
        "process",
        "processes",
        "worker",
        "function",
        "functions",
        "trace",
        "profile",
        "recording",
        "program",
        "samples",
        "kernel",
        "slice",
        "slices",
        "span",
        "spans",
        "event",
        "events",
        "task",
        "tasks",
    )
)
"""Words for parts of a recording, which no function is meant by."""
_OF_THREADS = frozenset(("thread", "threads", "process", "processes", "worker", "workers", "track", "tid", "pid"))
"""Words next to which a name is that of a thread."""
_NO_SPACES = lazy_regex(r"[\u3040-\u30ff\u3400-\u9fff]")
_OR = lazy_regex(r"\b(?:or|oder|ou|o)\b", re.IGNORECASE)
_OF_SOMETHING_ELSE = lazy_regex(
    r"\bhow many (?:functions|methods|threads|profiles|processes|workers)\b|\bcalls? (?:it|that|this)\b", re.IGNORECASE
)
"""Numbers of parts of the recording; and who calls what, which is no number of calls."""
_THAN = lazy_regex(r"\b(?:than|als)\b", re.IGNORECASE)
_WHICH_THREAD = lazy_regex(r"\b(?:which|what) threads?\b", re.IGNORECASE)
_THE_MOST = lazy_regex(r"\b(?:the )?(?:biggest|most|worst|heaviest|largest|longest|hottest|slowest)\W*$", re.IGNORECASE)
"""What follows a function that is looked for by thread: the order of the threads is by its time anyway."""
_OF_A_NAME = lazy_regex(
    r"\b(?:calls? (?:to|of)|who calls|what calls|called by|function|appels (?:à|de)|qui appelle|aufrufe von|wer ruft|"
    r"llamadas a|quién llama a)\s+$",
    re.IGNORECASE,
)
"""Words after which a word of measures (`sum`, `min`) is the name of a function."""
_AND = lazy_regex(r"^(?:and|what about|how about|und(?: was ist mit)?|et|y|e|や|那)\s", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Measured:
    """`measures` in the order of the prompt; `runs` the words of each name; `refers` is whether a pronoun is among the
    words, `goes_on` whether it begins as what asks the same of something else (`and flush?`)."""

    measures: tuple[str, ...]
    runs: tuple[str, ...]
    refers: bool = False
    goes_on: bool = False

    def asks(self, *names: str) -> bool:
        return bool({*names} & {*self.measures})

    @property
    def sets_one_more_against(self) -> bool:
        """Whether it compares the one thing that it names with what was spoken of (`more than parse?`)."""
        return self.asks("compared") and len(self.runs) == 1


@dataclass(frozen=True, slots=True)
class _Lexicon:
    pattern: re.Pattern[str]
    measure_of: dict[str, str]
    small: frozenset[str]
    everywhere: re.Pattern[str]
    refers: frozenset[str]


@cache
def _lexicon() -> _Lexicon:
    table = tomllib.loads(WORDS.read_text(encoding="utf-8"))
    measure_of = {phrase.casefold(): name for name, phrases in table["measures"].items() for phrase in phrases}
    ways = "|".join(re.escape(phrase) for phrase in sorted(measure_of, key=len, reverse=True))
    written = rf"(?<![\w`.:/$-])(?:{ways})(?![\w`/$-]|[.:]\w)|%|[\u4e00-\u9fff]+(?=\0)"
    pattern = re.compile(written, re.IGNORECASE)
    small = table["small"]
    everywhere = re.compile("|".join(map(re.escape, sorted(small["everywhere"], key=len, reverse=True))), re.IGNORECASE)
    small_words = frozenset(small["words"].split())
    return _Lexicon(pattern, measure_of, small_words, everywhere, frozenset(small["refers"].split()))


@cache
def _without_spaces() -> re.Pattern[str]:
    """Words of scripts that write without spaces: of asking, of measures and of parts of programs."""
    lexicon = _lexicon()
    known = {*lexicon.measure_of, *lexicon.small, *lexicon.refers, *words_without_spaces()}
    words = sorted(filter(_NO_SPACES.search, known), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, words)))


def measured(prompt: str) -> Measured | None:
    """What such a prompt asks for; None for any other."""
    text = " ".join(prompt.split())
    if _NO_SPACES.search(text):
        text = " ".join(_without_spaces().sub(lambda found: f" {found[0]} ", text).split())
    lexicon = _lexicon()
    text = _THE_MOST.sub("", text) if _WHICH_THREAD.search(text) else text
    if not text or len(text.split()) > MOST_WORDS or _OF_SOMETHING_ELSE.search(text):
        return None
    marked, names = _marked(lexicon.everywhere.sub(" ", text), lexicon)
    runs, refers = _runs(marked, lexicon)
    fits = runs is not None and len(runs) <= RUNS and all(len(run.split()) <= LONGEST_RUN for run in runs)
    goes_on = _AND.match(text) is not None
    words = [{*run.casefold().split()} for run in runs or ()]
    if any(of_run <= _OF_THE_RECORDING or of_run & _OF_THREADS for of_run in words):
        return None
    sets_against = _THAN.search(text) or (runs and len(runs) == RUNS and names and _OR.search(text))
    if sets_against and "compared" not in names:
        names.append("compared")
    everywhere = lexicon.everywhere.search(text) is not None and not names
    if runs is None or not fits or not (names or everywhere or (runs and goes_on)):
        return None
    names = ["everywhere"] if everywhere else names
    if len(runs) == RUNS and {*names} <= {"share", "total", "self"} and (base := _base(text, runs)):
        return Measured(("part",), (next(run for run in runs if run != base), base), refers, goes_on)
    if len(runs) == RUNS and {"compared", "weighs"} <= {*names}:  # `is it parse or emit, the problem`
        names = [name for name in names if name != "weighs"]
    if len(runs) < RUNS and {"self", "total"} <= {*names}:  # `inclusive vs exclusive`: of one thing
        names = [name for name in names if name != "compared"]
    measures = tuple(dict.fromkeys(names))
    if (len(runs) == RUNS and "compared" not in names) or (not runs and len(measures) > RUNS):
        return None
    return Measured(measures, runs, refers, goes_on)


def _base(text: str, runs: tuple[str, ...]) -> str:
    """Of two names the one that the share is asked of: `publish` of `what percentage of publish is snapshot`."""
    return next(
        (
            run
            for run in runs
            if re.search(
                rf"\bof (?:the )?(?:time (?:of|in|spent in) )?`?{re.escape(run)}\b|(?<!\w){re.escape(run)}['’]s\b", text
            )
        ),
        "",
    )


def _marked(text: str, lexicon: _Lexicon) -> tuple[str, list[str]]:
    """The text with what asks for a measure marked, and the measures."""
    names: list[str] = []

    def mark(found: re.Match[str]) -> str:
        if _OF_A_NAME.search(found.string[: found.start()]) and found[0].isalpha():
            return found[0]
        names.append(lexicon.measure_of[found[0].casefold()])
        return f" {_MARK}m{_MARK} "

    quoted = re.split(r"(`[^`\n]+`)", text)
    parts = [one if one.startswith("`") else lexicon.pattern.sub(mark, one) for one in quoted]
    return " ".join(parts), names


def _runs(marked: str, lexicon: _Lexicon) -> tuple[tuple[str, ...] | None, bool]:
    """The names in it, and whether a pronoun is among its words; None where something else is."""
    runs: list[list[str]] = [[]]
    refers = False
    for token in _TOKEN.findall(marked):
        word = token.casefold()
        if word in lexicon.refers:
            refers = True
        if token.startswith(_MARK) or word in lexicon.small or word in lexicon.refers or _PUNCTUATION.match(token):
            runs.append([])
        elif token.startswith("`"):
            runs[-1].append(token.strip("`").removesuffix("()"))
        elif re.match(r"[A-Za-z_$<(]", english := in_english(token)):
            runs[-1].append(english.rstrip(":,").removesuffix("()").removesuffix("'s"))
        else:
            return None, refers
    return tuple(dict.fromkeys(" ".join(run) for run in runs if run)), refers


OF_FUNCTIONS = frozenset(
    ("everywhere", "calls", "mean", "longest", "shortest", "median", "p99", "when", "from_itself", "callers", "self")
)
"""Measures that a function has, and a thread has not."""


def loosely_measured(prompt: str, is_of_asking: Callable[[str], bool]) -> Measured | None:
    """What a prompt asks for that names nothing, and is a sentence about measures of what was spoken of: `why is its
    p99 so bad`; None for any other. `is_of_asking` says of a word whether it says nothing of what is asked."""
    lexicon = _lexicon()
    text = lexicon.everywhere.sub(" ", " ".join(prompt.split()))
    marked, names = _marked(text, lexicon)
    words = [
        token.casefold()
        for token in _TOKEN.findall(marked)
        if not (token.startswith(_MARK) or _PUNCTUATION.match(token))
    ]
    known = all(word in lexicon.small or word in lexicon.refers or is_of_asking(word) for word in words)
    measures = tuple(dict.fromkeys(one for one in names if one in OF_FUNCTIONS))
    if not (known and measures) or len(words) > MOST_WORDS or _OF_SOMETHING_ELSE.search(text):
        return None
    return Measured(measures, (), refers=True)
