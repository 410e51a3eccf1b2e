"""What check-config says of the embedder."""

from pathlib import Path

import pytest

from server.composing import checking_embedder
from server.composing.checking_embedder import embedder_outcome
from server.errors import ServiceUnavailable
from server.settings import load_settings
from server.testing.embedder import WordEmbedder


class Opened:
    """Stands for what opens the embedders of the settings."""

    def __init__(self, *embedders: WordEmbedder) -> None:
        self._embedders = embedders

    def __call__(self, _: object) -> "Opened":
        return self

    async def __aenter__(self) -> tuple[WordEmbedder, ...]:
        return self._embedders

    async def __aexit__(self, *_: object) -> None:
        return None


async def test_without_a_memory_or_an_embedder_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLAMECHAT_EMBEDDER", "none")
    sign, text = await embedder_outcome(load_settings(data=tmp_path))
    assert (sign, text.partition(":")[0]) == ("off", "none")
    monkeypatch.setenv("FLAMECHAT_MEMORY", "off")
    assert (await embedder_outcome(load_settings(data=tmp_path)))[1] == "nothing is remembered (FLAMECHAT_MEMORY)"


async def test_it_names_the_model_and_times_a_question(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = WordEmbedder("words-1")
    monkeypatch.setattr(checking_embedder, "embedders_of", Opened(embedder))
    sign, text = await embedder_outcome(load_settings(data=tmp_path))
    assert sign == "ok"
    assert text.startswith("words-1, 384 dimensions, ")
    assert embedder.asked == 2
    monkeypatch.setattr(checking_embedder, "PATIENCE_S", 0.0)
    assert (await embedder_outcome(load_settings(data=tmp_path)))[0] == "slow"
    embedder.fails = True
    with pytest.raises(ServiceUnavailable):
        await embedder_outcome(load_settings(data=tmp_path))
