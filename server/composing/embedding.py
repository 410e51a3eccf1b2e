"""The embedders of the settings."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Literal

from server.errors import ConfigError
from server.ports.embedder import Embedder
from server.settings import Settings


@asynccontextmanager
async def embedders_of(settings: Settings) -> AsyncIterator[tuple[Embedder, ...]]:
    """The one that makes vectors, and after it those of which vectors may still be there; none where memories are found
    by their words. Nothing is loaded before the first text. Raises ConfigError."""
    made = chosen(settings)
    try:
        yield made
    finally:
        for one in made:
            await one.close()


def chosen(settings: Settings) -> tuple[Embedder, ...]:
    """As `embedders_of`. Raises ConfigError."""
    from server.adapters.embedding.local_encoders import has_sentence_encoder, onnx_folder, sentence_encoder

    if settings.memory == "off" or settings.embedder == "none":
        return ()
    kind = _kind(settings, has_encoder=has_sentence_encoder())
    if kind == "none":
        return ()
    if kind == "encoder":
        if not has_sentence_encoder():
            raise ConfigError("FLAMECHAT_EMBEDDER is encoder, and it is not installed: install flamechat[memory].")
        return (sentence_encoder(),)
    if kind == "folder":
        if settings.embedding_dir is None:
            raise ConfigError("FLAMECHAT_EMBEDDER is folder: FLAMECHAT_EMBEDDING_DIR names the folder.")
        first: Embedder = onnx_folder(settings.embedding_dir)
    else:
        if settings.embedding_model is None:
            raise ConfigError("FLAMECHAT_EMBEDDER is service: FLAMECHAT_EMBEDDING_MODEL names the model.")
        from server.adapters.embedding.openai_embeddings import OpenAIEmbedder

        key = settings.openai_api_key
        first = OpenAIEmbedder(
            model=settings.embedding_model,
            base_url=settings.embedding_base_url or settings.model_base_url,
            api_key=None if key is None else key.get_secret_value(),
        )
    return (first, sentence_encoder()) if has_sentence_encoder() else (first,)


def _kind(settings: Settings, *, has_encoder: bool) -> Literal["encoder", "folder", "service", "none"]:
    """What is asked for; by itself the first of a service, a folder and the encoder that is there."""
    if settings.embedder != "auto":
        return settings.embedder
    if settings.embedding_model:
        return "service"
    if settings.embedding_dir:
        return "folder"
    return "encoder" if has_encoder else "none"
