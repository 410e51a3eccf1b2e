"""Errors as problem documents (RFC 9457): one table for all rooms, and a wall for what nobody foresaw."""

import errno
import math
import re
from datetime import UTC, datetime

import structlog
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from limits.errors import LimitsError, UnknownAccount, UnknownPlan, UnknownUser
from rendering.errors import InvalidOption, RenderingError
from server.cleaning import HALF_CHARACTER, without_keys
from server.errors import (
    BadRequest,
    Busy,
    ConfigError,
    Conflict,
    DatabaseUnavailable,
    ExecutorUnreachable,
    LimitExceeded,
    ModelFailed,
    NotAllowed,
    NotAuthenticated,
    NotFound,
    NotSupported,
    PromptUnavailable,
    ServerError,
    ServiceUnavailable,
    TooManyAtOnce,
    TurnInProgress,
    WorkerFailed,
    by_class,
    raised_at,
)
from server.ports.request_ids import CURRENT
from traces.errors import TraceError, TraceTooLarge, UnknownHandle, UnrecognisedTrace

STATUSES: dict[type[Exception], int] = {
    TraceTooLarge: 413,
    UnrecognisedTrace: 415,
    UnknownHandle: 404,
    TraceError: 422,
    InvalidOption: 422,
    RenderingError: 500,
    UnknownPlan: 404,
    UnknownAccount: 404,
    UnknownUser: 404,
    LimitsError: 400,
    BadRequest: 400,
    NotAuthenticated: 401,
    NotAllowed: 403,
    NotFound: 404,
    TurnInProgress: 409,
    Conflict: 409,
    LimitExceeded: 429,
    NotSupported: 501,
    ModelFailed: 502,
    TooManyAtOnce: 429,
    Busy: 503,
    PromptUnavailable: 503,
    ExecutorUnreachable: 503,
    ServiceUnavailable: 503,
    WorkerFailed: 503,
    DatabaseUnavailable: 503,
    ConfigError: 500,
    ServerError: 500,
}
"""By class: an error that is not here has the status of its nearest base class, so the order does not matter."""

FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS})
"""No room, no room for this user, a file system that became read-only."""

DISK_AGAIN_S = 60
LIMIT_AGAIN_S = 86_400
"""Where a limit never begins anew: whoever runs the server may have chosen another plan by then."""

ROOTS = (TraceError, RenderingError, LimitsError, ServerError)

log = structlog.get_logger(__name__)


def problem(status: int, title: str, detail: str, *, instance: str, **members: object) -> JSONResponse:
    """A problem document; its type is a name, not a page. `requestId` finds it in the log."""
    name = re.sub(r"[^a-z]+", "-", title.lower()).strip("-")
    body = without_keys(
        {"type": f"urn:flamechat:{name}", "title": title, "status": status, "detail": detail, "instance": instance}
    )
    if (ids := CURRENT.get()) is not None:
        members = {"requestId": ids.request_id} | members
    return JSONResponse(body | members, status_code=status, media_type="application/problem+json")


def problem_of(error: Exception, *, instance: str, for_administrator: bool = False) -> JSONResponse:
    """The answer to one of our errors, to an administrator with what a service said. Raises KeyError for others."""
    status = by_class(STATUSES, error)
    if status is None:
        raise KeyError(type(error).__name__)
    members: dict[str, object] = {}
    if isinstance(error, BadRequest | InvalidOption) and error.field is not None:
        members["field"] = error.field
    if isinstance(error, NotAuthenticated):
        members["code"] = error.code
    if isinstance(error, ServiceUnavailable) and error.said is not None and for_administrator:
        members |= {"service": error.service, "serviceAnswered": error.said}
    if isinstance(error, LimitExceeded):
        decision = error.decision
        members |= {"limitType": decision.limit_type, "used": decision.used, "limit": decision.limit}
        members["planName"] = decision.plan_name
        members["resetsAt"] = None if decision.resets_at is None else decision.resets_at.isoformat()
    answer = problem(status, _title(error), str(error), instance=instance, **members)
    if isinstance(error, Busy | DatabaseUnavailable):
        answer.headers["Retry-After"] = str(error.retry_after_s)
    if isinstance(error, LimitExceeded):
        resets_at = error.decision.resets_at
        left_s = LIMIT_AGAIN_S if resets_at is None else (resets_at - datetime.now(UTC)).total_seconds()
        answer.headers["Retry-After"] = str(max(math.ceil(left_s), 1))
    if isinstance(error, NotAuthenticated):
        answer.headers["WWW-Authenticate"] = "Bearer"
    return answer


def answer_with_problems(app: FastAPI) -> None:
    """Register the table with an application."""

    async def ours(request: Request, error: Exception) -> Response:
        caller = getattr(request.state, "caller", None)
        administrator = caller is not None and caller.is_administrator
        return problem_of(error, instance=request.url.path, for_administrator=administrator)

    async def of_framework(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        title = {404: "Not found", 405: "Method not allowed"}.get(error.status_code, "Bad request")
        answer = problem(error.status_code, title, str(error.detail), instance=request.url.path)
        answer.headers.update(error.headers or {})
        return answer

    async def of_machine(request: Request, error: Exception) -> Response:
        """A full disk is nobody's request's fault, and passes."""
        if not isinstance(error, OSError) or error.errno not in FULL:
            log.warning("request_failed", path=request.url.path, error=type(error).__name__, where=raised_at(error))
            return _unforeseen(error, request.url.path)
        log.error("disk_full", path=request.url.path, where=raised_at(error))
        detail = "The server cannot store anything just now: its disk is full. Whoever runs it has to make room."
        answer = problem(507, "Insufficient storage", detail, instance=request.url.path)
        answer.headers["Retry-After"] = str(DISK_AGAIN_S)
        return answer

    async def of_validation(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        first = error.errors()[0]
        field = str(first["loc"][-1])
        said = HALF_CHARACTER if first["type"] == "string_unicode" else f"{field}: {first['msg']}"
        return problem(400, "Bad request", said, instance=request.url.path, field=field)

    async def of_nobody(request: Request, error: Exception) -> Response:
        return _unforeseen(error, request.url.path)

    for root in ROOTS:
        app.add_exception_handler(root, ours)
    app.add_exception_handler(HTTPException, of_framework)
    app.add_exception_handler(RequestValidationError, of_validation)
    app.add_exception_handler(OSError, of_machine)
    app.add_exception_handler(Exception, of_nobody)  # answered here, raised again, and logged by the wall


class ErrorWall:
    """Outermost: what nobody foresaw becomes a problem document and one line in the log, without the error's text (it
    may quote a trace).
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        started = False

        async def watched(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, receive, watched)
        except Exception as error:  # noqa: BLE001 - the top of a request
            log.warning("request_failed", path=scope["path"], error=type(error).__name__, where=raised_at(error))
            if started or scope["type"] != "http":
                return
            await _unforeseen(error, scope["path"])(scope, receive, send)


def _unforeseen(error: Exception, path: str) -> JSONResponse:
    detail = f"The server failed unexpectedly ({type(error).__name__}); its log says where."
    return problem(500, "Internal error", detail, instance=path)


def _title(error: Exception) -> str:
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(error).__name__)
    return words.capitalize()
