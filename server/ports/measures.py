"""What a process counts of itself, for whoever watches it from outside."""

from typing import Protocol


class Measures(Protocol):
    """Numbers about turns and refusals; never what was said, and never who. Counting cannot fail."""

    def turn_started(self, *, attempt: int, waited_s: float) -> None:
        """A runner took a turn. `waited_s` is the time since the prompt was accepted."""
        ...

    def turn_ended(
        self, end: str, *, seconds: float, code: str | None, input_tokens: int | None, output_tokens: int | None
    ) -> None:
        """`end` is the status it was stored with, `seconds` how long its last attempt ran, `code` why it failed."""
        ...

    def turn_handed_over(self) -> None:
        """This process stops, and another goes on with a turn that ran here."""
        ...

    def refused(self, limit: str) -> None:
        """A prompt, an upload or a socket met a limit: of a plan, or of what one user may do at once."""
        ...
