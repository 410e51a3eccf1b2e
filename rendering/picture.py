"""What drawing gives back."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Picture:
    """A PNG of `width` x `height` pixels. `notes` say what it leaves out, as the picture itself does; `description`
    tells in words what it shows, for readers without eyes."""

    png: bytes
    width: int
    height: int
    notes: tuple[str, ...]
    description: str
