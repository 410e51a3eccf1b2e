"""What an answer claims: numbers, percentages, ratios, counts, names, windows and causes, each with its place and the
statement (sentence, list item, table row) that it stands in.

No claims are what is written as code, places (`main.c:30`, line 30), versions, dates, ordinals and list numbering.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from typing import Literal

from server.agent.verification.citations import CITATION
from server.agent.verification.decimal_commas import in_english_shape
from server.agent.verification.factors import factors
from server.agent.verification.written_numbers import Dimension, Mention, mentions
from traces.lazy_regex import lazy_regex

Bound = Literal["about", "over", "under", "just over", "just under"]

CODE_SPAN = lazy_regex(r"`([^`\n]+)`")
_CODE_BLOCK = lazy_regex(r"^(```|~~~).*?(?:^\1|\Z)", re.DOTALL | re.MULTILINE)
_UNITS_FOLLOW = r"(?![\d.,]*\s?(?:%|[nmµ]?s\b|[kMG]i?B\b|times\b|calls\b|samples\b))"
_MONTHS = "(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_VERSIONED = (
    r"(?:versions?|v|c?python|pypy|node(?:\.?js)?|go|java|jdk|openjdk|ruby|php|chrom(?:e|ium)|firefox|v8|gcc|clang|linux|"
    r"kernel|postgres(?:ql)?|cuda|pytorch|numpy|ghc|rust|\.net|windows|macos|android|ios|http/?|status|port|pid|tid|"
    r"ecmascript|es|c\+\+)"
)
_ORDERED = (
    r"(?:step|point|option|section|phase|item|figure|level|priority|row|column|thread|worker|task|part|answer|"
    r"no\.|percentile|number|rank|place|platz|nummer|nr\.|rang|stelle|position|zeile|ligne|fil|schritt)"
)
_NO_CLAIMS = lazy_regex(
    rf"""
    ^[ \t>*-]*\(?\d+[.)](?=\s)                                                        # a list's numbering
    | \b\d{{4}}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?  # dates
    | \b\d{{1,2}}:\d\d(?::\d\d)?\b                                                    # times of day
    | \b\d{{1,2}}\.?\s{_MONTHS}\b(?:\s\d{{4}})? | \b{_MONTHS}\s\d{{1,2}}(?:,?\s\d{{4}})?\b
    | \blines?\s\d+(?:\s?(?:-|–|to|and)\s?\d+)?                                       # places in files
    | \b{_VERSIONED}\s?\d+(?:\.\d+)*{_UNITS_FOLLOW}\b
    | \b{_ORDERED}\s\#?\d+\b(?!\.\d){_UNITS_FOLLOW}
    | \b(?:top|first|last|next|previous)\s\d+{_UNITS_FOLLOW}\b(?!\s?(?:ms|s|µs|%|seconds?))
    | \b(?:half|hälfte|moitié|\d\d\s?%)\s(?:of|der|des|aller)\s(?:the\s|its\s|all\s)?(?:calls|aufrufe|appels)\b
    | \b\d+(?:\.|e|er|ème)\s?(?:perzentil|centile|percentil)
    | \b[A-Z]\w+\(\d+\)                                                              # numbered names
    | \b\d+(?:st|nd|rd|th)\b | \bp\d{{2}}\b | \b\d+-bit\b | \bO\([^)\n]*\) | \b\d+\^\d+
    """,
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)
HEDGED_BY = 24
"""Characters before a figure in which a hedge of it may stand."""
_HEDGES: tuple[tuple[Bound, re.Pattern[str]], ...] = (
    (
        "under",
        lazy_regex(
            r"\b(?:no|not|never|nie|nicht|jamais|pas)\b[^.,;]{0,16}\b(?:more|longer|greater|higher|larger|bigger|länger|mehr|"
            r"plus(?: longtemps)?) (?:than|als|que|de)\s*$",
            re.IGNORECASE,
        ),
    ),
    (
        "just under",
        re.compile(
            r"(?:\b(?:slightly|barely|(?:only )?just|(?:a )?(?:bit|little)) (?:less|under|below)(?: than)?|"
            r"\b(?:etwas|wenig) weniger als|\bun peu moins (?:de|du|d['’])|\b(?:algo|un poco|apenas) menos del?)\s*$",
            re.IGNORECASE,
        ),
    ),
    (
        "just over",
        re.compile(
            r"(?:\b(?:slightly|barely|(?:only )?just|(?:a )?(?:bit|little)) (?:more|over|above)(?: than)?|\bgut|"
            r"\b(?:etwas|wenig) mehr als|\bun peu plus (?:de|du|d['’])|\b(?:algo|un poco|apenas) más del?)\s*$",
            re.IGNORECASE,
        ),
    ),
    (
        "over",
        lazy_regex(
            r"(?:\b(?:more|longer|larger|greater|bigger|higher) than|\b(?:well )?over|\babove|\bexceed(?:s|ing)|"
            r"\bat least|\bmehr als|\bmindestens|\büber|\bplus d[eu'’]|\bau moins|\bmás del?|\bal menos|>|≥)\s*$",
            re.IGNORECASE,
        ),
    ),
    (
        "under",
        lazy_regex(
            r"(?:\b(?:less|fewer|shorter|smaller|lower) than|\bunder|\bbelow|\bat most|(?<!add )(?<!adds )(?<!added )"
            r"(?<!come )(?<!comes )(?<!amount )(?<!amounts )\bup to|\bhöchstens|\bunter|\bweniger als|"
            r"\bmoins d(?:e|u|['’])|\bau plus|<|≤)\s*$",
            re.IGNORECASE,
        ),
    ),
    (
        "about",
        lazy_regex(
            r"(?:\b(?:about|around|roughly|nearly|almost|approximately|circa|some|rund|etwa|"
            r"ungefähr|knapp|fast|environ|près de|presque|à peu près|un[oa]s|casi|close to)|~|≈)\s*$",
            re.IGNORECASE,
        ),
    ),
)
_LAST_OF_A_HEDGE = frozenset(
    (
        "than",
        "als",
        "que",
        "de",
        "du",
        "del",
        "d'",
        "d’",
        "over",
        "above",
        "exceeds",
        "exceeding",
        "least",
        "mindestens",
        "über",
        "moins",
        "under",
        "below",
        "most",
        "to",
        "höchstens",
        "unter",
        "plus",
        "about",
        "around",
        "roughly",
        "nearly",
        "almost",
        "approximately",
        "circa",
        "some",
        "rund",
        "etwa",
        "ungefähr",
        "knapp",
        "environ",
        "près",
        "unos",
        "unas",
        "casi",
        "presque",
        "fast",
        "gut",
        "menos",
    )
)
"""With one of these words, or a sign, every hedge ends: most figures have another word before them."""
_HEDGE_BEHIND = lazy_regex(
    r"\W{0,3}(?:(?P<under>or (?:less|fewer|shorter|faster)|at most|oder (?:weniger|kürzer)|höchstens|ou moins|o menos)|"
    r"or (?:more|longer|slower)|at least|oder (?:mehr|länger)|mindestens|ou plus|o más)\b",
    re.IGNORECASE,
)
_COUNTED = lazy_regex(
    r"\s(?:(?:\w+[ -]){0,2})(?:times|calls?|samples?|invocations?|executions?|iterations?|functions?|frames?|threads?|"
    r"profiles?|tasks?|events?|spans?|requests?|quer(?:y|ies)|allocations?|objects?|callers?|callees?|findings?|rows?|"
    r"Aufrufen?|Stichproben?|Funktionen|mal|appels?|appelantes?|fois|échantillons?|fonctions?|fils|llamadas?|veces|muestras?|"
    r"collections?|layouts?|kernels?|layers?|levels?|windows?|warnings?|stretches|pauses)\b",
    re.IGNORECASE,
)
_SURELY_COUNTED = lazy_regex(
    r"[\s-](?:times|calls?|samples?|invocations?|executions?|mal|Aufrufen?|Stichproben?|fois|appels?|échantillons?|veces|llamadas?|callers?)\b"
    r"|\s(?:of them |davon |d'entre eux )?(?:comes?|came|stems?|kommen|stammen|viennent|proviennent) "
    r"(?:from|von|aus|de)\b|\s(?:out )?of (?:the |its |all )*[\d,]+ (?:calls?|samples?)\b",
    re.IGNORECASE,
)
_CAUSE = lazy_regex(
    r"\b(?:because(?:\sof)?|caused\sby|causes|due\sto|leads\sto|led\sto|results\sin|is\sthe\s(?:cause|reason)(?:\sof)?)\b",
    re.IGNORECASE,
)
_WINDOW = lazy_regex(r"\b(?:between|from|during|in the window(?: of)?)\s+$", re.IGNORECASE)


def hedge(before: str) -> Bound | None:
    """What the words before a figure make of it."""
    last = before.rsplit(None, 1)[-1].lower() if before and not before.isspace() else ""
    if last[-1:] not in "<>≤≥~≈" and last.lstrip("*_([\"'`«„“—–-") not in _LAST_OF_A_HEDGE:
        return None
    return next((bound for bound, words in _HEDGES if words.search(before)), None)


def hedge_behind(after: str) -> Bound | None:
    """What the words after a figure make of it."""
    match = _HEDGE_BEHIND.match(after)
    return None if match is None else "under" if match["under"] else "over"


_WINDOW_JOIN = lazy_regex(r"^\s?(?:-|–|—|→|to|and|until)\s?$", re.IGNORECASE)
_SHARED_UNIT = lazy_regex(
    r" (?:out of|of|and|or|to|von|und|bis|oder|sur|et|ou|à|y|o|a)(?: the| about| some| rund| etwa| environ| unos)? ",
    re.IGNORECASE,
)
_OUT_OF = lazy_regex(r" (?:out of|of|von|sur|de) (?:the )?(?:about |some |rund |etwa )?", re.IGNORECASE)
_CLOSED = lazy_regex(r"\s*[).,;:]|\s*$")
_DIGITS = lazy_regex(r"\d[\d,]*(?:\.\d+)?")
_MOMENT = lazy_regex(
    r"(?:\bat|\bfrom|\bafter|\bstart(?:s|ed|ing)? at|\buntil|\bend(?:s|ed|ing)? at|@)\s+(?:~|≈|about\s|t\s?=\s?)?$",
    re.IGNORECASE,
)
_AT_SO_LONG = lazy_regex(
    r"\b(?:longest|slowest|shortest|fastest|longue|längste)\b[^.;]*,\s+at\s+(?:~|≈|about\s|around\s)?$", re.IGNORECASE
)
"""`The longest is that of f, at 65 ms`: no moment."""
_EACH = lazy_regex(r"\s(?:each|apiece|per|a piece|intervals?)\b", re.IGNORECASE)
_SENTENCE_END = lazy_regex(
    r"(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\bca)(?<!\bz\.B)(?<!\bd\.h)(?<!\bbzw)"
    r"[.!?](?=[\s*_)\]]|$)(?!\s(?:Perzentil|Platz|Stelle|Rang)\b)[*_)\]]*\n*|\n+"
)
"""Spaces after it are left to the next statement: they may stand for a name."""


@dataclass(frozen=True, slots=True)
class Name:
    """A name that an answer writes, as code or as the label of a citation; `handle` of the citation."""

    text: str
    start: int
    end: int
    handle: str | None
    is_code: bool


@dataclass(frozen=True, slots=True)
class Claim:
    """A number (a window has two), with the statement it stands in. `value` of a ratio is a plain factor."""

    kind: Literal["number", "percentage", "ratio", "count", "window"]
    mentions: tuple[Mention, ...]
    start: int
    end: int
    statement: int
    bound: Bound | None = None
    sure: bool = True
    """Whether it is a claim even when nothing is found: a small bare number often is none."""


@dataclass(frozen=True, slots=True)
class Cause:
    """A causal word and the names around it in its statement."""

    start: int
    end: int
    statement: int


@dataclass(frozen=True, slots=True)
class Claims:
    names: tuple[Name, ...]
    numbers: tuple[Claim, ...]
    causes: tuple[Cause, ...]
    statements: tuple[tuple[int, int], ...]
    text: str
    """The answer with code, citations and what claims nothing blanked, offsets kept."""

    def statement_of(self, place: int) -> int:
        """The statement that has a place of the answer."""
        return max(bisect_right(self.statements, place, key=lambda one: one[0]) - 1, 0)


SMALL_COUNT = 12
NUMBERS = 4_000
"""Numbers of an answer that are read: twice what its bound in tokens has room for."""


def claims_of(answer: str) -> Claims:
    """Every claim of an answer in order of place."""
    masked = _CODE_BLOCK.sub(_blank, answer)
    names = []
    for match in CITATION.finditer(masked):
        if match["label"]:
            label = match["label"]
            start = match.start("label") + (len(label) - len(label.lstrip("`")))
            text = label.strip("`")
            names.append(Name(text, start, start + len(text), match["handle"], label.startswith("`")))
        else:
            names.append(Name("", match.start(), match.end(), match["handle"], is_code=False))
    masked = CITATION.sub(_blank, masked)
    names += [Name(span[1], span.start(1), span.end(1), None, is_code=True) for span in CODE_SPAN.finditer(masked)]
    masked = CODE_SPAN.sub(_blank, masked)
    masked = _NO_CLAIMS.sub(_blank, in_english_shape(masked))
    statements = tuple(_statements(masked))
    known = Claims((), (), (), statements, masked)
    numbers = sorted(_numbers(known), key=lambda claim: claim.start)
    causes = tuple(Cause(m.start(), m.end(), known.statement_of(m.start())) for m in _CAUSE.finditer(masked))
    return Claims(tuple(sorted(names, key=lambda name: name.start)), tuple(numbers), causes, statements, masked)


def _blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found[0])


def _statements(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for end in _SENTENCE_END.finditer(text):
        yield start, end.end()
        start = end.end()
    yield start, len(text) + 1


def _numbers(claims: Claims) -> Iterator[Claim]:
    text = claims.text
    taken: list[tuple[int, int]] = []
    for claim in _ratios(claims):
        taken.append((claim.start, claim.end))
        yield claim
    taken.sort()
    begins = [start for start, _ in taken]

    def is_taken(place: int) -> bool:
        at = bisect_right(begins, place) - 1
        return at >= 0 and place < taken[at][1]

    rest = _with_units([m for m in islice(mentions(text), NUMBERS) if not is_taken(m.start)], text)
    skip = False
    for mention, after in zip(rest, [*rest[1:], None], strict=False):
        if skip:
            skip = False
            continue
        where = claims.statement_of(mention.start)
        before = text[max(0, mention.start - 40) : mention.start]
        bound = hedge(before) or ("about" if mention.hedged else None)
        bound = bound or hedge_behind(text[mention.end : mention.end + HEDGED_BY])
        timed = mention.dimension is Dimension.TIME
        if (
            timed
            and after is not None
            and after.dimension is Dimension.TIME
            and _WINDOW_JOIN.match(text[mention.end : after.start])
            and (_WINDOW.search(before) or after.start - mention.end <= 3)
        ):
            skip = True
            yield Claim("window", (mention, after), mention.start, after.end, where, bound)
        elif (
            timed and _MOMENT.search(before) and not _AT_SO_LONG.search(before) and not _EACH.match(text[mention.end :])
        ):
            yield Claim("window", (mention,), mention.start, mention.end, where, bound)
        elif mention.dimension is Dimension.SHARE:
            yield Claim("percentage", (mention,), mention.start, mention.end, where, bound)
        else:
            yield _plain(mention, text, where, bound)


def _with_units(found: list[Mention], text: str) -> list[Mention]:
    """`83 of 86 seconds`, `between 3 and 5 MB`: the first has the second's unit."""
    for at, (one, behind) in enumerate(pairwise(found)):
        if one.has_unit and not behind.has_unit and _OUT_OF.fullmatch(text[one.end : behind.start]):
            if (number := _DIGITS.match(text, one.start)) and (size := float(number[0].replace(",", ""))):
                is_alone = _CLOSED.match(text, behind.end) is not None and one.dimension in (
                    Dimension.TIME,
                    Dimension.BYTES,
                )
                found[at + 1] = _scaled(behind, one, one.value / size) if is_alone else behind
            continue
        if one.has_unit or not behind.has_unit or not _SHARED_UNIT.fullmatch(text[one.end : behind.start]):
            continue
        if (number := _DIGITS.match(text, behind.start)) and (size := float(number[0].replace(",", ""))):
            scale = behind.value / size
            found[at] = _scaled(one, behind, scale)
    return found


