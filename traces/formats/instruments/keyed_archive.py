"""Objects that Apple's NSKeyedArchiver wrote into a binary property list."""

import plistlib
from typing import Any

ARCHIVER, VERSION = "NSKeyedArchiver", 100_000


class BrokenArchive(ValueError):
    """Bytes that are no keyed archive, or one that lacks what is asked for."""


class KeyedArchive:
    """`top` names the outermost objects. Objects refer to each other by number; `at` follows such a reference."""

    def __init__(self, data: bytes) -> None:
        """Raises BrokenArchive."""
        try:
            root = plistlib.loads(data, fmt=plistlib.FMT_BINARY)
        except (plistlib.InvalidFileException, RecursionError) as error:
            raise BrokenArchive("it is no binary property list") from error
        if not isinstance(root, dict) or root.get("$archiver") != ARCHIVER or root.get("$version") != VERSION:
            raise BrokenArchive("it is no keyed archive")
        objects, top = root.get("$objects"), root.get("$top")
        if not isinstance(objects, list) or not isinstance(top, dict):
            raise BrokenArchive("it is no keyed archive")
        self._objects: list[Any] = objects
        self.top: dict[str, Any] = top

    def at(self, value: Any) -> Any:
        """The object that a reference means; other values are themselves, the null object is None."""
        if not isinstance(value, plistlib.UID):
            return value
        if value.data >= len(self._objects):
            raise BrokenArchive("it refers to an object that it does not hold")
        found = self._objects[value.data]
        return None if found == "$null" else found

    def text(self, value: Any) -> str | None:
        """A string, however it was written."""
        found = self.at(value)
        if isinstance(found, dict):
            found = self.at(found.get("NS.string", found.get("NS.bytes")))
        if isinstance(found, bytes):
            found = found.decode("utf-8", "replace").rstrip("\0")
        return found if isinstance(found, str) else None

    def number(self, value: Any) -> int | None:
        """An integer, or None."""
        found = self.at(value)
        return found if isinstance(found, int) and not isinstance(found, bool) else None

    def members(self, value: Any) -> list[Any]:
        """The elements of an array, references followed; of a dictionary its keys."""
        found = self.at(value)
        if not isinstance(found, dict):
            raise BrokenArchive("it lacks a list")
        numbered = (found[f"NS.object.{at}"] for at in range(len(found)) if f"NS.object.{at}" in found)
        listed = found.get("NS.keys", found.get("NS.objects"))
        return [self.at(element) for element in (numbered if listed is None else listed)]

    def items(self, value: Any) -> list[tuple[Any, Any]]:
        """The keys and values of a dictionary, references followed."""
        found = self.at(value)
        if not isinstance(found, dict):
            raise BrokenArchive("it lacks a dictionary")
        if "NS.keys" in found:
            pairs = list(zip(found["NS.keys"], found.get("NS.objects", ()), strict=False))
        else:
            count = range(len(found))
            pairs = [(found[f"NS.key.{at}"], found.get(f"NS.object.{at}")) for at in count if f"NS.key.{at}" in found]
        return [(self.at(key), self.at(element)) for key, element in pairs]
