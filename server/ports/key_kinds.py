"""Kinds of API keys of a project: `sb_publishable_` and `sb_secret_`, and the legacy ones, which are JWTs."""

import base64
import json
import re
from typing import Literal

KeyKind = Literal["publishable", "secret", "anon", "service_role", "unknown"]

LEGACY: frozenset[KeyKind] = frozenset({"anon", "service_role"})
PUBLIC: frozenset[KeyKind] = frozenset({"publishable", "anon"})
PRIVATE: frozenset[KeyKind] = frozenset({"secret", "service_role"})

_JWT = re.compile(r"[\w-]+\.[\w-]+\.[\w-]*")
_SENDABLE = re.compile(r"[\x21-\x7e]+")


def kind_of(key: str) -> KeyKind:
    """By how it begins, of a JWT by the role that it names. Nothing is verified: the project does that."""
    if key.startswith("sb_publishable_"):
        return "publishable"
    if key.startswith("sb_secret_"):
        return "secret"
    role = _role(key)
    if role == "anon":
        return "anon"
    return "service_role" if role == "service_role" else "unknown"


def is_jwt(key: str) -> bool:
    """Whether it may be sent as a bearer token; the services refuse any other key there."""
    return _JWT.fullmatch(key) is not None


def can_be_sent(key: str) -> bool:
    """Whether it fits into a header: no space, no line break, no character beyond ASCII."""
    return _SENDABLE.fullmatch(key) is not None


def _role(key: str) -> object:
    if not is_jwt(key):
        return None
    claims = key.split(".")[1]
    try:
        found = json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))
    except ValueError:
        return None
    return found.get("role") if isinstance(found, dict) else None
