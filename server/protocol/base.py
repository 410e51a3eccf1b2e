"""How every wire model behaves: frozen, camelCase outside, unknown fields refused on the way in."""

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

PROTOCOL_VERSION = 1


class WireModel(BaseModel):
    """A model's validator is built when the first of it is made: a command makes few of them."""

    model_config = ConfigDict(
        frozen=True,
        defer_build=True,
        alias_generator=to_camel,
        populate_by_name=True,
        extra="forbid",
        json_schema_serialization_defaults_required=True,
    )

    def to_wire(self) -> str:
        """One JSON text frame, camelCase."""
        return self.model_dump_json(by_alias=True)
