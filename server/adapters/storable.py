"""What every store of rows does with text, JSON and ids, so that the database and its in-memory twin agree."""

from typing import Any
from uuid import UUID

from server.cleaning import REPLACEMENT, UNSTORABLE
from server.errors import REMOVED, BadRequest, NotFound, TooManyAtOnce

RETRY_AFTER_S = 10
"""About what a short answer takes."""


def storable_text(text: str) -> str:
    """The text with U+FFFD for what cannot be stored."""
    return UNSTORABLE.sub(REPLACEMENT, text)


def storable_json(value: Any) -> Any:
    """A JSON value with every text in it, keys included, made storable."""
    if isinstance(value, str):
        return storable_text(value)
    if isinstance(value, dict):
        return {storable_text(key): storable_json(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [storable_json(part) for part in value]
    return value


def new_id(text: str, what: str, field: str) -> UUID:
    """The id of a thing that is to be made. Raises BadRequest."""
    try:
        return UUID(text)
    except ValueError:
        raise BadRequest(f"The id of a {what} must be a UUID.", field=field) from None


def known_id(text: str, what: str) -> UUID:
    """The id of a thing that is looked up. Raises NotFound."""
    try:
        return UUID(text)
    except ValueError:
        raise not_found(what) from None


ADVICE = dict.fromkeys(("turn", "message", "conversation"), REMOVED)


def not_found(what: str) -> NotFound:
    """The answer for a thing that is not there or is not the caller's: the two look alike."""
    return NotFound(f"There is no such {what}.{ADVICE.get(what, '')}")


def too_many_answering(most: int) -> TooManyAtOnce:
    """The refusal of a prompt of a user who waits for `most` answers already."""
    return TooManyAtOnce(
        f"{most} of your conversations are being answered already, which is as many as this server answers at once. "
        "Wait for one, or stop it.",
        retry_after_s=RETRY_AFTER_S,
    )
