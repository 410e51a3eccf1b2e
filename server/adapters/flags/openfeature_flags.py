"""Flags asked of an OpenFeature provider."""

import asyncio
from collections.abc import Sequence

import structlog
from openfeature import api
from openfeature.client import OpenFeatureClient
from openfeature.evaluation_context import EvaluationContext
from openfeature.provider import AbstractProvider

from server.adapters.flags.flag_file import ACCOUNT, PLAN, TOOLS
from server.ports.flags import FlagSubject, TurnFlags

WITHIN_S = 1.0
"""How long a prompt waits for a provider that is asked over a network; then all is as for everybody."""

DOMAIN = "flamechat"
"""Of the provider in OpenFeature's registry, so that another library's is not asked."""

log = structlog.get_logger(__name__)


class OpenFeatureFlags:
    """Flags over a provider. `tools` are those that can be hidden."""

    def __init__(self, provider: AbstractProvider, tools: Sequence[str]) -> None:
        api.set_provider(provider, DOMAIN)
        self._client: OpenFeatureClient = api.get_client(DOMAIN)
        self._tools = tuple(tools)

    async def decided(self, subject: FlagSubject) -> TurnFlags:
        """See `Flags.decided`."""
        try:
            async with asyncio.timeout(WITHIN_S):
                return await self._decided(subject)
        except Exception as error:  # noqa: BLE001 - a provider is another's code: nobody loses a prompt for it
            log.warning("flags_not_decided", error=type(error).__name__)
            return TurnFlags()

    async def _decided(self, subject: FlagSubject) -> TurnFlags:
        context = EvaluationContext(subject.user_id, {ACCOUNT: subject.account_id, PLAN: subject.plan_name})

        async def text(name: str) -> str | None:
            return await self._client.get_string_value_async(name, "", context) or None

        async def switch(name: str) -> bool:
            return await self._client.get_boolean_value_async(name, default_value=True, evaluation_context=context)

        offered = await asyncio.gather(*(switch(TOOLS + tool) for tool in self._tools))
        return TurnFlags(
            hidden_tools=frozenset(tool for tool, is_on in zip(self._tools, offered, strict=True) if not is_on),
            model=await text("model"),
            prompt_version=await text("prompt_version"),
            executor=await text("executor"),
            interrupts=await switch("interrupts"),
            collectors=await switch("collectors"),
        )
