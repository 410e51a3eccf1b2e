"""What a command's words say of the program that is run."""

import pytest

from server.recording.command import Command, interpreter_of, shim_manager


@pytest.mark.parametrize(
    ("argv", "program"),
    [
        (("/usr/bin/python3", "src/app.py", "x"), "app.py"),
        (("/usr/bin/python3", "-m", "http.server"), "http.server"),
        (("/usr/bin/python3", "-c", "pass"), "python -c"),
        (("/usr/bin/node", "--trace-gc", "src/app.js"), "app.js"),
        (("/usr/bin/node", "--require", "./hook.js", "src/app.js"), "app.js"),
        (("/usr/bin/node", "-e", "login('hunter2')"), "node -e"),
        (("/usr/bin/node", "--eval=login('hunter2')"), "node --eval"),
        (("/usr/bin/ruby", "-I", "lib", "app.rb"), "app.rb"),
        (("/usr/bin/ruby", "-e", "login 'hunter2'"), "ruby -e"),
        (("/usr/bin/php", "-d", "x=1", "app.php"), "app.php"),
        (("/usr/bin/php", "-r", "login('hunter2');"), "php -r"),
        (("/opt/tool", "--flag"), "tool"),
    ],
)
def test_a_program_is_called_by_what_people_call_it(argv: tuple[str, ...], program: str) -> None:
    assert Command(argv=argv).program == program


@pytest.mark.parametrize(
    ("head", "words"),
    [
        (b"#!/usr/bin/python3\nprint()", ("/usr/bin/python3",)),
        (b"#!/usr/bin/env python3\n", ("python3",)),
        (b"#! /usr/bin/env -S node --no-warnings\n", ("node", "--no-warnings")),
        (b"#!/bin/sh -eu\n", ("/bin/sh", "-eu")),
        (b"\x7fELF", ()),
        (b"", ()),
        (b"#!\n", ()),
    ],
)
def test_a_scripts_first_line_names_its_interpreter(head: bytes, words: tuple[str, ...]) -> None:
    assert interpreter_of(head) == words


@pytest.mark.parametrize(
    ("script", "manager"),
    [
        (
            b'#!/usr/bin/env bash\nset -e\nexec "/opt/pyenv/libexec/pyenv" exec "$program" "$@"\n',
            "/opt/pyenv/libexec/pyenv",
        ),
        (b'#!/usr/bin/env bash\nexec "/opt/my tools/bin/rbenv" exec "$program" "$@"\n', "/opt/my tools/bin/rbenv"),
        (
            b'#!/usr/bin/env bash\n# asdf-plugin: nodejs 20\nexec /opt/asdf/bin/asdf exec "node" "$@"\n',
            "/opt/asdf/bin/asdf",
        ),
        (b'#!/bin/sh\nexec "/usr/bin/env" exec "$@"\n', None),
        (b'#!/bin/sh\n# exec "pyenv" exec "$program"\n', None),
        (b"#!/bin/sh\necho hello\n", None),
    ],
)
def test_a_shim_names_its_version_manager(script: bytes, manager: str | None) -> None:
    assert shim_manager(script) == manager
