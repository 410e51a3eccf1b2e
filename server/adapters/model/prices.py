"""What models cost, from a file that whoever runs the server writes: no price is known here.

["a-model"]            # US dollars for a million tokens
input = 1.25
cached_input = 0.125   # optional: what the provider had read before
output = 10.0
"""

import tomllib
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from server.agent.model_call.chat_model import Price
from server.errors import ConfigError

_Dollars = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class _Row(BaseModel):
    model_config = ConfigDict(extra="forbid")

    input: _Dollars
    output: _Dollars
    cached_input: _Dollars | None = None


_TABLE = TypeAdapter(dict[str, _Row])


def read_prices(path: Path | None) -> dict[str, Price]:
    """Prices by model; empty without a file. Raises ConfigError, which names the row."""
    if path is None:
        return {}
    try:
        table = _TABLE.validate_python(tomllib.loads(path.read_text(encoding="utf-8")))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ConfigError(f"The prices in {path} cannot be used: {place}: {first['msg']}.") from None
    except (OSError, ValueError) as error:
        raise ConfigError(f"The prices in {path} cannot be read: {error}.") from error
    return {
        name: Price(input=row.input, output=row.output, cached_input=row.cached_input) for name, row in table.items()
    }
