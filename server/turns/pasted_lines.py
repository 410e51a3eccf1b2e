"""Which lines of a prompt read as if a machine or somebody else had written them, though no quotation marks them: logs,
code, markup, talk with its speakers' names, what follows "the log says:", and orders below the prompt's first line.
"""

import re

from server.analyst.lasting_cues import TO_A_MACHINE
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
        kept.append(_by_people(line if found is None else line[: found.end()]))
    return "\n".join(kept)


def _by_people(line: str) -> str:
    """The sentences of a line before the first that no person writes so: orders begin their sentence."""
    sentences = _SENTENCE.split(line)
    for at, sentence in enumerate(sentences):
        to_a_machine = TO_A_MACHINE.search(sentence) is not None and memory_order(sentence) is None
        if to_a_machine or _MACHINES.search(sentence.strip()) or _MARKUP.search(sentence):
            return " ".join(sentences[:at])
    return line
