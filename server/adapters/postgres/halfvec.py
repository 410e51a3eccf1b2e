"""Vectors as PostgreSQL's extension `vector` reads them."""

from typing import Any

from server.ports.memories import Vector


def written(vector: Vector) -> dict[str, Any]:
    """The parameters `model`, `dimensions` and `vector` of a statement."""
    numbers = "[" + ",".join(f"{value:.6g}" for value in vector.values) + "]"
    return {"model": vector.model, "dimensions": len(vector.values), "vector": numbers}
