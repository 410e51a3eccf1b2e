"""How every wire model behaves: frozen, camelCase outside, unknown fields refused on the way in."""

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

PROTOCOL_VERSION = 1


class WireModel(BaseModel):
    """Built at import: FastAPI cannot use one as a body whose building is put off (pydantic warns at each request)."""

    model_config = ConfigDict(
        frozen=True,
        alias_generator=to_camel,
        populate_by_name=True,
        extra="forbid",
        json_schema_serialization_defaults_required=True,
    )

    def to_wire(self) -> str:
        """One JSON text frame, camelCase."""
        return self.model_dump_json(by_alias=True)
