"""When a provider is asked again. The client's own retries are switched off: they follow a Retry-After of up to two
minutes, which would hold a turn.
"""

import random
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import openai

from server.adapters.model.patience import Patience
from server.adapters.model.response_failed import ResponseFailed

FIRST_PAUSE_S = 0.5
"""Before the second try, when the provider does not say; doubled for each further one, as OpenAI's client does."""

RATE_LIMITED = "rate_limit_exceeded"
_IN_WORDS = re.compile(r"try again in ([\d.]+) ?(ms|s)", re.IGNORECASE)

RETRIED = frozenset({408, 409, 429})
"""Statuses below 500 that may be gone the next time; OpenAI's client retries the same."""


def pause(patience: Patience, error: Exception, tries: int) -> float | None:
    """Seconds to wait before asking again after `tries` failed tries; None when that is no use or takes too long. A
    time-out is not tried again: the person has waited already.
    """
    if tries > patience.retries or not _may_pass(error):
        return None
    asked = asked_to_wait(error)
    if asked is not None:
        return asked if asked <= patience.longest_pause_s else None
    jitter: float = random.uniform(0.75, 1.25)  # noqa: S311 - spreads a crowd, guards nothing
    return min(FIRST_PAUSE_S * 2.0 ** (tries - 1) * jitter, patience.longest_pause_s)


def asked_to_wait(error: Exception) -> float | None:
    """Seconds that the provider asks for, in any of the forms of Retry-After (RFC 9110 10.2.3) or in OpenAI's
    milliseconds; None when it does not.
    """
    if isinstance(error, ResponseFailed) and (found := _IN_WORDS.search(error.message)):
        return float(found[1]) / (1000 if found[2] == "ms" else 1)
    if not isinstance(error, openai.APIStatusError):
        return None
    headers: Mapping[str, str] = error.response.headers
    try:
        if "retry-after-ms" in headers:
            return max(float(headers["retry-after-ms"]) / 1000, 0.0)
        return max(float(headers["retry-after"]), 0.0) if "retry-after" in headers else None
    except ValueError:
        pass
    try:
        until = parsedate_to_datetime(headers.get("retry-after", ""))
    except ValueError:
        return None
    return max((until - datetime.now(UTC)).total_seconds(), 0.0) if until.tzinfo else None


def is_without_credit(error: openai.APIError) -> bool:
    """A 429 that waiting does not cure: the account has no quota left."""
    return "insufficient_quota" in f"{error.code} {error.type} {error.message}"


def _may_pass(error: Exception) -> bool:
    if isinstance(error, ResponseFailed):
        return error.code == RATE_LIMITED
    if isinstance(error, openai.APITimeoutError):
        return False
    if isinstance(error, openai.APIConnectionError):
        return True
    if not isinstance(error, openai.APIStatusError) or is_without_credit(error):
        return False
    asked = error.response.headers.get("x-should-retry")
    if asked in {"true", "false"}:
        return bool(asked == "true")
    return error.status_code in RETRIED or error.status_code >= 500
