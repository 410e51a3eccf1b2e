"""Which lines of a prompt read as if a machine or somebody else had written them, though no quotation marks them: logs,
code, markup, talk with its speakers' names, what "the log says", and orders that do not begin the prompt, however they
are spelt.
"""

import re

from server.analyst.forms import forms
from server.analyst.memory_orders import memory_order
from server.turns.folded_letters import folded, joined_words

_LASTING_FACTS = forms("lasting_facts")

_MACHINES = re.compile(
    r"^(?:"
    r"(?i:(?:system|assistant|user|human|ai|bot|tool|function|developer|instructions?|output|input|result|response|"
    r"prompt|"
    r"message|subject|stdout|stderr)\b[^:.!?]{0,30}:)|"
    r"(?!(?:FYI|BTW|NB|PS|TLDR|SLA|SLO|CPU|GPU|GC|CI|API|UI|OK)\b)[A-Z]{3,}(?:[ _-][A-Z]{2,})*\s*:|"
    r"(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL|NOTICE|SEVERE)\b|"
    r"[\[(]?\d{4}-\d\d-\d\d[ T]?|\[?\d\d:\d\d:\d\d|"
    r"[<\[{|$%]|#+\s|//|/\*|\*/|--\s|"
    r"at [\w$.]+\(|(?:def|class|import|function) \w+"
    r")"
)
_MARKUP = re.compile(r"</\w+>|<!--|\[/?\w+\](?!\()|\{\s*\"|\w\(['\"]|>>>|(?i:\bfrom: .*\bto: )")
_QUOTES = re.compile(
    r"\b(?:means?|says?|said|wrote|writes|logs?|lines?|output|message|error|stack|traces?|prints?|printed|shows?|"
    r"reads?|text|"
    r"comment|readme|document|ticket|page|mail|following|this|sagt|steht|meldung|dit|dice)\b[^.!?:\n]{0,30}:(?!//)\s*",
    re.IGNORECASE,
)
"""Ends with the colon after which somebody else speaks."""
_SAID_ELSEWHERE = re.compile(
    r"\b(?:user|assistant|human|model|bot|agent|tool|logs?|trace|recording|profile|span|frame|event|marker|row|line|label|"
    r"readme|docs?|documentation|document|file|page|website|site|ticket|comment|commit|message|error|exception|output|"
    r"result|response|stack|report|article|blog|post|wiki|runbook|notes?|manual|prompt|text|snippet|e-?mail|chat|transcript)"
    r"\s+(?:also |still |clearly |just )?(?:says?|said|claims?|claimed|states?|stated|tells?|told|reads|mentions?|"
    r"mentioned|"
    r"reported|printed|writes|wrote|asks|asked|orders|instructs?|confirms?|confirmed|insists?)\b|"
    r"\baccording to\b|"
    r"\b(?:span|frame|event|marker|label|function|row|line|thread)s?\s+(?:is|are|was|were) (?:called|named|labelled|"
    r"titled)\b",
    re.IGNORECASE,
)
"""After which a sentence goes on with what is written somewhere."""

_SPEAKER = re.compile(r"^\s*([A-Z][\w.'-]*(?: [A-Z][\w.'-]*)?):\s+\S")
_LABELS = frozenset(
    re.findall(
        r"\w+",
        "context goal limit limits question background setup problem target note notes ps fyi btw update environment "
        "version hardware owner team budget deadline expected actual edit tldr",
    )
)
"""What a person's own lines begin with."""

MOST_OF_A_COURTESY = 3
"""Words before an order: `thanks a lot. Remember ...`."""

AT_THE_BEGINNING = 12
"""Characters before what answers are to be like: `please always answer ...`."""

_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+")


def without_pasted_lines(prompt: str) -> str:
    """The prompt without them; each leaves a line's end behind. An order to remember something, where the prompt begins
    with it, says itself what follows its colon. What follows any other order is of who wrote that, up to an empty line.
    """
    lines = joined_words(prompt).split("\n")
    first, kept, is_speaking = memory_order(prompt) is not None, list[str](), False
    speakers = {found[1].casefold() for line in lines if (found := _SPEAKER.search(line))} - _LABELS
    for number, line in enumerate(lines):
        if not line.strip():
            is_speaking = False
        if number and memory_order(folded(" ".join(lines[number : number + 2]))) is not None:
            is_speaking = True
        if is_speaking or (len(speakers) > 1 and _is_by(speakers, line)):
            kept.append("")
            continue
        is_order = first and number == 0
        found = None if is_order else _QUOTES.search(line)
        is_speaking = found is not None and not line[found.end() :].strip()
        typed, is_ordered = _by_people(line if found is None else line[: found.end()], is_first=number == 0)
        is_speaking = is_speaking or is_ordered
        kept.append(typed)
    return "\n".join(kept)


def _is_by(speakers: set[str], line: str) -> bool:
    found = _SPEAKER.search(line)
    return found is not None and found[1].casefold() in speakers


def _by_people(line: str, *, is_first: bool) -> tuple[str, bool]:
    """The sentences of a line before the first that no person writes so, and whether that was an order: an order begins
    its prompt, with at most a courtesy or another order before it. After a question it may be pasted."""
    kept, may_order = list[str](), True
    for at, sentence in enumerate(_SENTENCE.split(line)):
        plain = folded(sentence)
        is_order = memory_order(sentence) is not None
        to_a_machine = not is_order and _orders_a_machine(plain, begins=is_first and at == 0)
        if to_a_machine or (is_order and not may_order):
            return " ".join(kept), True
        if _MACHINES.search(plain.strip()) or _MARKUP.search(sentence):
            return " ".join(kept), False
        elsewhere = None if is_order else _SAID_ELSEWHERE.search(plain)
        kept.append(sentence if elsewhere is None else plain[: elsewhere.start()])
        may_order = may_order and (is_order or _is_courtesy(sentence))
    return " ".join(kept), False


def _orders_a_machine(sentence: str, *, begins: bool) -> bool:
    """Whether it says what a machine shall keep, or, but where the prompt `begins` with that, what answers are to be
    like."""
    of_answers = _LASTING_FACTS.of_answers.search(sentence)
    is_wish = begins and of_answers is not None and of_answers.start() <= AT_THE_BEGINNING
    return _LASTING_FACTS.to_a_machine.search(sentence) is not None or (of_answers is not None and not is_wish)


def _is_courtesy(sentence: str) -> bool:
    return len(sentence.split()) <= MOST_OF_A_COURTESY and "?" not in sentence
