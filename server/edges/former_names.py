"""Fields of answers that had another name once: programs that read the former one go on to find it."""

from typing import Any

FORMER_NAMES = {
    "scope_total": "whole",
    "scope_total_before": "whole_before",
    "scope_total_after": "whole_after",
}
"""By the name that the field has now."""


def with_former_names(answer: dict[str, Any]) -> dict[str, Any]:
    """The fields of an answer, each renamed one under its former name as well."""
    return answer | {former: answer[now] for now, former in FORMER_NAMES.items() if now in answer}
