"""What a provider reports of a reply's tokens, as far as it can be believed."""

from collections.abc import Sequence

from langchain_core.messages.ai import UsageMetadata

UNCLEAR = "usage_unclear"
"""What a call is marked with whose provider reported tokens that cannot be believed."""


def believable(reports: Sequence[UsageMetadata]) -> UsageMetadata | None:
    """The one report of a reply. None without one; for several, which some providers mean as sums so far and others as
    parts; and for a count below zero, or a part that is larger than what it is a part of."""
    if len(reports) != 1:
        return None
    (usage,) = reports
    cached, reasoning = cached_tokens(usage), reasoning_tokens(usage)
    within = 0 <= (cached or 0) <= usage["input_tokens"] and 0 <= (reasoning or 0) <= usage["output_tokens"]
    return usage if within else None


def cached_tokens(usage: UsageMetadata) -> int | None:
    """Of the input, those that the provider had read before; None where it does not say."""
    return usage.get("input_token_details", {}).get("cache_read")


def reasoning_tokens(usage: UsageMetadata) -> int | None:
    """Of the output, those of reasoning; None where the provider does not say."""
    return usage.get("output_token_details", {}).get("reasoning")
