"""What models cost, from a file that whoever runs the server writes: no price is known here.

["a-model"]            # US dollars for a million tokens
input = 1.25
cached_input = 0.125   # optional: what the provider had read before
output = 10.0
"""

import hashlib
import tomllib
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from server.agent.model_call.chat_model import Price
from server.errors import ConfigError

VERSION_DIGITS = 12
"""Of the hash of a list of prices: enough that no two versions share them."""

_Dollars = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class _Row(BaseModel):
    model_config = ConfigDict(extra="forbid")

    input: _Dollars
    output: _Dollars
    cached_input: _Dollars | None = None


_TABLE = TypeAdapter(dict[str, _Row])


def read_prices(path: Path | None) -> dict[str, Price]:
    """Prices by model, their version the beginning of the file's SHA-256; none without a file. Raises
    ConfigError, which names the row."""
    if path is None:
        return {}
    try:
        written = path.read_text(encoding="utf-8")
        table = _TABLE.validate_python(tomllib.loads(written))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ConfigError(f"The prices in {path} cannot be used: {place}: {first['msg']}.") from None
    except (OSError, ValueError) as error:
        raise ConfigError(f"The prices in {path} cannot be read: {error}.") from error
    version = hashlib.sha256(written.encode()).hexdigest()[:VERSION_DIGITS]
    return {
        name: Price(input=row.input, output=row.output, cached_input=row.cached_input, version=version)
        for name, row in table.items()
    }
