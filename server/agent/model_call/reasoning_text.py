"""Reasoning that a model writes into its answer's own text, as local servers pass it on: `<think>` parts."""

import re

NAMES = ("think", "thinking", "thought", "reasoning")
_TAG = re.compile(rf"(`?)<(/?)(?:{'|'.join(NAMES)})>", re.IGNORECASE)
_TAGS = [f"{opening}{name}>" for opening in ("<", "</", "`<", "`</") for name in NAMES]
LONGEST_TAG = max(map(len, _TAGS))


class ReasoningFilter:
    """Takes the text of one reply in pieces and gives back what is the answer. An end without a beginning (chat
    templates write the beginning themselves) makes all before it reasoning: `is_taken_back` is true until the next
    piece. A tag behind a backtick is code of the answer.
    """

    def __init__(self) -> None:
        self.is_inside = False
        self.is_taken_back = False
        self._pending = ""

    def feed(self, piece: str) -> str:
        """The part of the answer that is complete with this piece; what may be half a tag waits for the next."""
        self.is_taken_back = False
        text, shown, at = self._pending + piece, "", 0
        for found in _TAG.finditer(text):
            before = text[at : found.start()]
            if found[1]:
                before += found[0]
            if not self.is_inside:
                shown += before
            at = found.end()
            if found[1]:
                continue
            if found[2] and not self.is_inside:
                shown, self.is_taken_back = "", True
            self.is_inside = not found[2]
        end = at + _half_tag(text[at:])
        self._pending = text[end:]
        return shown if self.is_inside else shown + text[at:end]

    def flush(self) -> str:
        """What was waiting at the end of the reply."""
        text, self._pending = self._pending, ""
        return "" if self.is_inside else text


def _half_tag(text: str) -> int:
    """Where at the end of the text a tag may start, else its length."""
    for at in range(max(len(text) - LONGEST_TAG, 0), len(text)):
        if text[at] in "`<":
            rest = text[at:].lower()
            if any(tag.startswith(rest) for tag in _TAGS):
                return at
    return len(text)
