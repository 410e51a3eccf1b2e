"""What run a trace is of: labels that people and programs give it, and its program, which is a label of its own."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from server.errors import BadRequest

MOST_LABELS = 32
LONGEST_VALUE = 200
LONGEST_TEXT = 256
"""Of a label as it is written, `key:value`."""
PROGRAM = "program"
KNOWN_KEYS = (
    "program",
    "commit",
    "branch",
    "base",
    "release",
    "environment",
    "scenario",
    "host",
    "run",
    "pull_request",
)
"""Those that questions know by name; others are allowed."""

_KEY = re.compile(r"[a-z0-9_.-]{1,40}\Z")


@dataclass(frozen=True, slots=True)
class RunLabels:
    """`labels` are without the program."""

    labels: Mapping[str, str] = field(default_factory=dict)
    program: str | None = None

    def as_json(self) -> dict[str, object]:
        """As clients see them."""
        return {"labels": dict(sorted(self.labels.items())), "program": self.program}


def written_labels(texts: Iterable[str]) -> RunLabels:
    """The labels that stand in texts like `branch:main`, one each. Raises BadRequest, naming what is wrong."""
    found: dict[str, str | None] = {}
    for text in texts:
        key, colon, value = text.partition(":")
        if not colon:
            raise BadRequest(f"A label is written key:value, like branch:main; {text[:60]!r} is not.", field="label")
        if key in found:
            raise BadRequest(f"The label {key[:40]!r} is given twice.", field="label")
        found[key] = value
    return changed_labels(RunLabels(), found)


def labels_of_form(written: bytes, given: RunLabels) -> RunLabels:
    """The labels of a form's field, an object of texts as JSON, and those given in the address. Raises BadRequest."""
    if not written.strip():
        return given
    try:
        found = json.loads(written)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not all(isinstance(value, str) for value in found.values()):
        raise BadRequest('The field labels is a JSON object of texts, like {"branch": "main"}.', field="labels")
    twice = next((key for key in found if key in given.labels or (key == PROGRAM and given.program is not None)), None)
    if twice is not None:
        raise BadRequest(f"The label {twice[:40]!r} is given twice.", field="labels")
    return changed_labels(given, found)


def changed_labels(now: RunLabels, changes: Mapping[str, str | None]) -> RunLabels:
    """The labels with some set, and those taken off that are changed to None. Raises BadRequest, naming what is
    wrong."""
    labels, program = dict(now.labels), now.program
    for key, value in changes.items():
        _check(key, value)
        if key == PROGRAM:
            program = value
        elif value is None:
            labels.pop(key, None)
        else:
            labels[key] = value
    if len(labels) > MOST_LABELS:
        raise BadRequest(f"A trace has at most {MOST_LABELS} labels; these are {len(labels)}.", field="labels")
    return RunLabels(labels, program)


def with_origin(given: RunLabels, origin: Mapping[str, str]) -> RunLabels:
    """The labels that people gave, and with them what the file says; where it says too much, the first of it."""
    labels = dict(given.labels)
    for key, value in origin.items():
        if key != PROGRAM and len(labels) < MOST_LABELS:
            labels.setdefault(key, value)
    return changed_labels(RunLabels(program=given.program or origin.get(PROGRAM)), labels)


def _check(key: str, value: str | None) -> None:
    if not _KEY.match(key):
        raise BadRequest(
            f"{key[:60]!r} is no key of a label: up to 40 of a-z, 0-9, dot, dash and underscore.", field="labels"
        )
    if value is None:
        return
    if not 1 <= len(value) <= LONGEST_VALUE:
        raise BadRequest(
            f"The label {key} has {len(value):,} characters; it must have 1 to {LONGEST_VALUE}.", field="labels"
        )
    if not value.isprintable():
        raise BadRequest(f"The label {key} has control characters or line breaks.", field="labels")
