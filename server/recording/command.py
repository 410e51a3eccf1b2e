"""A command as it is run, and the words of it that say which program it is."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

_PYTHON = re.compile(r"(?:python|pypy)(?:\d+(?:\.\d+)*t?)?(?:\.exe)?")
_PHP = re.compile(r"php(?:\d+(?:\.\d+)?)?(?:\.exe)?")
_WITH_VALUE = {"-W", "-X", "--check-hash-based-pycs"}
"""Python's own options that take the next word as their value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """`argv` begins with the file that is run, as an absolute path: for a script with a `#!` line, its interpreter."""

    argv: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name of the file that is run, such as `node`."""
        return PurePath(self.argv[0]).name.lower()

    @property
    def program(self) -> str:
        """What people call the program: the script or module of an interpreter, else the file's name."""
        call = python_call(self)
        if call is not None:
            return "python -c" if call.kind == "-c" else PurePath(call.target).name
        options = next((options for names, options in _INTERPRETERS if names.fullmatch(self.name)), None)
        return self.name if options is None else _script_of(self, options)


INTERPRETERS = frozenset({"node", "nodejs", "ruby"})


@dataclass(frozen=True, slots=True)
class _Options:
    """An interpreter's options that take the next word as their value, and those whose value is code."""

    with_value: frozenset[str]
    code: frozenset[str]


def _options(with_value: str, code: str) -> _Options:
    return _Options(frozenset(with_value.split()), frozenset(code.split()))


_INTERPRETERS = (
    (
        re.compile(r"node(?:js)?"),
        _options("-r --require --import -C --conditions --loader --experimental-loader", "-e --eval -p --print -pe"),
    ),
    (re.compile(r"ruby"), _options("-I -r -C", "-e -ne -pe")),
    (_PHP, _options("-d -c -z -t", "-r --run")),
)
"""Programs that are called by their script's name."""


def _script_of(command: Command, options: _Options) -> str:
    """Code in place of a script is no name: it may have a secret in it."""
    words = iter(command.argv[1:])
    for word in words:
        if word.partition("=")[0] in options.code:
            return f"{command.name} {word.partition('=')[0]}"
        if word in options.with_value:
            next(words, None)
        elif not word.startswith("-"):
            return PurePath(word).name
    return command.name


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonCall:
    """A call of Python: its own options, then a script's path, `-m` with a module or `-c` with code (`kind` is "" for
    a script), then the program's arguments.
    """

    options: tuple[str, ...]
    kind: str
    target: str
    arguments: tuple[str, ...]


def is_python(command: Command) -> bool:
    """Whether it is Python that runs."""
    return _PYTHON.fullmatch(command.name) is not None


def is_php(command: Command) -> bool:
    """Whether it is PHP that runs."""
    return _PHP.fullmatch(command.name) is not None


def python_call(command: Command) -> PythonCall | None:
    """The parts of a call of Python; None for another program, and where Python reads its program from stdin."""
    if not is_python(command):
        return None
    words = command.argv[1:]
    options: list[str] = []
    at = 0
    while at < len(words):
        word, rest = words[at], words[at + 1 :]
        if not word.startswith("-"):
            return PythonCall(options=tuple(options), kind="", target=word, arguments=rest)
        if word == "-":
            return None
        letter = _target_letter(word)
        if letter is not None:
            flags, value = word[: word.index(letter)], word[word.index(letter) + 1 :]
            given = (value, *rest) if value else rest
            if not given:
                return None
            kept = (flags,) if flags != "-" else ()
            return PythonCall(options=(*options, *kept), kind=f"-{letter}", target=given[0], arguments=given[1:])
        options.append(word)
        if word in _WITH_VALUE and rest:
            options.append(rest[0])
            at += 1
        at += 1
    return None


def _target_letter(word: str) -> str | None:
    """`m` or `c` where one of a word's joined flags names the program, as in `-Im`."""
    if word.startswith("--") or word[:2] in _WITH_VALUE:
        return None
    return next((letter for letter in word[1:] if letter in "mc"), None)


def interpreter_of(head: bytes) -> tuple[str, ...]:
    """The words of a file's `#!` line without `env`; none where it has no such line."""
    if not head.startswith(b"#!"):
        return ()
    words = head[2:].split(b"\n", 1)[0].decode("utf-8", "surrogateescape").split()
    if words and PurePath(words[0]).name == "env":
        words = words[2:] if words[1:2] == ["-S"] else words[1:]
    return tuple(words)


_SHIM = re.compile(rb'^exec (?:"([^"\n]+)"|(\S+)) exec ', re.MULTILINE)
_VERSION_MANAGER = re.compile(r"[a-z]+env|asdf")


def shim_manager(script: bytes) -> str | None:
    """The version manager (pyenv, rbenv, nodenv, asdf and their like) whose shim a shell script is; None for another.

    A shim carries the name of a program and runs the version of it that is chosen for a folder:
    `exec "/opt/pyenv/libexec/pyenv" exec "$program" "$@"`.
    """
    found = _SHIM.search(script)
    if found is None:
        return None
    manager = os.fsdecode(found[1] or found[2])
    return manager if _VERSION_MANAGER.fullmatch(PurePath(manager).name) else None


def unwrapped(argv: Sequence[str], interpreter: Sequence[str]) -> tuple[str, ...]:
    """The words of a script's call with its interpreter in front, as the system runs it."""
    return (*interpreter, *argv)
