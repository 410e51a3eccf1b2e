"""A prompt that is SQL, as it was typed."""

import re
from uuid import UUID

from server.agent.questions.question_schema import SqlQuery
from traces.lazy_regex import lazy_regex

_FENCE = lazy_regex(r"^```(?:sql)?\s*\n(?P<sql>.*?)\n?```$", re.IGNORECASE | re.DOTALL)
_ASKED = lazy_regex(r"^(?:(?:please )?(?:run|query|sql)\s*:?\s+)?(?=(?:select|with|from|explain)\b)", re.IGNORECASE)
_STATEMENT = lazy_regex(
    r"^(?:explain\s+(?:analyze\s+)?)?(?:select\b.+|with\s+(?:recursive\s+)?\w+\s*(?:\([^)]*\)\s*)?as\b.+\bselect\b.+|"
    r"from\s+[\w.]+\s+select\b.+)$",
    re.IGNORECASE | re.DOTALL,
)
_OF_SQL = lazy_regex(r"\bfrom\s+[\w.\"(]|^(?:explain\s+)?select\s+[\d(\'*]", re.IGNORECASE)
_LIBRARY = lazy_regex(r"\blib\s*\.", re.IGNORECASE)


def statement_of(prompt: str) -> str | None:
    """The statement that a prompt is; None where it is none."""
    text = prompt.strip()
    if fenced := _FENCE.match(text):
        text = fenced["sql"].strip()
    text = _ASKED.sub("", text, count=1).rstrip("; \n")
    return text if _STATEMENT.match(text) and _OF_SQL.search(text) else None


def of_library(sql: str) -> bool:
    """Whether a statement names tables of many recordings."""
    return _LIBRARY.search(sql) is not None


def typed_sql(prompt: str, trace: UUID | None = None) -> SqlQuery | None:
    """The query, over a trace where one is meant and it names no table of the library."""
    sql = statement_of(prompt)
    if sql is None:
        return None
    return SqlQuery(form="sql", sql=sql, trace=None if of_library(sql) else trace)
