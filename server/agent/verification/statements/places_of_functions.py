"""In which file, package or library a sentence says that a function is."""

import re
from collections.abc import Iterator
from itertools import pairwise

from server.agent.verification.claims import Claim
from server.agent.verification.statements.agreement import Agreement, agreement
from server.agent.verification.statements.measure_words import words
from server.agent.verification.statements.measures import Measures, has_ending, path_parts
from server.agent.verification.statements.sentence_parts import FUNCTION, FUNCTIONS, Sentence
from server.agent.verification.statements.shared_figures import scopes_of
from server.agent.verification.verdicts import UNCHECKED, Verification
from server.agent.verification.written_numbers import Dimension
from traces.lazy_regex import lazy_regex

_LAST = FUNCTIONS[-2]
_KIND = (
    "(?:part|function|method|piece|Teil|Funktion|fonction|función|belongs|lives|sits|(?:is )?(?:defined|implemented|"
    "located|declared)|gehört|liegt|steht|appartient|(?:est )?définie?|pertenece|está)"
)
_PLACE = "(?:file |module |package |library |Datei |Modul |fichier |archivo )?[`\"']?(?P<place>[\\w@./+-]*[\\w+])"
_IS_PART_OF = lazy_regex(
    rf"(?P<a>{FUNCTIONS})(?:[^.;:|{FUNCTION}-{_LAST}]{{0,40}}?[ ,])?(?:(?:is|are|was|ist|est|es) )?"
    rf"(?:(?:a|an|one|ein|eine|une|una) )?{_KIND} (?:of|to|in|inside|from|zu|von|aus|à|de|dans|en|a) (?:the )?{_PLACE}",
    re.IGNORECASE,
)
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
    sought = path_parts(place)
    if not sought or len("".join(sought)) < SHORT:
        return None
    mine = [f"{trace.frame_file(frame) or ''}/{trace.frame_name(frame)}" for frame in frames]
    if any(_has(path_parts(one), sought) for one in mine):
        return Verification(
            "verified", how=f"it is in {trace.frame_file(frames[0]) or trace.frame_name(frames[0])}"[:120]
        )
    files = sorted({file for frame in frames if (file := trace.frame_file(frame))})
    is_known = any(_has(path_parts(file), sought) for file in measures.files)
    if not files or not (is_known or has_ending(place)):
        return UNCHECKED if is_known else None
    return Verification("contradicted", actual=f"it is in {files[0][:80]}")


def _has(parts: list[str], sought: list[str]) -> bool:
    """Whether some words stand in a path one after the other; `libpython3` has `libpython`."""
    width = len(sought)
    bare = [one.rstrip("0123456789") or one for one in parts]
    return any(sought in (some[at : at + width] for some in (parts, bare)) for at in range(len(parts) - width + 1))


_OF_PLACES = lazy_regex(
    r"\b(?:packages?|librar(?:y|ies)|modules?|bundles?|files?|code|scripts?|Bibliothek\w*|Pakete?|Datei\w*|bibliothèques?|"
    r"fichiers?|paquets?|librerías?|archivos?|código)\b",
    re.IGNORECASE,
)
_WORD = lazy_regex(r"[A-Za-z_][\w.+-]{2,}")
_NO_PLACE_WORDS = """
app bin build bundle code common data dist file files home index internal java lib libs library local main module
modules native node opt package packages pkg program python ruby script scripts share site source src test tests time
trace usr vendor
"""
_NO_PLACE = frozenset(_NO_PLACE_WORDS.split())


def share_of_place(measures: Measures, sentence: Sentence, at: int, claim: Claim) -> Verification | None:
    """What becomes of a figure of a package, a library or a file, where a sentence names no function: by what its
    functions take themselves, or with what they call. None where it names none, or others as well."""
    text = sentence.text
    named = [(match.start(), place) for match in _WORD.finditer(text) if (place := _place_of(match[0], measures))]
    figures = [one for one in sentence.figures if one.mentions[0].dimension is claim.mentions[0].dimension]
    if not named or not (_OF_PLACES.search(text) or any(has_ending(one) for _, one in named)):
        return None
    order = sorted(
        [*((start, "place") for start, _ in named), *((one.start - sentence.start, "figure") for one in figures)]
    )
    takes_turns = len(named) == len(figures) and all(a[1] != b[1] for a, b in pairwise(order))
    if claim not in figures or not takes_turns:
        return None
    place = named[figures.index(claim)][1]
    frames = measures.frames_by_place[path_parts(place)[-1]]
    mention, shown, found = claim.mentions[0], "", []
    for scope in scopes_of(measures, sentence):
        for name, value in zip(("self", "total"), scope.under(None, frames), strict=True):
            is_share = mention.dimension is Dimension.SHARE
            size = 100 * value / scope.total if is_share and scope.total else value
            if is_share or mention.dimension is scope.dimension:
                found.append(agreement(size, mention, claim.bound))
                shown = shown or f"{place} {name} {size:.1f}%" if is_share else f"{place} {name} {scope.written(value)}"
                if found[-1] is Agreement.RIGHT:
                    return Verification("derived", how=f"{name} of all functions in {place}: {size:.4g}")
    is_open = not found or Agreement.NEARLY in found or words("NEGATED").search(text)
    return UNCHECKED if is_open else Verification("contradicted", actual=shown)


def _place_of(word: str, measures: Measures) -> str:
    """The word, where a folder or a file is called so, and it is no ordinary one."""
    bare = word.rstrip(".")
    parts = path_parts(bare)
    return bare if parts and parts[-1] not in _NO_PLACE and parts[-1] in measures.frames_by_place else ""
