"""An encoder that another process can load by its name."""

from server.adapters.embedding.encoder_process import Encode


def load() -> Encode:
    """Vectors of the texts' lengths."""
    return lambda texts: [[float(len(text)), 1.0] for text in texts]
