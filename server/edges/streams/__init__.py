"""Other clients' streams: a turn in the frames of AI SDK, of assistant-ui's data stream and of AG-UI. Each protocol is
one module; none of their words is known further inside."""
