"""Sessions of people at a terminal: made and renewed with a project's Auth, kept in the system's keyring."""
