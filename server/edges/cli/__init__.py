"""The terminal: `main` builds the commands from `doors`, one module a command. Each imports only what it needs."""
