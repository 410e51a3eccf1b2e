"""Is it this or that kind of work: the finding about it, whether the trace has it, has it not, or does not show it."""

import re

from server.analyst.evidence import Evidence
from server.analyst.findings import sentence_of
from server.analyst.kinds.kind import BY_SELF, SUMMARY, Call
from server.analyst.kinds.one_function import leading
from server.analyst.question import Question

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
    ("forced-reflow", r"\breflow\w*|layout thrashing|forced layout"),
    ("rendering", r"\brendering\b|\bpainting\b"),
    ("third-parties", r"third[- ]party (?:script|tag|code)s?|\btrackers?\b"),
)
_PATTERNS = tuple((name, re.compile(words, re.IGNORECASE)) for name, words in SUSPECTS)


def first(question: Question, evidence: Evidence) -> list[Call]:
    name = next((name for name, pattern in _PATTERNS if pattern.search(question.text)), SUSPECTS[0][0])
    return [SUMMARY, BY_SELF, ("get_insights", {"name": name})]


def suspect(question: Question, evidence: Evidence) -> list[str]:
    found = (evidence.first("get_insights") or {"insights": []})["insights"]
    closing = leading(evidence, "What takes the most is")
    if not found:
        return ["**That could not be looked up.**", closing]
    row = found[0]
    if row["state"] == "fail":
        return [f"**Yes, that is part of it: {row['title']}.** {sentence_of(row)} {row['advice']}".rstrip(), closing]
    sentence = sentence_of(row).rstrip(".")
    if row["state"] == "pass":
        return [f"**No, that is not where it goes**: {sentence}.", closing]
    return [f"**This trace cannot say that** ({row['title'].lower()}): {sentence}.", closing]
