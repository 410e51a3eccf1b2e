"""Files that are no traces, written from fixed seeds: what people choose by mistake, and what looks like stacks."""

import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

PATHS = ("/", "/a/b;v=2", "/api/v1/items", "/index.php?x=1;y=2", "/static/app.js")
AGENTS = (
    "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0",
    "curl/8.5.0",
)
WORDS = {
    "English": "the war began; nobody knew why and in the end they counted only people who came back from it",
    "German": "der Krieg begann; niemand wusste warum und am Ende zählten sie nur jene die zurück kamen im Jahr",
    "French": "la guerre commença ; personne ne savait pourquoi et à la fin on compta ceux qui revinrent en",
    "Chinese": "战争开始了；没有人知道为什么 最后他们只数那些回来的人 那一年是",
}


def _address(chance: Random) -> str:
    return ".".join(str(chance.randrange(1, 255)) for _ in range(4))


def _clock(chance: Random) -> str:
    return f"{chance.randrange(24):02}:{chance.randrange(60):02}:{chance.randrange(60):02}"


def _nginx(chance: Random) -> str:
    path, agent = chance.choice(PATHS), chance.choice(AGENTS)
    start = f'{_address(chance)} - - [22/Nov/2026:{_clock(chance)} +0000] "GET {path} HTTP/1.1" 200'
    return f'{start} {chance.randrange(9_000)} "-" "{agent}" {chance.random():.3f}'


def _apache(chance: Random) -> str:
    start = f"{_address(chance)} - frank [22/Nov/2026:{_clock(chance)} +0000]"
    return f'{start} "GET {chance.choice(PATHS)} HTTP/1.0" 200 {chance.randrange(9_000)}'


def _iis(chance: Random) -> str:
    agent = chance.choice(AGENTS).replace(" ", "+")
    request = f"{_address(chance)} GET {chance.choice(PATHS)} - 80 - {agent}"
    return f"2026-11-22 {_clock(chance)} {request} 200 0 0 {chance.randrange(900)}"


def _haproxy(chance: Random) -> str:
    times = "/".join(str(chance.randrange(99)) for _ in range(5))
    start = f"Nov 22 {_clock(chance)} lb haproxy[14]: {_address(chance)}:33317"
    return f"{start} http-in static/srv1 {times} 200 {chance.randrange(9_000)}"


def _caddy(chance: Random) -> str:
    status = chance.choice((200, 404))
    return f"{_clock(chance)} INFO http.log.access handled request;{chance.choice(PATHS)};status {status}"


def _gunicorn(chance: Random) -> str:
    return f"{chance.choice(AGENTS)};{chance.choice(PATHS)} {chance.choice((200, 404))} {chance.random():.4f}"


def _ini(chance: Random) -> str:
    return chance.choice(
        (
            f"[section {chance.randrange(9)}]",
            f"; limit {chance.randrange(99)}",
            f"key{chance.randrange(99)} = a;b {chance.randrange(9)}",
        )
    )


def _csv(chance: Random) -> str:
    return f"{chance.randrange(999)};street {chance.randrange(99)};town {chance.randrange(9)};{chance.randrange(99)}"


def _csv_spaces(chance: Random) -> str:
    return f"2026-01-{chance.randrange(1, 29):02};shop {chance.randrange(9)};articles {chance.randrange(99)}"


def _markdown(chance: Random) -> str:
    return (
        chance.choice(("# Chapter", "- a point; with more", "```", "text that goes on; and on", "| a | b |"))
        + f" {chance.randrange(99)}"
    )


def _sql(chance: Random) -> str:
    return f"INSERT INTO items VALUES ({chance.randrange(999)}, 'a;b'); -- row {chance.randrange(99)}"


def _java_stack(chance: Random) -> str:
    return chance.choice(
        (
            f"java.lang.IllegalStateException: queue {chance.randrange(9)}",
            f"\tat com.app.Main.run(Main.java:{chance.randrange(900)})",
        )
    )


def _python_stack(chance: Random) -> str:
    return chance.choice(('  File "/app/main.py", line ', "Traceback; most recent call last ", "ValueError: ")) + str(
        chance.randrange(900)
    )


def _listing(chance: Random) -> str:
    return (
        f"-rw-r--r-- 1 root root {chance.randrange(99_999):6} Nov 22 {_clock(chance)[:5]} file;{chance.randrange(99)}"
    )


def _processes(chance: Random) -> str:
    return f"root {chance.randrange(9_999):5}  {chance.random():.1f}  0.1 sh -c a;b {chance.randrange(99)}"


def _commits(chance: Random) -> str:
    return f" src/file_{chance.randrange(99)}.c | {chance.randrange(99):4} ++--; {chance.randrange(9)}"


def _counts(chance: Random) -> str:
    return f"{chance.randrange(999):7} {chance.randrange(999):7} {chance.randrange(99_999):7}"


def _lisp(chance: Random) -> str:
    return f";; note {chance.randrange(99)}"


def _makefile(chance: Random) -> str:
    return f"target{chance.randrange(9)}: a b\n\tcc -o x; test $? -eq {chance.randrange(9)}"


def _prose(language: str) -> Callable[[Random], str]:
    def line(chance: Random) -> str:
        words = WORDS[language].split()
        said = " ".join(chance.choice(words) for _ in range(chance.randrange(5, 14)))
        return f"{said} {chance.randrange(1700, 2027)}"

    return line


KINDS: dict[str, Callable[[Random], str]] = {
    **{
        function.__name__.strip("_"): function
        for function in (
            *(
                _nginx,
                _apache,
                _iis,
                _haproxy,
                _caddy,
                _gunicorn,
                _ini,
                _csv,
                _csv_spaces,
                _markdown,
                _sql,
                _java_stack,
            ),
            *(_python_stack, _listing, _processes, _commits, _counts, _lisp, _makefile),
        )
    },
    **{f"prose in {language}": _prose(language) for language in WORDS},
}
TEXTS = {
    ".py",
    ".pyi",
    ".txt",
    ".md",
    ".rst",
    ".json",
    ".csv",
    ".toml",
    ".cfg",
    ".ini",
    ".h",
    ".c",
    ".js",
    ".html",
    ".css",
    ".sql",
    "",
}
LARGEST = 1 << 20


def written(count: int) -> Iterator[tuple[str, bytes]]:
    """So many files by the generators, of 1 to 200 lines, with the name of each."""
    for number in range(count):
        name, line = list(KINDS.items())[number % len(KINDS)]
        chance = Random(number)
        lines = (line(chance) for _ in range(chance.choice((1, 2, 3, 10, 200))))
        yield f"{name} {number}.txt", "\n".join(lines).encode() + b"\n"


def of_packages(count: int) -> Iterator[tuple[str, bytes]]:
    """So many text files of the packages that are installed here, spread evenly over all of them."""
    root = Path(sysconfig.get_path("purelib"))
    found = sorted(p for p in root.rglob("*") if p.suffix in TEXTS and p.is_file() and 0 < p.stat().st_size <= LARGEST)
    for path in found[:: max(1, len(found) // count)][:count]:
        yield str(path.relative_to(root)), path.read_bytes()
