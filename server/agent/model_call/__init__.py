"""One call of a language model: the port to it, its stream, what is tried when it fails, what it costs."""
