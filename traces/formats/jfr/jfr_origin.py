"""What a flight recording says of its run: the JVM, and the properties that are listed. Of the command
only the program's name is kept: its arguments may be secrets.
"""

from collections.abc import Mapping
from typing import Any

from traces.origin import GIVEN, Origin

JVM = "jdk.JVMInformation"
PROPERTY = "jdk.InitialSystemProperty"
OF_THE_RUN = frozenset({JVM, PROPERTY})
PREFIX = "flamechat."
"""Of a property that a person sets for us: `-Dflamechat.commit=4f2a1c0`."""


def read_origin(name: str, event: Mapping[str, Any], origin: Origin) -> None:
    """Keep what an event of OF_THE_RUN says."""
    if name == JVM:
        origin.says("runtime", event.get("jvmName"))
        return
    key, value = event.get("key"), event.get("value")
    if not isinstance(key, str) or not isinstance(value, str):
        return
    if key == "sun.java.command":
        origin.says("program", _program(value))
    elif key == "os.name":
        origin.says("platform", value)
    elif key.removeprefix(PREFIX) in GIVEN and key.startswith(PREFIX):
        origin.says(key.removeprefix(PREFIX), value)


def _program(command: str) -> str | None:
    """The main class, or the name of a jar without its folder."""
    words = command.split(maxsplit=1)
    return words[0].replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".jar") if words else None
