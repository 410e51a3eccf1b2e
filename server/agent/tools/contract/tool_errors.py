"""The two ways a tool fails: with a correction that the model can make, and for good."""

from typing import Literal

ToolErrorCode = Literal[
    "validation", "execution", "unavailable", "redaction_failed", "timeout", "memory_not_said", "would_leak"
]


class ToolProblem(Exception):
    """Root of the tools' errors; its text is read by the model and by people."""

    def __init__(self, text: str, code: ToolErrorCode) -> None:
        super().__init__(text, code)
        self.text = text
        self.code = code

    def __str__(self) -> str:
        return self.text


class ToolRetry(ToolProblem):
    """A failure that another call avoids: the text says how."""

    def __init__(self, text: str, code: ToolErrorCode = "validation") -> None:
        super().__init__(text, code)


class ToolFailed(ToolProblem):
    """A failure that calling again does not avoid."""

    def __init__(self, text: str, code: ToolErrorCode = "execution") -> None:
        super().__init__(text, code)
