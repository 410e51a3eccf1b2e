"""Which lines of a prompt read as if a machine or somebody else had written them, though no quotation marks them: logs,
code, markup, talk with its speakers' names, what follows "the log says:", and orders that do not begin the prompt.
"""

import re

from server.analyst.lasting_cues import OF_ANSWERS, TO_A_MACHINE
from server.analyst.memory_orders import memory_order

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
MOST_OF_A_COURTESY = 3
"""Words before an order: `thanks a lot. Remember ...`."""

AT_THE_BEGINNING = 12
"""Characters before what answers are to be like: `please always answer ...`."""

_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+")


def without_pasted_lines(prompt: str) -> str:
    """The prompt without them; each leaves a line's end behind. An order to remember something, where the prompt begins
    with it, says itself what follows its colon.
    """
    first, kept, is_speaking = memory_order(prompt) is not None, list[str](), False
    for number, line in enumerate(prompt.split("\n")):
        if not line.strip():
            is_speaking = False
        if is_speaking or (number and memory_order(line) is not None):
            kept.append("")
            continue
        is_order = first and number == 0
        found = None if is_order else _QUOTES.search(line)
        is_speaking = found is not None and not line[found.end() :].strip()
        kept.append(_by_people(line if found is None else line[: found.end()], is_first=number == 0))
    return "\n".join(kept)


def _by_people(line: str, *, is_first: bool) -> str:
    """The sentences of a line before the first that no person writes so: an order begins its prompt, with at most a
    courtesy or another order before it. After a question it may be pasted."""
    sentences, may_order = _SENTENCE.split(line), True
    for at, sentence in enumerate(sentences):
        is_order = memory_order(sentence) is not None
        to_a_machine = not is_order and _orders_a_machine(sentence, begins=is_first and at == 0)
        is_late = is_order and not may_order
        if to_a_machine or is_late or _MACHINES.search(sentence.strip()) or _MARKUP.search(sentence):
            return " ".join(sentences[:at])
        may_order = may_order and (is_order or _is_courtesy(sentence))
    return line


def _orders_a_machine(sentence: str, *, begins: bool) -> bool:
    """Whether it says what a machine shall keep, or, but where the prompt `begins` with that, what answers are to be
    like."""
    of_answers = OF_ANSWERS.search(sentence)
    is_wish = begins and of_answers is not None and of_answers.start() <= AT_THE_BEGINNING
    return TO_A_MACHINE.search(sentence) is not None or (of_answers is not None and not is_wish)


def _is_courtesy(sentence: str) -> bool:
    return len(sentence.split()) <= MOST_OF_A_COURTESY and "?" not in sentence