def _scaled(bare: Mention, other: Mention, scale: float) -> Mention:
    """A number with the unit of another."""
    value, half = bare.value * scale, bare.half_digit * scale
    return replace(bare, value=value, half_digit=half, dimension=other.dimension, has_unit=True)


def _plain(mention: Mention, text: str, where: int, bound: Bound | None) -> Claim:
    after = text[mention.end : mention.end + 40]
    marked = text[max(0, mention.start - 1) : mention.start] == "×"
    bare = mention.dimension is Dimension.COUNT
    counted = bare and (marked or bool(_COUNTED.match(after)))
    sure = mention.has_unit or mention.value > SMALL_COUNT or marked or (bare and bool(_SURELY_COUNTED.match(after)))
    return Claim("count" if counted else "number", (mention,), mention.start, mention.end, where, bound, sure)


_OF = lazy_regex(r"(?: partes?)? (?:of|der|des|von|aller|du|des|de|del)\b|(?: partes?)? d['’]", re.IGNORECASE)


def _ratios(claims: Claims) -> Iterator[Claim]:
    for mention in factors(claims.text):
        before = claims.text[max(0, mention.start - 40) : mention.start]
        bound = hedge(before)
        is_written = claims.text[mention.start].isdigit()
        sure = mention.value >= 1 or is_written or _OF.match(claims.text, mention.end) is not None
        where = claims.statement_of(mention.start)
        yield Claim("ratio", (mention,), mention.start, mention.end, where, bound, sure)
