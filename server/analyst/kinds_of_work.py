"""Kinds of work that a prompt may suspect, each the name of a finding, by the words for it."""

import re

from server.analyst.forms import forms

_FORMS = forms("kinds_of_work")

SUSPECTS: tuple[tuple[str, str], ...] = (
    ("serialisation", r"serial\w+|\bjson\b|marshal\w*|encoding|decoding|protobuf|pickle"),
    ("logging", r"\blogg(?:ing|er)\b|\blogs?\b"),
    ("regular-expressions", r"regex\w*|regular expressions?|regexp"),
    ("dates", r"date (?:handling|parsing|formatting)|parsing (?:of )?dates|strftime"),
    ("compression", r"compress\w*|gzip|zlib|zstd"),
    ("cryptography", r"crypto\w*|encrypt\w*|password hash\w*|\btls\b|\bssl\b"),
    ("sorting", r"\bsort(?:ing|s)?\b"),
    ("linear-search", r"linear search|searching (?:a |the )?lists?"),
    ("copying", r"\bcop(?:ying|ies)\b|memcpy|clon(?:ing|es)"),
    ("exceptions", r"\bexceptions?\b"),
    ("reflection", r"\breflection\b"),
    ("data-loading", r"data ?load\w*|loading (?:of )?(?:the )?data"),
    ("kernel-gaps", r"\bgpu\b.*\bidle\b|\bkernel gaps?\b|launch gaps?"),
    ("compilation", r"\bjit\b|just-in-time|\bcompil\w+"),
    ("layout-thrashing", r"layout thrashing|\breflow\w*|\blayouts?\b|레이아웃|レイアウト|布局|mise en page"),
    ("rendering", r"\brendering\b|\bpainting\b"),
    ("unsymbolised", r"\[?\(?\bunknown\b|\?\?\?|unsymboli[sz]ed|\bsymbols\b|\bhex (?:address|number)"),
    ("third-parties", r"third[- ]party (?:script|tag|code)s?|\btrackers?\b"),
)
_PATTERNS = tuple((name, re.compile(words, re.IGNORECASE)) for name, words in SUSPECTS)


def work_named_in(text: str) -> str | None:
    """The finding about the kind of work that a text has a word for; None without one."""
    return next((name for name, pattern in _PATTERNS if pattern.search(text)), None)


def asks_of_plan(text: str) -> bool:
    """Whether a text has a word of what a plan allows; the limit of a device is none."""
    return _FORMS.of_a_plan.search(text) is not None
