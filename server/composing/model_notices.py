"""What about the model's settings is likely to disappoint: for the start of a server and for `check-config`."""

from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from server.adapters.model.model_failures import shown_address
from server.agent.bounds import LEAST_CONTEXT
from server.settings import Settings

if TYPE_CHECKING:
    from server.adapters.model.endpoint_context import EndpointContext

TOO_SMALL = (
    f"below {LEAST_CONTEXT:,} tokens answers with tools break off. Give the model a larger context, or let the "
    "built-in analyst answer."
)


async def found_context(settings: Settings) -> "EndpointContext | None":
    """What the endpoint says of the default model's context; None where a setting has it, or nobody is to be asked, or
    nothing is answered within two seconds."""
    if settings.model_base_url is None or settings.model_context is not None:
        return None
    from server.adapters.model.endpoint_context import asked_context

    name = settings.offered_models.names(None)[0]
    key = settings.openai_api_key
    return await asked_context(settings.model_base_url, None if key is None else key.get_secret_value(), name)


def context_notice(found: "EndpointContext | None") -> str | None:
    """What is to be said of a context that an endpoint named; None where it is large enough."""
    if found is None or found.tokens >= LEAST_CONTEXT:
        return None
    return f"The model's endpoint gives it a context of {found.tokens:,} tokens: {TOO_SMALL}"


async def announce_context(settings: Settings, announce: Callable[[str], None]) -> None:
    """One more line at the start where the endpoint names a context that is too small."""
    if notice := context_notice(await found_context(settings)):
        announce(notice)


def model_notices(settings: Settings) -> list[str]:
    """A sentence for each; none where a provider is not asked."""
    if not settings.uses_language_model:
        return []
    notices = []
    if settings.model_context is not None and settings.model_context < LEAST_CONTEXT:
        notices.append(f"FLAMECHAT_MODEL_CONTEXT is {settings.model_context:,}: {TOO_SMALL}")
    if settings.model_base_url is not None and urlsplit(settings.model_base_url).path in ("", "/"):
        address = shown_address(settings.model_base_url).rstrip("/")
        notices.append(f"FLAMECHAT_MODEL_BASE_URL has no path: most endpoints answer at {address}/v1.")
    return notices
