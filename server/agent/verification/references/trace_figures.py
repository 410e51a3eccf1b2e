"""Figures of the trace itself: of functions, call-tree nodes, spans, profiles, and of what a result looked at."""

from collections.abc import Callable
from dataclasses import dataclass, field

from server.agent.tools.contract.resolving import where_it_runs
from server.agent.verification.facts import OF_UNIT
from server.agent.verification.references.addressed_values import (
    GONE,
    LATE,
    NO_MEASURE,
    NOTHING,
    Place,
    Unknown,
    Value,
    measured,
)
from server.agent.verification.references.addresses import FigureAddress
from server.agent.verification.references.tool_results import Conversation, LookedAt, looked_at
from server.agent.verification.written_numbers import Dimension
from traces.analysis.durations import CallDurations, call_durations
from traces.analysis.functions import FrameValues, FunctionRow, function_row, function_values
from traces.analysis.selection import select
from traces.analysis.thread_time import stands_for_thread, thread_time
from traces.analysis.time_axis import duration_ns
from traces.analysis.window import NodeValues
from traces.handles import ALL, ProfileChoice, frame_behind, profile_of_node, profile_of_span, resolve
from traces.kernels.spans import self_durations
from traces.model import Profile, Trace
from traces.values import Counts

OF_CALLS = {"p50": "median", "p95": "p95", "p99": "p99", "max": "longest"}


@dataclass(slots=True)
class _Scope:
    """A selection with its values, summed by function when first asked for."""

    looked: LookedAt
    name: str
    values: NodeValues
    total: float
    by_frame: FrameValues
    durations: dict[int, CallDurations | None] = field(default_factory=dict)

    def thread(self) -> Place | None:
        """Where what was looked at is, when it is one thread."""
        chosen = self.looked.chosen
        return self.place(chosen.handle) if len(chosen.profiles) == 1 else None

    def place(self, handle: str) -> Place:
        """Where a thing is, looked at like this."""
        chosen, window = self.looked.chosen, self.looked.window
        if len(chosen.profiles) != 1:
            return Place(handle)
        inside = None if window is None else (float(window.start), float(window.end))
        return Place(handle, chosen.handle, inside)


