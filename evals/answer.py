"""What a condition answered, as graders and the table see it."""

from dataclasses import dataclass

from server.agent.verification.references.figure_links import without_addresses
from server.protocol.wire_values import Check, Citation


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """`text` is what the tool said, empty when it failed."""

    tool: str
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """`error` says why there is no text. Token counts are None when the provider does not say."""

    text: str
    checks: tuple[Check, ...] = ()
    citations: tuple[Citation, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    tool_rounds: int = 0
    input_tokens: int | None = None
    output_tokens: int | None = None
    with_tools: bool = True
    error: str | None = None

    @property
    def read(self) -> str:
        """The text as people read it, which is what is graded."""
        return without_addresses(self.text)
