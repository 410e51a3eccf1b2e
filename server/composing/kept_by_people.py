"""What people keep next to traces and conversations, where there are rows for it."""

from typing import TYPE_CHECKING

from server.turns.measure_backfill import MeasureBackfill
from server.turns.question_keeping import QuestionKeeping
from server.turns.run_questions import RunQuestions
from server.turns.trace_library import TraceLibrary
from server.turns.trace_notes import TraceNotes
from server.turns.view_keeping import ViewKeeping

if TYPE_CHECKING:
    from server.composing.use_cases import Rows


def notes_of(rows: "Rows") -> TraceNotes | None:
    """Notes on traces."""
    return None if rows.notes is None else TraceNotes(rows.notes, rows.records)


def run_questions_of(rows: "Rows", library: TraceLibrary) -> RunQuestions | None:
    """Questions over many recordings."""
    return None if rows.history is None else RunQuestions(rows.history, library, rows.saved_questions)


def backfill_of(rows: "Rows", library: TraceLibrary) -> MeasureBackfill | None:
    """Measures of what was stored before they were kept."""
    return None if rows.history is None else MeasureBackfill(rows.history, library)


def saved_questions_of(rows: "Rows") -> QuestionKeeping | None:
    """Those that were saved."""
    return None if rows.saved_questions is None else QuestionKeeping(rows.saved_questions)


def views_of(rows: "Rows") -> ViewKeeping | None:
    """Views of traces."""
    return None if rows.kept_views is None else ViewKeeping(rows.kept_views, rows.records)
