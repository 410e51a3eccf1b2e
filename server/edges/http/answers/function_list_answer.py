"""Functions by self or total value, as JSON values."""

from dataclasses import asdict, fields, replace
from operator import attrgetter
from typing import Any, Literal

from server.agent.tools.contract.transforming import changed_by, refuse_inverting
from server.edges.former_names import with_former_names
from traces.analysis.functions import FunctionRow, FunctionTable, top_functions
from traces.handles import profile_at
from traces.model import Trace
from traces.transforms.vocabulary import parsed_transforms


def functions_json(
    trace: Trace,
    profile: int | None,
    transforms: str | None,
    *,
    sort_by: Literal["self", "total"],
    limit: int,
    offset: int,
) -> dict[str, Any]:
    """A question for a worker: the rows of a table of functions. Raises TraceError."""
    steps = refuse_inverting(parsed_transforms(transforms))
    changed = changed_by(trace, steps, None if profile is None else profile_at(trace, profile).handle)
    table = top_functions(changed.trace, profile=changed.profile, sort_by=sort_by, limit=limit, offset=offset)
    done = {} if changed.left is None else {"transforms": changed.as_json()}
    answer: dict[str, Any] = _camel(with_former_names(_fields(table)) | done)
    return answer | {"rows": [_row(row) for row in table.rows]}


def _fields(table: FunctionTable) -> dict[str, Any]:
    return asdict(replace(table, rows=()))


def _row(row: FunctionRow) -> dict[str, Any]:
    """Field by field: `asdict` and the renaming of its keys took 100 of the 120 ms of a table of 2,000 rows. Durations
    of calls, which have fields of their own, are not asked for here.
    """
    return dict(zip(_ROW_NAMES, _ROW_VALUES(row), strict=True))


def _camel(value: Any) -> Any:
    if isinstance(value, dict):
        return {_camel_name(name): _camel(inner) for name, inner in value.items()}
    return [_camel(inner) for inner in value] if isinstance(value, list | tuple) else value


def _camel_name(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(part.capitalize() for part in others)


_ROW_FIELDS = [field.name for field in fields(FunctionRow)]
_ROW_NAMES = [_camel_name(name) for name in _ROW_FIELDS]
_ROW_VALUES = attrgetter(*_ROW_FIELDS)
