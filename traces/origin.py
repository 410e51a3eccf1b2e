"""What a recording says of the run that it is of: by whom, of which program and build. Only what is listed is kept, as
files hold much else: arguments, environments, people's names.
"""

from collections.abc import Mapping

GIVEN = ("program", "commit", "branch", "base", "release", "environment", "scenario", "host", "run", "pull_request")
"""Keys that a program may have written into its recording."""
KEYS = frozenset({*GIVEN, "recorder", "runtime", "platform", "build_id"})
"""`recorder` made the file, `runtime` ran the program, `build_id` is that of its binary."""

LONGEST = 200
"""Characters of a value: of a longer one nothing is kept."""


class Origin:
    """The first value that is said for a key counts."""

    def __init__(self) -> None:
        self._labels: dict[str, str] = {}

    @property
    def labels(self) -> Mapping[str, str]:
        """By key."""
        return dict(self._labels)

    def says(self, key: str, value: object) -> None:
        """Keep what a file says, where the key is listed and the value is one line of text."""
        text = value.strip() if isinstance(value, str) else ""
        if key in KEYS and 0 < len(text) <= LONGEST and text.isprintable():
            self._labels.setdefault(key, text)

    def comment(self, text: str) -> None:
        """`commit=4f2a1c0` or `commit: 4f2a1c0`, as programs write it; other comments say nothing."""
        place = min((at for sign in "=:" if (at := text.find(sign)) > 0), default=0)
        key = text[:place].strip().lower()
        if key in GIVEN:
            self.says(key, text[place + 1 :])
