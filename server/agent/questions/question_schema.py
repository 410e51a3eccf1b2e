"""The closed schema of a question over many recordings: what is measured, in which runs, in which form."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from server.errors import BadRequest

Name = Annotated[str, Field(min_length=1, max_length=500)]
Label = Annotated[str, Field(pattern=r"^[a-z0-9_.-]{1,40}:.{1,200}$")]
Value = Literal["self", "total", "self_share", "total_share", "calls", "share", "value"]
OF_KIND: dict[str, tuple[Value, ...]] = {
    "function": ("self", "total", "self_share", "total_share", "calls"),
    "finding": ("share",),
    "figure": ("value",),
}


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class Measure(_Part):
    """`file` where functions of several files have the name; `value` of a function is its self time unless said."""

    kind: Literal["function", "finding", "figure"]
    name: Name
    file: Name | None = None
    value: Value | None = None

    @property
    def shown(self) -> Value:
        """Which value is asked for."""
        return self.value or OF_KIND[self.kind][0]


class Runs(_Part):
    """Recordings with all of the labels, of a program, uploaded since a moment; from the first with a label on; the
    newest of them."""

    program: Name | None = None
    labels: Annotated[dict[str, str], Field(max_length=32)] = {}
    since: datetime | None = None
    starting: Label | None = None
    last: Annotated[int, Field(ge=1, le=1_000)] | None = None


class Series(_Part):
    """A measure by time, or by the values of a label, the newest so many of them."""

    form: Literal["series"]
    measure: Measure
    runs: Runs = Runs.model_construct()
    by: Annotated[str, Field(pattern=r"^[a-z0-9_.-]{1,40}$")] | None = None
    last: Annotated[int, Field(ge=1, le=1_000)] | None = None


class Recurrence(_Part):
    """In which runs a finding is there, or a function has a share above a bound (0.05: five percent)."""

    form: Literal["recurrence"]
    measure: Measure
    runs: Runs = Runs.model_construct()
    above: Annotated[float, Field(ge=0, le=1)] | None = None


class Comparison(_Part):
    """A measure in two groups of runs; without one, which functions changed, and everything together."""

    form: Literal["compare"]
    measure: Measure | None = None
    before: Runs
    after: Runs


class PathStep(_Part):
    """A function; `file` where only that of one file is meant."""

    name: Name
    file: Name | None = None


class CallPath(_Part):
    """How many calls of the first function go on to the others in turn; of one trace, or of recordings."""

    form: Literal["path"]
    steps: Annotated[tuple[PathStep, ...], Field(min_length=2, max_length=6)]
    trace: UUID | None = None
    runs: Runs = Runs.model_construct()


class SqlQuery(_Part):
    """One SELECT over a trace's tables, or over those of recordings (lib.traces and its kin), which are narrowed to
    `runs`, and of functions to these names, before they are read."""

    form: Literal["sql"]
    sql: Annotated[str, Field(min_length=1, max_length=8_000)]
    trace: UUID | None = None
    runs: Runs = Runs.model_construct()
    functions: Annotated[tuple[Name, ...], Field(max_length=20)] = ()


OverRuns = Series | Recurrence | Comparison | CallPath
Question = OverRuns | SqlQuery
_QUESTION: TypeAdapter[Question] = TypeAdapter(
    Annotated[Question, Field(discriminator="form")], config=ConfigDict(defer_build=True)
)
_LISTED_ERRORS = 4


def question_of(written: Any) -> Question:
    """The question behind plain values. Raises BadRequest, naming each wrong part."""
    try:
        return _QUESTION.validate_python(written)
    except ValidationError as error:
        wrong = [
            f"{'.'.join(str(part) for part in one['loc']) or 'question'}: {one['msg']}"
            for one in error.errors(include_url=False, include_input=False)[:_LISTED_ERRORS]
        ]
        raise BadRequest(f"This is no question over recordings. {'; '.join(wrong)}", field="question") from None


def as_json(question: Question) -> dict[str, Any]:
    """The question as it can be sent again, without what was not said."""
    return question.model_dump(mode="json", exclude_defaults=True) | {"form": question.form}


def json_schema() -> dict[str, Any]:
    """The closed schema as an object that a model can be bound to: it holds the question."""
    schema = _QUESTION.json_schema()
    definitions = schema.pop("$defs", {})
    return {
        "type": "object",
        "properties": {"question": schema},
        "required": ["question"],
        "additionalProperties": False,
        "$defs": definitions,
    }
