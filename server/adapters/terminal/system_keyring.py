"""The keyring of the system, where there is one that keeps anything."""

import keyring
from keyring.errors import KeyringError

SERVICE = "flamechat"

FAILURES = (KeyringError, OSError, RuntimeError, ValueError)
"""What back ends raise: a keyring that stays locked, a bus that is not there."""


class SystemKeyring:
    """Texts by name, under one service."""

    def __init__(self) -> None:
        self._keyring = keyring.get_keyring()

    @property
    def is_there(self) -> bool:
        """False where the package has found none, or is set to use none."""
        return float(self._keyring.priority) > 0

    @property
    def name(self) -> str:
        """As the package calls it."""
        return self._keyring.name

    def get(self, name: str) -> str | None:
        """The text; None where there is none, or it cannot be had."""
        try:
            return self._keyring.get_password(SERVICE, name)
        except FAILURES:
            return None

    def put(self, name: str, text: str) -> bool:
        """Whether it was kept."""
        try:
            self._keyring.set_password(SERVICE, name, text)
        except FAILURES:
            return False
        return self.get(name) == text

    def remove(self, name: str) -> None:
        """What cannot be removed is not there, or cannot be had by us."""
        try:
            self._keyring.delete_password(SERVICE, name)
        except FAILURES:
            return
