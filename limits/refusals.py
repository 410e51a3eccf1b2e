"""What the database answers when it is asked to accept a prompt, and how a refusal is worded for a person. The decision
itself is `reserve_chat_turn` in supabase/migrations.

What counts are the messages people see: prompts and finished answers. Tool requests, tool results and system events
never do.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import assert_never


class LimitType(StrEnum):
    """Which ceiling of a plan refused; the names are the database's and the wire's."""

    SESSION_MESSAGES = "session_messages"  #: prompts and answers in one conversation
    LIFETIME_ANALYSES = "lifetime_analyses"  #: conversations a user may ever begin, on a plan that counts for life
    MONTHLY_SESSIONS = "monthly_sessions"  #: conversations a user may begin in a month
    MONTHLY_UPLOADS = "monthly_uploads"  #: traces a user may upload in a month
    TOTAL_TRACES = "total_traces"  #: traces a user may keep at a time
    MONTHLY_COST = "monthly_cost"  #: cents that language models may cost in a month
    MONTHLY_TOKENS = "monthly_tokens"  #: tokens of language models in a month
    MONTHLY_RENDERS = "monthly_renders"  #: pictures a user may have drawn in a month, over HTTP
    API_KEYS = "api_keys"  #: keys for programs that a user may have at a time


COUNTED = {
    LimitType.MONTHLY_SESSIONS: "conversations",
    LimitType.MONTHLY_UPLOADS: "uploads",
    LimitType.MONTHLY_RENDERS: "pictures",
}
"""What each counts, as people say it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One row of `reserve_chat_turn`, or of `reserve_trace_upload` and its kin (which count no messages). When refused,
    `limit_type`, `used` and `limit` say which ceiling; when accepted, `messages_used` is where the session stands with
    this prompt (or, for a regenerated answer, with that answer): one more than when it was decided. The answer that the
    prompt is owed is not in it: a prompt accepted at the last free place still gets it. `of_account`: the
    budget that refused is the account's own."""

    allowed: bool
    plan_name: str
    messages_used: int
    messages_limit: int | None
    limit_type: LimitType | None = None
    used: int | None = None
    limit: int | None = None
    resets_at: datetime | None = None
    of_account: bool = False


def refusal_text(decision: Decision) -> str:
    """The sentence a refused person reads. Raises ValueError for an accepted decision."""
    if decision.allowed or decision.limit_type is None:
        raise ValueError("an accepted decision has no refusal")
    plan = "this account" if decision.of_account else f"the {decision.plan_name} plan"
    match decision.limit_type:
        case LimitType.SESSION_MESSAGES:
            return (
                f"This conversation has reached the {decision.limit} messages that {plan} allows. "
                "Start a new one or upgrade."
            )
        case LimitType.LIFETIME_ANALYSES:
            return f"You have used all {decision.limit} conversations that {plan} includes. Upgrade for more."
        case LimitType.MONTHLY_SESSIONS | LimitType.MONTHLY_UPLOADS | LimitType.MONTHLY_RENDERS:
            until = f" They renew on {decision.resets_at:%d %B %Y}." if decision.resets_at else ""
            return f"You have used all {decision.limit} {COUNTED[decision.limit_type]} of this month on {plan}.{until}"
        case LimitType.TOTAL_TRACES:
            return f"You keep {decision.used} traces and {plan} holds {decision.limit}. Delete one or upgrade."
        case LimitType.MONTHLY_COST:
            until = f" It renews on {decision.resets_at:%d %B %Y}." if decision.resets_at else ""
            dollars = f"{(decision.limit or 0) / 100:.2f} USD"
            return f"The {dollars} for language models of this month on {plan} are used up.{until}"
        case LimitType.MONTHLY_TOKENS:
            until = f" They renew on {decision.resets_at:%d %B %Y}." if decision.resets_at else ""
            return f"The {decision.limit:,} tokens of this month on {plan} are used up.{until}"
        case LimitType.API_KEYS:
            return f"You have {decision.used} keys and {plan} includes {decision.limit}. Revoke one or upgrade."
        case _:
            assert_never(decision.limit_type)


def session_limit_reached(messages_used: int, messages_limit: int | None) -> bool:
    """Whether a turn has come to stand over its session's ceiling, with `messages_used` as its Decision counts it.
    Never true right after acceptance; it takes a smaller plan since then."""
    return messages_limit is not None and messages_used > messages_limit
