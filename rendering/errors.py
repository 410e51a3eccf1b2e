"""RenderingError
├── InvalidOption   an option that cannot be honoured; names the field
└── MissingFont     the font that matplotlib ships is not on this machine

No option is ever replaced by a default in silence.
"""


class RenderingError(Exception):
    """Root of the room's errors; its text is meant for the person or model that asked for the picture."""


class InvalidOption(RenderingError):
    """`field` is the option's name as the options' dataclass spells it."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(field, message)  # both, so that it survives the way from a worker process
        self.field = field
        self.message = message

    def __str__(self) -> str:
        return f"{self.field}: {self.message}"


class MissingFont(RenderingError):
    pass