class TraceFigures:
    """Resolves what is of the trace, for ever, and the scopes that results name. Raises TraceError for what does not
    exist."""

    def __init__(self, trace: Trace, conversation: Conversation, is_late: Callable[[], bool]) -> None:
        self._trace = trace
        self._conversation = conversation
        self._is_late = is_late
        self._scopes: dict[str, _Scope | Unknown] = {}

    def value(self, figure: FigureAddress) -> Value | Unknown:
        """The figure; its base is not looked at."""
        match figure.subject[0]:
            case "f":
                return self._function(figure)
            case "n":
                return self._node(figure)
            case "s":
                return self._span(figure)
            case _:
                return self._of_scope(figure)

    def frames_of(self, handle: str | None) -> frozenset[int]:
        """The function that a handle is of; none of a profile's."""
        if handle is None or handle[0] == "p":
            return frozenset()
        return frozenset({frame_behind(self._trace, resolve(self._trace, handle))})

    def _scope(self, name: str | None) -> _Scope | Unknown:
        key = name or "main"
        if key not in self._scopes:
            if self._is_late():
                return LATE
            self._scopes[key] = self._opened(name)
        return self._scopes[key]

    def _opened(self, name: str | None) -> _Scope | Unknown:
        trace = self._trace
        if name is not None and name[0] == "w":
            outcome = self._conversation.results.get(int(name[1:]))
            if outcome is None:
                return GONE
            looked = looked_at(trace, outcome, self._conversation.windows)
            if looked is None:
                return NO_MEASURE
        else:
            choice: ProfileChoice = None if name is None else ALL if name == "t" else int(name[1:])
            looked = LookedAt(select(trace, choice), None)
        chosen = looked.chosen
        values = chosen.values(looked.window)
        by_frame = function_values(chosen, values, looked.window)
        where = chosen.handle if looked.window is None and not chosen.frame_filter else f"{name} ({chosen.handle})"
        return _Scope(looked, where, values, chosen.total(values), by_frame)

    def _function(self, figure: FigureAddress) -> Value | Unknown:
        scope, frame = self._scope(figure.scope), int(figure.subject[1:])
        if isinstance(scope, Unknown):
            return scope
        if frame >= len(self._trace.frames):
            return NOTHING
        chosen = scope.looked.chosen
        row = function_row(chosen, frame, scope.by_frame, scope.total)
        if figure.scope is None and not row.total_value:  # tools that are named no profile look elsewhere as well
            if self._is_late():
                return LATE
            found, _ = where_it_runs(self._trace, frame, chosen)
            if found is not chosen:  # its figure there proves nothing of the thread that a sentence may mean
                return Unknown(f"it does not run in {chosen.handle}, and no thread is named: {found.handle} has it")
        amount = self._amount(row, figure.measure, scope)
        if amount is None:
            return NO_MEASURE
        value, dimension = amount
        what = f"{measured(figure.measure)} of f{frame} {row.name[:60]} in {scope.name}"
        in_all = scope.total if figure.measure in ("self", "total") else None
        place = scope.place(figure.subject) if (figure.scope or "")[:1] == "w" else None
        return Value(float(value), dimension, what, frozenset({frame}), scope_total=in_all, place=place)

    def _amount(self, row: FunctionRow, measure: str, scope: _Scope) -> tuple[float, Dimension] | None:
        chosen = scope.looked.chosen
        unit = OF_UNIT[chosen.unit]
        if measure in ("self", "total"):
            return (row.self_value if measure == "self" else row.total_value), unit
        if measure == "calls":
            return (row.count, Dimension.COUNT) if chosen.counts is Counts.CALLS and row.count is not None else None
        if measure == "samples":
            is_call = chosen.counts is Counts.CALLS
            return (row.count, Dimension.COUNT) if row.count is not None and not is_call else None
        if measure == "mean":
            counted = chosen.counts is Counts.CALLS and row.count
            return (row.total_value / row.count, unit) if counted and row.count else None
        if measure in OF_CALLS:
            if row.frame not in scope.durations:
                found = call_durations(chosen, [row.frame], scope.looked.window)
                scope.durations[row.frame] = found.get(row.frame)
            calls = scope.durations[row.frame]
            return None if calls is None else (getattr(calls, OF_CALLS[measure]), OF_UNIT[chosen.axis])
        return None

    def _node(self, figure: FigureAddress) -> Value | Unknown:
        profile, node = profile_of_node(self._trace, int(figure.subject[1:]))
        scope = self._scope(figure.scope or profile.handle)
        if isinstance(scope, Unknown):
            return scope
        chosen = scope.looked.chosen
        if chosen.profiles != (profile,) or chosen.frame_filter:
            return Unknown("a node is of one profile, with all its functions")
        column = {"self": scope.values.self_value, "total": scope.values.total_value}.get(figure.measure)
        frames = frozenset({int(profile.tree.frame[node])})
        what = f"{measured(figure.measure)} of {figure.subject} in {scope.name}"
        if column is not None:
            return Value(float(column[node]), OF_UNIT[chosen.unit], what, frames, scope_total=scope.total)
        right = Counts.CALLS if figure.measure == "calls" else Counts.SAMPLES if figure.measure == "samples" else None
        if right is None or chosen.counts is not right:
            return NO_MEASURE
        return Value(float(scope.values.count[node]), Dimension.COUNT, what, frames)

    def _span(self, figure: FigureAddress) -> Value | Unknown:
        profile, row = profile_of_span(self._trace, int(figure.subject[1:]))
        spans = profile.spans
        assert spans is not None
        start, end = spans.start[row].item(), spans.end[row].item()
        moments = {
            "start": start - profile.axis_start,
            "end": end - profile.axis_start,
            "duration": end - start,
            "total": end - start,
        }
        if figure.measure == "self":
            moments["self"] = self_durations(spans.start, spans.end, spans.parent)[row].item()
        if figure.measure not in moments:
            return NO_MEASURE
        what = f"{measured(figure.measure)} of {figure.subject} in {profile.handle}"
        frame = int(profile.tree.frame[spans.node[row]])
        return Value(float(moments[figure.measure]), OF_UNIT[profile.axis], what, frozenset({frame}))

    def _of_scope(self, figure: FigureAddress) -> Value | Unknown:
        subject, measure = figure.subject, figure.measure
        if figure.scope is not None or subject[0] == "c":
            return NOTHING
        what = f"{measured(measure)} of {'the trace' if subject == 't' else subject}"
        if subject[0] == "p":
            profiles: tuple[Profile, ...] = (
                (self._trace.profiles[int(subject[1:])],) if int(subject[1:]) < len(self._trace.profiles) else ()
            )
            if not profiles:
                return NOTHING
        else:
            profiles = self._trace.profiles
        if measure in ("busy", "waiting", "idle") and subject[0] == "p":
            spent = thread_time(self._trace, profiles[0])
            return (
                NO_MEASURE
                if spent is None
                else Value(float(getattr(spent, measure)), Dimension.TIME, what, scope_total=float(spent.length))
            )
        if measure == "duration" and subject[0] == "p" and (spent := thread_time(self._trace, profiles[0])):
            return Value(float(spent.length), Dimension.TIME, what)
        if measure == "threads" and subject == "t":
            return Value(float(sum(stands_for_thread(self._trace, one) for one in profiles)), Dimension.COUNT, what)
        if measure == "duration" and subject == "t":
            length = duration_ns(self._trace)
            return NO_MEASURE if length is None else Value(float(length), Dimension.TIME, what)
        if measure == "samples" and subject[0] in "pt":
            counted = sum(len(one.samples) for one in profiles if one.samples is not None)
            return Value(float(counted), Dimension.COUNT, what) if counted else NO_MEASURE
        scope = self._scope(subject)
        if isinstance(scope, Unknown):
            return scope
        return self._of_selection(scope, measure, what, scope.thread() if subject[0] == "w" else None)

    def _of_selection(self, scope: _Scope, measure: str, what: str, place: Place | None) -> Value | Unknown:
        chosen, window = scope.looked.chosen, scope.looked.window
        if measure == "total":
            return Value(float(scope.total), OF_UNIT[chosen.unit], what, place=place)
        start, end = (chosen.axis_start, chosen.axis_end) if window is None else (window.start, window.end)
        moments = {"start": start - chosen.axis_start, "end": end - chosen.axis_start, "duration": end - start}
        if measure in moments and chosen.has_times:
            return Value(float(moments[measure]), OF_UNIT[chosen.axis], what, place=place)
        return NO_MEASURE
