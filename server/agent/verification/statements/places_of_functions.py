"""In which file, package or library a sentence says that a function is."""

import re
from collections.abc import Iterator

from server.agent.verification.statements.measures import Measures
from server.agent.verification.statements.sentence_parts import FUNCTION, FUNCTIONS, Sentence
from server.agent.verification.verdicts import UNCHECKED, Verification

_LAST = FUNCTIONS[-2]
_KIND = (
    "(?:part|function|method|piece|Teil|Funktion|fonction|función|belongs|lives|sits|(?:is )?(?:defined|implemented|"
    "located|declared)|gehört|liegt|steht|appartient|(?:est )?définie?|pertenece|está)"
)
_PLACE = "(?:file |module |package |library |Datei |Modul |fichier |archivo )?[`\"']?(?P<place>[\\w@./+-]*[\\w+])"
_IS_PART_OF = re.compile(
    rf"(?P<a>{FUNCTIONS})(?:[^.;:|{FUNCTION}-{_LAST}]{{0,40}}?[ ,])?(?:(?:is|are|was|ist|est|es) )?"
    rf"(?:(?:a|an|one|ein|eine|une|una) )?{_KIND} (?:of|to|in|inside|from|zu|von|aus|à|de|dans|en|a) (?:the )?{_PLACE}",
    re.IGNORECASE,
)
_ENDING = re.compile(
    r"\.(?:py|js|ts|tsx|jsx|mjs|java|kt|go|rs|rb|php|c|cc|cpp|h|hpp|so(?:\.\d+)*|dll|dylib|jar|cs|hs|ex|erl)$",
    re.IGNORECASE,
)
_SEPARATORS = re.compile(r"[/\\:.\-!@]|\.so")
SHORT = 3
"""Names of places of fewer characters are words."""
Placed = tuple[int, int, Verification]


def placed(sentence: Sentence, measures: Measures) -> Iterator[Placed]:
    """What becomes of each such statement, with its place in the sentence's template. Nothing of a place that no file
    or name of the trace has."""
    text = sentence.template
    for match in _IS_PART_OF.finditer(text):
        start, end = sentence.place(match.start("place")), sentence.end_of(match.end("place"))
        written = sentence.text[start - sentence.start : end - sentence.start].strip("`\"' ")
        if found := _decided(sentence.function(match["a"]).numbers, written, measures):
            yield match.start(), match.end(), found


def _decided(frames: tuple[int, ...], place: str, measures: Measures) -> Verification | None:
    trace = measures.trace
    sought = _parts(place)
    if not sought or len("".join(sought)) < SHORT:
        return None
    mine = [f"{trace.frame_file(frame) or ''}/{trace.frame_name(frame)}" for frame in frames]
    if any(_has(_parts(one), sought) for one in mine):
        return Verification(
            "verified", how=f"it is in {trace.frame_file(frames[0]) or trace.frame_name(frames[0])}"[:120]
        )
    files = sorted({file for frame in frames if (file := trace.frame_file(frame))})
    is_known = any(_has(_parts(file), sought) for file in measures.files)
    if not files or not (is_known or _ENDING.search(place)):
        return UNCHECKED if is_known else None
    return Verification("contradicted", actual=f"it is in {files[0][:80]}")


def _parts(path: str) -> list[str]:
    """The words of a path or a package, in small letters and without the file's ending."""
    return [one for one in _SEPARATORS.split(_ENDING.sub("", path).casefold()) if one]


def _has(parts: list[str], sought: list[str]) -> bool:
    """Whether some words stand in a path one after the other; `libpython3` has `libpython`."""
    width = len(sought)
    bare = [one.rstrip("0123456789") or one for one in parts]
    return any(sought in (some[at : at + width] for some in (parts, bare)) for at in range(len(parts) - width + 1))
