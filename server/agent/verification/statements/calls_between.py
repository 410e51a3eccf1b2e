"""How often one function calls another: a figure between two functions, which is neither's own count."""

import re
from functools import cache

from server.agent.verification.statements.measure_words import words
from server.agent.verification.statements.measures import Scope
from server.agent.verification.statements.sentence_parts import FIGURES, FUNCTIONS, Subject
from server.agent.verification.statements.shared_figures import Figure
from server.agent.verification.verdicts import UNCHECKED, Verification
from server.agent.verification.written_numbers import Dimension
from traces.analysis.recorded_edges import recorded_edges
from traces.values import Counts, ProfileKind

_PLACES = {
    "A": f"(?P<a>{FUNCTIONS})",
    "B": f"(?P<b>{FUNCTIONS})",
    "N": "(?:exactly |only |just |about |around |roughly |some |nearly |almost |well over |genau |nur |etwa |rund |"
    "gut |knapp |"
    r"exactement |environ |près de |unas |casi )?"
    f"(?P<n>{FIGURES})",
    "X": "(?: times|x|×|[ -]?mal| fois| veces)",
    "ALL": FIGURES,
    "CALLED": "(?:called|invoked|entered|appelée?|llamad[ao])",
    "IS": "(?:is|was|gets|wird|wurde|est|es)",
    "ONLY": "(?:only|solely|exclusively|alone|nur|allein|uniquement|seule|solo)",
    "BY": "(?:by|from|von|aus|par|depuis|por|desde)",
}
_WAYS = (
    "{A},? (?:which |also |directly |it )?(?:calls?|called|invokes?|invoked|enters|appelle|llama a) {B},? {N}{X}",
    "{A} ruft {B},? {N}{X}",
    "{B} wird (?:\\w+ )?von {A} aufgerufen,?(?: und zwar)? {N}{X}",
    "{B}[^.;]{{0,30}} {IS} (?:{CALLED} )?{N}{X},? (?:{CALLED} )?(?:directly )?{BY} {A}",
    "{B} {IS} {CALLED}? ?{ONLY}? ?{BY} {A}(?: {ONLY})?,? {N}{X}",
    "{A} (?:makes|issues|made|is responsible for) {N} (?:direct )?(?:of the {ALL} )?calls (?:to|of|into) {B}",
    "{N} (?:direct )?calls (?:go )?from {A} (?:to|into) {B}",
    "{N} (?:of the )?(?:{ALL} )?calls (?:of|to) {B} (?:come |are |are made |were made )?(?:from|by) {A}",
    "calls (?:of|to) {B}, {N} (?:of them )?(?:come|came|stem|are|were made) (?:from|by) {A}",
    "{ALL} aufrufen (?:von )?{B} (?:kommen|stammen) {N} (?:von|aus) {A}",
)
"""Ways to say that `a` calls `b` `n` times."""
_FROM = "{N}{X}? (?:by|from|through|via|von|aus|über|durch|par|depuis|por|desde) {A}"
"""`85 times by a, 4 by c`: of the calls of the function before."""
_OF_ALL = re.compile(
    r"\b(?:of|out of|von|aus|de|sur) (?:all |allen |tou(?:te)?s |tod[oa]s )?"
    r"(?:the|its|den|seinen|ihren|les|ses|las|sus)? ?$",
    re.IGNORECASE,
)
"""`Nearly all of the 5,000 calls of f come from g`: the figure is all calls of `f`."""
_CALLED = re.compile(r"\b(?:call|invo|aufruf|aufgeruf|appel|llama)\w*", re.IGNORECASE)


@cache
def _compiled(way: str) -> re.Pattern[str]:
    """Together they take ten milliseconds, which a command that says no such thing need not wait for."""
    return re.compile(way.format_map(_PLACES), re.IGNORECASE)


def calls_between(figure: Figure) -> Verification | None:
    """What becomes of a figure that says how often one function calls another; None where it says no such thing."""
    if figure.mention.dimension is not Dimension.COUNT:
        return None
    text = figure.sentence.template
    match = next((one for one in map(figure.said_between, map(_compiled, _WAYS)) if one), None)
    if match is not None and _OF_ALL.search(text[: match.start("n")]):
        return None
    if match is not None:
        a, b = figure.sentence.function(match["a"]), figure.sentence.function(match["b"])
    elif (match := figure.said_between(_compiled(_FROM))) and _CALLED.search(text[: match.start()]):
        a = figure.sentence.function(match["a"])
        called = figure.sentence.function(found[0]) if (found := re.search(FUNCTIONS, text[: match.start()])) else None
        if called is None:
            return UNCHECKED
        b = called
    else:
        return None
    if a.numbers == b.numbers or any(words(kind).search(text) for kind in ("EACH", "HYPOTHETICAL", "NEGATED")):
        return UNCHECKED
    counts = [(scope, _count(scope, a, b)) for scope in figure.scopes]
    for scope, count in counts:
        if count is not None and figure.is_right(count):
            return Verification("verified", how=f"calls of {b.text[:60]} by {a.text[:60]} in {scope.chosen.handle}")
    if not all(count for _, count in counts) or figure.sentence.window:
        return UNCHECKED
    shown = dict.fromkeys(f"{count:,}" for _, count in counts if count)
    return Verification("contradicted", actual=f"{a.text[:60]} calls {b.text[:60]} {' or '.join(shown)} times")


def _count(scope: Scope, a: Subject, b: Subject) -> int | None:
    """How often `a` calls `b` directly; None where it is not known: samples are no calls, and of a call graph without
    edges the count of each function is exact, but not that of a path."""
    if scope.chosen.counts is not Counts.CALLS:
        return None
    if edges := recorded_edges(scope.chosen, scope.window):
        return edges.calls_between(a.numbers, b.numbers)
    parent, callees = scope.tree.parent, scope.mask(b.numbers)
    is_from_a = (parent >= 0) & scope.mask(a.numbers)[parent]
    if scope.chosen.kind is not ProfileKind.EVENTED and (callees & ~is_from_a).any():
        return None
    return int(scope.by_node.count[callees & is_from_a].sum())
