"""Everything that a person has left in the tables: read, and removed.

In accounts of which others are members too, what a person asked and was answered is theirs; traces and conversations of
others are the account's, and stay without the person's id.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg

from limits.administration import Author
from limits.errors import UnknownUser
from server.adapters.postgres.statements import statement
from server.adapters.storable import known_id, storable_text
from server.errors import DatabaseUnavailable, NotFound
from server.ports.objects import PICTURES_BUCKET, TRACES_BUCKET

CONNECT_S = 10
NOBODY = "00000000-0000-0000-0000-000000000000"
"""In place of a person in rows of others' accounts."""

PARTS = {
    "profile": "person_profile",
    "subscription": "person_subscription",
    "accounts": "person_accounts",
    "invitations": "person_invitations",
    "traces": "person_traces",
    "notes": "person_notes",
    "kept_views": "person_kept_views",
    "saved_questions": "person_saved_questions",
    "removed_runs": "person_removed_runs",
    "sessions": "person_sessions",
    "turns": "person_turns",
    "messages": "person_messages",
    "feedback": "person_feedback",
    "plan_changes": "person_plan_changes",
    "memory": "person_memory",
    "memory_changes": "person_memory_changes",
    "memory_proposals": "person_memory_proposals",
    "onboardings": "person_onboardings",
    "memories": "person_memories",
    "documents": "person_documents",
    "invocations": "person_invocations",
    "charges": "person_charges",
    "budgets": "person_budgets",
    "api_keys": "person_api_keys",
    "gates": "person_gates",
    "gate_results": "person_gate_results",
}
GO = (
    "remove_invitations_of_person",
    "remove_memory_of_accounts",
    "unname_memory_of_person",
    "unname_memory_changes_of_person",
    "remove_memory_proposals_of_person",
    "remove_onboardings_of_person",
    "remove_memories_of_person",
    "remove_documents_of_accounts",
    "unname_documents_of_person",
    "remove_events_of_person",
    "remove_checkpoints_of_person",
    "remove_turns_of_person",
    "remove_api_keys_of_person",
    "unname_gates_of_person",
    "unname_gate_results_of_person",
    "remove_renders_of_person",
    "remove_notes_of_person",
    "remove_kept_views_of_person",
    "remove_saved_questions_of_person",
    "remove_traces_of_accounts",
    "remove_removed_runs_of_accounts",
    "remove_invocations_of_accounts",
    "remove_charges_of_person",
    "remove_budgets_of_person",
    "remove_empty_sessions_of_person",
    "unname_sessions_of_person",
    "unname_traces_of_person",
    "remove_feedback_of_person",
    "remove_plan_changes_of_person",
    "unname_plan_changes_of_person",
    "unname_invocations_of_person",
)
LEAVES = (
    "remove_accounts",
    "remove_memberships_of_person",
    "remove_subscription_of_person",
    "remove_profile_of_person",
)
STAYS = ("empty_profile", "empty_subscription")

Connection = psycopg.Connection[tuple[Any, ...]]
Object = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonRows:
    """Rows of each part as JSON has them, and the objects (bucket, path) that they name."""

    parts: dict[str, list[dict[str, Any]]]
    objects: frozenset[Object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed:
    """How many rows went. Where there are `missed` objects, or `contents` (SHA-256 of traces that nobody else has),
    these have to be removed before any row goes, and none was: the rows are what they are found by."""

    rows: int = 0
    contents: tuple[str, ...] = ()
    missed: frozenset[Object] = frozenset()


def rows_of_person(server_dsn: str, user_id: str) -> PersonRows:
    """All of one moment. Raises UnknownUser, DatabaseUnavailable."""
    with _transaction(server_dsn) as connection:
        connection.execute("set transaction isolation level repeatable read")
        connection.execute("set local role service_role")
        named = _named(connection, user_id)
        parts = {part: [row[0] for row in connection.execute(statement(name), named)] for part, name in PARTS.items()}
        paths = {(TRACES_BUCKET, str(trace["object_path"])) for trace in parts["traces"]}
        pictures = {message["content_image_path"] for message in parts["messages"]}
        return PersonRows(
            parts=parts, objects=frozenset(paths | {(PICTURES_BUCKET, str(path)) for path in pictures if path})
        )


def remove_person(
    owner_dsn: str, user_id: str, author: Author, *, gone: frozenset[Object], stays: bool, own_users: bool
) -> Removed:
    """Remove a person's rows in one transaction, when the objects that they name are `gone`. With `stays` the user is
    left, with an empty account; with `own_users` the database is where users are kept, and theirs goes too.

    Raises UnknownUser, DatabaseUnavailable.
    """
    with _transaction(owner_dsn) as connection:
        connection.execute("set local role service_role")
        named = _named(connection, user_id)
        objects = {
            (str(bucket), str(path)) for bucket, path in connection.execute(statement("objects_of_person"), named)
        }
        contents = tuple(str(row[0]) for row in connection.execute(statement("contents_of_person"), named))
        if objects - gone:
            return Removed(contents=contents, missed=frozenset(objects - gone))
        rows = sum(
            max(connection.execute(statement(name), named).rowcount, 0) for name in (*GO, *(STAYS if stays else LEAVES))
        )
        noted = {
            "changed_by": None if author.user_id == user_id else author.user_id,
            "user_id": None,
            "plan_name": None,
            "action": "delete_user",
            "before": None,
            "after": None,
            "reason": None if author.reason is None else storable_text(author.reason),
        }
        connection.execute(statement("note_plan_change"), noted)
        if own_users and not stays:
            connection.execute("reset role")
            connection.execute(statement("remove_own_user"), named)
        return Removed(rows=rows)


def _named(connection: Connection, user_id: str) -> dict[str, Any]:
    """Parameters of the statements. Raises UnknownUser."""
    try:
        known = known_id(user_id, "user")
    except NotFound:
        raise UnknownUser(f"There is no user {user_id}.") from None
    named: dict[str, Any] = {
        "user_id": known,
        "nobody": NOBODY,
        "traces": TRACES_BUCKET,
        "pictures": PICTURES_BUCKET,
    }
    if connection.execute(statement("is_user"), named).fetchone() != (True,):
        raise UnknownUser(f"There is no user {user_id}.")
    accounts = [row[0] for row in connection.execute(statement("own_accounts"), named)]
    return named | {"accounts": accounts}


@contextmanager
def _transaction(dsn: str) -> Iterator[Connection]:
    """A transaction. Raises DatabaseUnavailable."""
    try:
        with (
            psycopg.connect(dsn, autocommit=True, prepare_threshold=None, connect_timeout=CONNECT_S) as connection,
            connection.transaction(),
        ):
            yield connection
    except psycopg.OperationalError as error:
        raise DatabaseUnavailable(f"The database cannot be reached: {error}") from error
