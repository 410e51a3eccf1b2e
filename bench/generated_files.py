"""Files of text formats in any size, as their tools write them: many names, files and addresses, from fixed seeds.

What grows with the size is what grows in a recording: a longer one has more lines, a larger program more functions.
"""

import random
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.generated_json import evented_speedscope, gecko, sampled_speedscope
from bench.generated_names import WORDS, stacks

FUNCTIONS_PER_MB = 1_500
"""Of callgrind's: Firefox's 90,000 functions are 60 MB."""
PHP_FUNCTIONS = 4_000
"""Of a shop's page; xdebug writes every call of them."""


class _Ids:
    """Callgrind's compressed names: in full once, then by number."""

    def __init__(self, names: list[str]) -> None:
        self._names = names
        self._known: set[int] = set()

    def __getitem__(self, index: int) -> str:
        if index in self._known:
            return f"({index + 1})"
        self._known.add(index)
        return f"({index + 1}) {self._names[index]}"


def _name(rnd: random.Random, number: int) -> str:
    one, two, three, four = (rnd.choice(WORDS) for _ in range(4))
    return f"{one}_{two}::{three}{number}(std::vector<{four}> const&, unsigned long)"


def callgrind(megabytes: float) -> Iterator[str]:
    """A large C++ program: inlined files, calls between libraries, three events."""
    rnd = random.Random(7)
    functions = max(50, int(megabytes * FUNCTIONS_PER_MB))
    names = _Ids([_name(rnd, number) for number in range(functions)])
    places = [f"/usr/src/app-{rnd.randrange(9)}/src/{rnd.choice(WORDS)}/part_{n}.cc" for n in range(functions // 8)]
    files, libraries = _Ids(places), _Ids([f"/usr/lib/x86_64-linux-gnu/lib{word}.so.{len(word)}" for word in WORDS])
    home = [(rnd.randrange(len(places)), rnd.randrange(len(WORDS))) for _ in range(functions)]
    yield "# callgrind format\nversion: 1\ncreator: callgrind-3.22.0\npositions: line\nevents: Ir Dr Dw\n\n"
    number = 0
    while True:
        function = number % functions
        number += 1
        file, library = home[function]
        lines = [f"ob={libraries[library]}", f"fl={files[file]}", f"fn={names[function]}"]
        line = rnd.randrange(10, 3_000)
        for _ in range(rnd.randrange(2, 14)):
            line += rnd.randrange(6)
            lines.append(f"{line} {rnd.randrange(1, 90_000)} {rnd.randrange(30_000)} {rnd.randrange(9_000)}")
            if rnd.random() < 0.15:
                lines += [
                    f"fi={files[rnd.randrange(len(places))]}",
                    f"{line} {rnd.randrange(900)}",
                    f"fe={files[file]}",
                ]
            if rnd.random() < 0.35:
                callee = min(functions - 1, function + 1 + int(rnd.expovariate(1 / 40)))
                if home[callee][1] != library:
                    lines.append(f"cob={libraries[home[callee][1]]}")
                lines += [
                    f"cfi={files[home[callee][0]]}",
                    f"cfn={names[callee]}",
                    f"calls={rnd.randrange(1, 5_000)} {line}",
                ]
                lines.append(f"{line} {rnd.randrange(9_000_000)} {rnd.randrange(3_000_000)} {rnd.randrange(900_000)}")
        yield "\n".join(lines) + "\n\n"


def xdebug(_: float) -> Iterator[str]:
    """A page of a shop: every call a block, time and memory."""
    rnd = random.Random(5)
    names = _Ids([f"App\\Service\\Part{n % 211}->{rnd.choice(WORDS)}{n}" for n in range(PHP_FUNCTIONS)])
    files = _Ids([f"/var/www/shop/src/Service/{n % 900}/Class{n}.php" for n in range(PHP_FUNCTIONS)])
    yield "version: 1\ncreator: xdebug 3.3.1 (PHP 8.3.4)\ncmd: index.php\npart: 1\npositions: line\n\n"
    yield "events: Time_(10ns) Memory_(bytes)\n\n"
    while True:
        function = int(PHP_FUNCTIONS * rnd.random() ** 2)
        lines = [f"fl={files[function]}", f"fn={names[function]}", f"{rnd.randrange(900)} {rnd.randrange(4_000)} 96"]
        for _ in range(rnd.choice((0, 0, 0, 1, 1, 2, 4))):
            callee = min(PHP_FUNCTIONS - 1, function + 1 + rnd.randrange(60))
            lines += [f"cfl={files[callee]}", f"cfn={names[callee]}", "calls=1 0 0"]
            lines.append(f"{rnd.randrange(900)} {rnd.randrange(90_000)} {rnd.randrange(90_000)}")
        yield "\n".join(lines) + "\n\n"


def collapsed(_: float) -> Iterator[str]:
    """Python's functions with their files; almost every stack is another."""
    rnd = random.Random(3)
    names = [f"{rnd.choice(WORDS)}_{n} (/srv/app/{rnd.choice(WORDS)}/{rnd.choice(WORDS)}.py:{n})" for n in range(3_000)]
    for stack in stacks(rnd, names):
        yield f"{';'.join(stack)} {rnd.randrange(1, 50)}\n"


def collapsed_of_names(_: float) -> Iterator[str]:
    """Identifiers and addresses as names: none stands twice."""
    rnd = random.Random(3)
    number = 0
    while True:
        number += 1
        yield f"main;request-{number:x};query-{rnd.getrandbits(32):08x}-{number:x} {rnd.randrange(1, 9)}\n"


def perf_script(_: float) -> Iterator[str]:
    """Samples of several threads with addresses and offsets."""
    rnd = random.Random(2)
    symbols = [(_name(rnd, n), f"/usr/lib/lib{rnd.choice(WORDS)}.so") for n in range(4_000)]
    names = [f"{rnd.getrandbits(44) | 1 << 44:x} {name}+0x{rnd.randrange(4_000):x} ({file})" for name, file in symbols]
    time = 1_000.0
    for stack in stacks(rnd, names):
        time += rnd.random() / 500
        head = f"app {4_000} {rnd.choice((4_000, 4_001, 4_007))} [00{rnd.randrange(4)}] {time:.6f}:   1010101 cycles:"
        yield head.replace(" 4000 ", "  4000/", 1) + "\n" + "".join(f"\t{frame}\n" for frame in reversed(stack)) + "\n"


def trace_events(_: float) -> Iterator[str]:
    """Complete events with arguments on eight threads, in an array that breaks off, as tracers write it."""
    rnd = random.Random(1)
    names = [f"{rnd.choice(WORDS)}.{rnd.choice(WORDS)}_{n}" for n in range(5_000)]
    ends = [0] * 8
    yield "[\n"
    while True:
        thread, lasting = rnd.randrange(8), rnd.randrange(1, 900)
        begin = ends[thread] + rnd.randrange(20)
        ends[thread] = begin + lasting
        for depth in range(rnd.randrange(1, 6)):
            shorter = max(1, lasting - 7 * depth)
            place = f'"pid":4711,"tid":{4_711 + thread},"ts":{begin}.{depth}25,"dur":{shorter}.5'
            said = f'"args":{{"id":{rnd.getrandbits(30)},"url":"/{rnd.choice(WORDS)}/{depth}"}}'
            yield f'{{"name":"{rnd.choice(names)}","cat":"app","ph":"X",{place},{said}}},\n'


GENERATED: dict[str, Callable[[float], Iterator[str]]] = {
    "callgrind.out": callgrind,
    "xdebug.out": xdebug,
    "collapsed.txt": collapsed,
    "names.collapsed.txt": collapsed_of_names,
    "perf.txt": perf_script,
    "trace-events.json": trace_events,
    "gecko.json": gecko,
    "sampled.speedscope.json": sampled_speedscope,
    "evented.speedscope.json": evented_speedscope,
}
COMPLETE = (gecko, sampled_speedscope, evented_speedscope)
"""Those that end by themselves, when they have written about so much."""


def write(name: str, megabytes: float, target: Path) -> None:
    """A file of about that size."""
    written, generated = 0, GENERATED[name]
    with target.open("w", encoding="utf-8") as out:
        for piece in generated(megabytes):
            written += out.write(piece)
            if written >= megabytes * 1e6 and generated not in COMPLETE:
                return
