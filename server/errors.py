"""Why the application refused or failed; every edge has one table from these (and the other rooms' roots) to its own
answers, read by `by_class`.

ServerError
├── ConfigError               a setting is missing, contradictory or unusable; `serve` ends with exit code 2
├── BadRequest                the request is malformed; `field` names the part
├── NotAuthenticated          no identity, or a false one
├── NotAllowed                known who it is, and it is for an administrator, an owner, or who may write
├── NotFound                  there is no such thing, or it is not the caller's: the two look the same from outside
├── NotSupported              a known message that this server does not answer yet
├── TurnInProgress            the session already runs a turn
├── Conflict                  what is there stands in the way of what is asked
├── LimitExceeded             a plan's ceiling; carries the limits.Decision
├── Busy                      a queue is full; try again after `retry_after_s`
│   └── TooManyAtOnce         one user has as much open or running as the server lets one have
├── ModelFailed               the model provider failed; `retryable` says whether the same prompt may succeed later
├── PromptUnavailable         the system prompt could not be had
├── ServiceUnavailable        a service of the team's (storage, identity) does not answer; `service` names it
├── ExecutorUnreachable       the server that runs graphs does not answer, or not in its form
├── CannotRecord              no recorder fits the command or is here; `exit_code` is the command line's
├── BackupUnusable            a backup is cut off, changed, of a newer version, or would come over what is there
├── WorkerFailed              a worker process died, ran out of memory or of time
└── DatabaseUnavailable       PostgreSQL cannot be reached or started
    └── DatabaseBusy          it can, and all connections to it are in use; try again after `retry_after_s`
"""

import traceback
from collections.abc import Mapping
from typing import TypeVar

from limits.refusals import Decision, refusal_text

PLACES_LOGGED = 4
"""Enough to see past a library's own frames to the caller of ours."""

Answer = TypeVar("Answer")
REMOVED = " It may have been removed in another window: reload to see what is there."
"""Behind the sentence that names what disappeared while a page showed it. A socket closes with 123 bytes at most."""


class ServerError(Exception):
    """Root of the application's errors; its text is meant for the person at the other end."""


class ConfigError(ServerError):
    pass


class BadRequest(ServerError):
    def __init__(self, text: str, *, field: str | None = None) -> None:
        super().__init__(text)
        self.field = field


class NotAuthenticated(ServerError):
    """`code` says why, for programs: a client whose `token_expired` fetches a new one and tries again."""

    def __init__(self, text: str, *, code: str = "not_authenticated") -> None:
        super().__init__(text)
        self.code = code


class NotAllowed(ServerError):
    pass


class NotFound(ServerError):
    pass


class NotSupported(ServerError):
    pass


class TurnInProgress(ServerError):
    pass


class Conflict(ServerError):
    pass


class LimitExceeded(ServerError):
    def __init__(self, decision: Decision) -> None:
        super().__init__(refusal_text(decision))
        self.decision = decision


class Busy(ServerError):
    def __init__(self, text: str, *, retry_after_s: int) -> None:
        super().__init__(text)
        self.retry_after_s = retry_after_s


class TooManyAtOnce(Busy):
    pass


class ModelFailed(ServerError):
    def __init__(self, text: str, *, code: str = "model_failed", retryable: bool = True) -> None:
        super().__init__(text)
        self.code = code
        self.retryable = retryable


class PromptUnavailable(ServerError):
    pass


class ServiceUnavailable(ServerError):
    """`said` is what the service answered (status, message, request id), for administrators and the log only."""

    said: str | None = None

    def __init__(self, text: str, *, service: str) -> None:
        super().__init__(text)
        self.service = service


class ExecutorUnreachable(ServerError):
    pass


class CannotRecord(ServerError):
    def __init__(self, text: str, *, exit_code: int) -> None:
        super().__init__(text)
        self.exit_code = exit_code


class BackupUnusable(ServerError):
    pass


class WorkerFailed(ServerError):
    pass


class DatabaseUnavailable(ServerError):
    retry_after_s = 5


class DatabaseBusy(DatabaseUnavailable):
    pass


def by_class(answers: Mapping[type[Exception], Answer], error: Exception) -> Answer | None:
    """The answer of the error's own class, else that of its nearest base class in the table; None when there is none.

    As starlette looks up its exception handlers: the order of the table does not matter.
    """
    return next((answers[kind] for kind in type(error).__mro__ if kind in answers), None)


def raised_at(error: BaseException) -> str:
    """The innermost places of an error, for the log: files and lines, never its text, which may quote a trace."""
    places = [f"{frame.filename}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)]
    return " < ".join(reversed(places[-PLACES_LOGGED:])) or "unknown"
