"""What a recording is kept with: labels, the recorder, the command without secrets; and which earlier one is meant."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Self

from server.errors import CannotRecord
from server.recording.masked_command import masked_text

LAST = "LAST"
MISUSED = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptRecording:
    """A recording in its folder. `file` is its name there, `at` its time in ISO 8601, `seconds` how long the program
    ran. `labels` has program, host and time, the Git commit where there is one, and what the person gave.
    """

    file: str
    at: str
    recorder: str
    what: str
    command: tuple[str, ...]
    exit_code: int
    seconds: float
    labels: Mapping[str, str]

    def as_json(self) -> str:
        """As it is written next to the recording."""
        return json.dumps(asdict(self), indent=2, ensure_ascii=False)

    @classmethod
    def of_json(cls, text: str) -> Self:
        """Raises ValueError, KeyError, TypeError for what is no such text."""
        fields = json.loads(text)
        known = {name: fields[name] for name in cls.__slots__}
        labels = {str(name): str(value) for name, value in fields["labels"].items()}
        return cls(**(known | {"command": tuple(fields["command"]), "labels": labels}))


def labels_of(given: Sequence[str]) -> dict[str, str]:
    """`name=value` texts as labels, secrets masked. Raises CannotRecord for one without a name."""
    labels = {}
    for text in given:
        name, equals, _ = text.partition("=")
        if not (name and equals):
            raise CannotRecord(f"{text} is no label: write it as name=value", exit_code=MISUSED)
        masked = masked_text(text)
        labels[name] = masked.partition("=")[2]
    return labels


def earlier(kept: Sequence[KeptRecording], asked: str, now: KeptRecording) -> int | None:
    """Where in `kept`, the newest last, the recording is that `now` is compared with: `LAST` is the newest of its
    program and kind, `name=value` the newest with that label, any other text the newest with a label of that value.
    """
    name, equals, value = asked.partition("=")
    for at in range(len(kept) - 1, -1, -1):
        one = kept[at]
        if one.what != now.what:
            continue
        if asked == LAST:
            is_meant = one.labels.get("program") == now.labels.get("program")
        else:
            is_meant = one.labels.get(name) == value if equals else asked in one.labels.values()
        if is_meant:
            return at
    return None
