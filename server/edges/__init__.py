"""Where requests come in: `ws` (the conversation), `http` (traces, sessions, pictures, the page), `cli` (the
terminal)."""
