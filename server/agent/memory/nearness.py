"""How near two short texts are in what they are about: by shared words, and by senses that people name in many ways.
Needs no model and no memory of its own; a rare word counts more than one that every text has.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from server.agent.memory.word_senses import senses

STEM = 5
"""Letters of a word that count: `limit`, `limits` and `limited` are one."""

_WORD = re.compile(r"[^\W_]+")
_INNER = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_SMALL = frozenset(
    re.findall(
        r"\w+",
        "a about again all also am an and any are as ask asked at be been but by called can could did do does "
        "doing done earlier for from gave give had has have he her here how i if in into is it its just know "
        "me mention mentioned my name named no not now of on one or our out remember said say says she should "
        "so some state stated tell than that the their them then there these they this those to told up us "
        "was we were what when where which who why will with would wrote you your beginning start "
        "conversation first before is are der die das und ist ein eine wir unser unsere was wie wer habe hat "
        "ich du le la les des est nous notre que qui el los las es nuestro nuestra qué quién de",
    )
)


def stems(text: str) -> frozenset[str]:
    """What of a text counts: the beginnings of its words, figures, pairs of letters of scripts without spaces, and the
    senses that it names."""
    found: set[str] = set()
    for word in _WORD.findall(_INNER.sub(" ", text)):
        low = word.casefold()
        if _CJK.search(low):
            found.update(low[at : at + 2] for at in range(len(low) - 1))
        elif low not in _SMALL and (len(low) > 2 or low.isdecimal()):
            found.add(low[:STEM].rstrip("s") if len(low) > 3 else low)
    return frozenset(found) | {f"~{name}" for name in senses(text)}


@dataclass(frozen=True, slots=True)
class Near:
    """The text at `index`, how near it is from 0 to 1, and what it shares with the question."""

    index: int
    score: float
    shared: frozenset[str]


def nearest_texts(query: str, texts: Sequence[str], *, least: float = 0.0) -> list[Near]:
    """The texts that share something with the query, the nearest first; of equals the newest, which is the last."""
    asked, each = stems(query), [stems(text) for text in texts]
    counts = Counter(stem for one in each for stem in one)

    def weight(stem: str) -> float:
        return math.log(1 + (len(texts) + 1) / (counts[stem] + 0.5))

    norm = math.sqrt(sum(weight(stem) ** 2 for stem in asked)) or 1.0
    found = []
    for index, one in enumerate(each):
        shared = asked & one
        if not shared:
            continue
        length = math.sqrt(sum(weight(stem) ** 2 for stem in one))
        score = sum(weight(stem) ** 2 for stem in shared) / (norm * length)
        if score >= least:
            found.append(Near(index, score, shared))
    return sorted(found, key=lambda one: (-one.score, -one.index))
