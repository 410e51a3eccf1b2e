from typing import Protocol


class Scores(Protocol):
    """Who is told what people think of answers, beside the database."""

    def rated(self, *, turn_id: str, message_id: str, user_id: str, score: int, reason: str | None) -> None:
        """Take note, without waiting; a second opinion of the same person replaces his first."""
        ...


class NoScores:
    def rated(self, *, turn_id: str, message_id: str, user_id: str, score: int, reason: str | None) -> None:
        pass
