from typing import Protocol


class Scores(Protocol):
    """A receiver of people's ratings of answers, in addition to the database."""

    def rated(self, *, turn_id: str, message_id: str, user_id: str, score: int, reason: str | None) -> None:
        """Take note, without waiting; a second rating by the same person replaces the first."""
        ...


class NoScores:
    def rated(self, *, turn_id: str, message_id: str, user_id: str, score: int, reason: str | None) -> None:
        pass
