"""Arguments without the trace's own names, for whoever may not learn them."""

import re
from typing import Any

from traces.model import Trace

SHORTEST = 4
"""Of a word that can give a program away."""

MASK = "[name]"
_WORD = re.compile(r"[^\W\d]\w*")


def masked(trace: Trace, arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments, each word that is part of a name, a file or a label of the trace replaced, in keys of objects
    too."""
    asked = {word for text in _texts(arguments) for word in _words(text)}
    known = {word for name in _names(trace) for word in _words(name)} & asked
    return {key: _without(value, known) for key, value in arguments.items()}


def _names(trace: Trace) -> list[str]:
    names = trace.frame_names
    files = {file for frame in range(len(names)) if (file := trace.frame_file(frame))}
    return [trace.name, *names, *files, *(one.name for one in trace.profiles)]


def _words(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text) if len(word) >= SHORTEST}


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for key, inner in value.items() for text in (key, *_texts(inner))]
    return [text for inner in value for text in _texts(inner)] if isinstance(value, list) else []


def _without(value: Any, known: set[str]) -> Any:
    if isinstance(value, str):
        return _WORD.sub(lambda found: MASK if found[0].lower() in known else found[0], value)
    if isinstance(value, dict):
        return {_without(key, known): _without(inner, known) for key, inner in value.items()}
    return [_without(inner, known) for inner in value] if isinstance(value, list) else value
