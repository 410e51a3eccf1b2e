"""What people read where the compiled kernels are not in use and the plain reference reads in their place."""

from traces.analysis.units import format_value
from traces.bounds import MAX_REFERENCE_BYTES
from traces.errors import TraceTooLarge
from traces.kernels.library import SWITCH, kernels_available
from traces.values import Unit

SWITCHED_OFF = f"Leave out {SWITCH}=off to have them."
NOT_BUILT = (
    "To have them, install Flamechat again where a C compiler is (gcc or clang) or a package index can be reached, "
    "or install its wheel."
)


def missing_kernels() -> str | None:
    """That the kernels are missing, why, what that costs, and how to get them; None where they are in use."""
    found = kernels_available()
    if found.available:
        return None
    limit = format_value(MAX_REFERENCE_BYTES, Unit.BYTES)
    how = SWITCHED_OFF if found.reason.startswith(SWITCH) else NOT_BUILT
    return (
        f"The compiled kernels are not in use: {found.reason}. "
        f"Traces are read by the plain Python reference, slowly, up to {limit}. {how}"
    )


def refuse_too_large_for_reference(content_bytes: int, name: str) -> None:
    """Raises TraceTooLarge for a content that the reference does not read within a worker's limits."""
    if content_bytes > MAX_REFERENCE_BYTES and (missing := missing_kernels()) is not None:
        raise TraceTooLarge(f"{name}: its content is {format_value(content_bytes, Unit.BYTES)} large. {missing}")
