"""What the names of an answer stand for: functions, threads, or nothing that the trace has."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from server.agent.verification.claims import Claims, Name
from server.agent.verification.recompute import SAME_NAME, Recomputation, last_part
from server.agent.verification.statements.sentence_parts import Subject, outer_places
from traces.errors import TraceError
from traces.handles import frame_behind, resolve
from traces.insights.patterns import PATTERNS
from traces.lazy_regex import lazy_regex
from traces.model import Trace
from traces.values import Role

SHORT = 3
"""Names of threads of fewer characters are only recognised as code."""
THREADS = 300
_BARE = lazy_regex(r"(?<![\w.$/:-])[A-Za-z_$][\w$]*(?:(?:\.|::?|->)[A-Za-z_$<][\w$<>]*)*(?:\(\))?(?![\w$])")
_CODE_LIKE = lazy_regex(r"_|[a-z$][A-Z]|\.|:|\(\)$|->")
_AS_A_FUNCTION = lazy_regex(
    r"(?:^|(?<=[.;:,\n] )|(?<=\n)|(?<=\band )|(?<=\bund )|(?<=\bet ))(?P<name>[A-Za-z_$][\w$]{2,})"
    r"(?= (?:itself |alone |only |mainly |mostly )?"
    r"(?:(?:is|was|gets) (?:called|invoked|recursive|quadratic|reached|entered)\b|(?:spends|calls)\b|"
    r"(?:takes|took|costs|needs|uses|runs) \d|hardly works|"
    r"wird (?:\S+ )?(?:\S+ )?aufgerufen\b|est appelée?\b|es llamad[oa]\b))"
    r"|(?<=\bcalls of )(?P<called>(?!the\b|its\b)[a-z_$][\w$]{2,})(?= )"
)
"""`Fetch was called` speaks of a function; `fetch the page` does not."""
_WITH_A_PATH = lazy_regex(r"(?<![\w/.`])[A-Za-z_][\w.-]*(?:/[\w.-]+)+\.[\w.*()]*\w(?![\w/`])")
_NO_NAME = frozenset(
    ("it", "this", "that", "which", "who", "what", "she", "each", "every", "one", "all", "nothing", "nobody", "none")
)
_FIRST_CELL = lazy_regex(r"(?:^|\n)[ \t]*\|[ \t*]*$")
_SURELY_CODE = lazy_regex(r"\w_\w|\(\)$")
_QUOTED = lazy_regex(r'"([^"]{1,80})"')
MAIN_THREAD = lazy_regex(
    r"\b(?:main thread|Hauptthread|thread principal|fil principal|hilo principal)\b", re.IGNORECASE
)
_MAIN_OF_PROCESS = lazy_regex(
    r"\b(?P<one>browser|renderer|gpu)(?:['’]s)?(?: process(?:['’]s)?)? main thread\b|"
    r"\b(?:main thread|Hauptthread|thread principal|fil principal|hilo principal) "
    r"(?:of|in|des|vom|im|du|de la|de l['’]|del|de) ?(?:the |der |le )?(?:process(?:us)? |proceso |Prozess )?(?:de )?"
    r"(?P<other>browser|renderer|gpu|navigateur|navegador|moteur de rendu|renderizador)s?\b",
    re.IGNORECASE,
)
"""`The renderer's main thread`: Chromium calls it CrRendererMain."""
_IN_CHROMIUM = {
    "browser": "CrBrowserMain",
    "navigateur": "CrBrowserMain",
    "navegador": "CrBrowserMain",
    "gpu": "CrGpuMain",
}
_COLLECTION = lazy_regex(
    r"\b(?:garbage collect(?:ion|or)|GC|Speicherbereinigung|ramasse-miettes|recolección de basura)\b", re.IGNORECASE
)
_NAME_LIKE = lazy_regex(r"[A-Za-z_$<(~@\[][^\s]*(?:\([^)]*\))?")
_DISTINCT = lazy_regex(r"[\d_-]|[a-z][A-Z]")
_PID = lazy_regex(r"\W{0,3}pid (\d+)")
_NUMBER_BEHIND = lazy_regex(r" ?\(?(?:tid|pid|thread|#)?[ =:]?(\d{1,10})(?![\w.,%]\w|\s?(?:ms|s|µs|%|ns)\b)\)?")
_PROFILE = lazy_regex(r"(?<![\w.$/:#-])p(\d{1,4})(?![\w$]|[.:/-]\w)")
"""`p1` without marks: a profile's handle."""
_KIND_OF = lazy_regex(r"^(?:waits|locks|allocations|sleeps|parks) of (.+)$")
"""Profiles of one kind of event of a thread, as readers name them: the thread's name is that behind."""
_WORD = lazy_regex(r"[\w$.:-]+")
_THREAD_BEFORE = lazy_regex(r"\b(?:thread|process|worker|prozess|fil|processus|hilo|proceso)\W{1,3}$", re.IGNORECASE)
_THREAD_BEHIND = lazy_regex(r"\W{1,3}(?:threads?|process|worker|thread|prozess)\b", re.IGNORECASE)
_AS_A_THREAD = lazy_regex(
    r"(?:(?:^|[.;:\n])\W*|\b(?:on|of|than|and|auf|von|als|de|sur|du|en|del) +)(?:(?:the|der|dem|die|le|la|el) +)?$",
    re.IGNORECASE,
)
"""Before a word that is a thread's name and no function's: where a sentence begins, and what something is on or of."""
_BEHIND_A_THREAD = lazy_regex(
    r"\s*(?:[.,;:)|]|$)|\s+(?:is|was|are|and|or|than|with|for|waits?|waited|works?|worked|runs?|ran|spends?|spent|does|did|has|"
    r"had|takes?|took|uses?|used|never|only|mostly|calls?|ist|war|und|wartet|arbeitet|braucht|est|et|attend|prend|es|y|"
    r"espera|toma)\b",
    re.IGNORECASE,
)
"""Behind it: what it does, or the end of what is said; `the uploader code` is no thread."""
_OF_PID = lazy_regex(r"\b(?:pid|tid)[ =:]?(\d{1,10})\b", re.IGNORECASE)


@dataclass(frozen=True)
class Subjects:
    """Finds the subjects of answers about one trace."""

    trace: Trace
    named: Recomputation

    def of(self, answer: str, claims: Claims) -> tuple[list[Subject], list[Subject], list[Subject]]:
        """Functions, threads and unknown names of an answer, each where it stands with its link or its marks."""
        outer = outer_places(answer)
        functions: list[Subject] = []
        threads: list[Subject] = []
        unknown: list[Subject] = []
        for name in claims.names:
            start, end = outer.get(name.start, (name.start - name.is_code, name.end + name.is_code))
            frames = self.frames_of(name)
            is_thread = name.handle is None and self._is_called_a_thread(answer, start, end)
            if frames and not (is_thread and self._profiles_of(name)):
                place = name.handle is not None and not name.handle.startswith("f")
                functions.append(Subject(name.text or f"#{name.handle}", frames, start, end, place))
            elif profiles := self._profiles_of(name):
                profiles, end = self._numbered(profiles, answer, end)
                threads.append(Subject(name.text or f"#{name.handle}", profiles, start, end))
            elif name.handle is None and _NAME_LIKE.fullmatch(name.text):
                unknown.append(Subject(name.text, (), start, end))
        for one in self._bare(claims.text):
            (functions if one.numbers else unknown).append(one)
        functions += self._plain(claims.text)
        functions += self._words(claims, {claims.statement_of(one.start) for one in functions})
        functions += self._collectors(claims.text)
        threads += self._bare_threads(claims.text, answer)
        there = {one.start for one in threads}
        return [one for one in functions if not (one.is_one_place and one.start in there)], threads, unknown

    def _is_called_a_thread(self, text: str, start: int, end: int) -> bool:
        """`The thread x`, `the x thread`."""
        before = _THREAD_BEFORE.search(text, max(0, start - 16), start)
        return before is not None or _THREAD_BEHIND.match(text, end) is not None

    def frames_of(self, name: Name) -> tuple[int, ...]:
        """The frames that a name stands for: that of its handle, or all that it is a way to write."""
        if name.handle is not None:
            if name.handle.startswith("p"):
                return ()
            try:
                return (frame_behind(self.trace, resolve(self.trace, name.handle)),)
            except TraceError:
                return ()
        return self.named.frames(name.text) if name.text else ()

    def _profiles_of(self, name: Name) -> tuple[int, ...]:
        if name.handle is not None:
            try:
                handle = resolve(self.trace, name.handle)
            except TraceError:
                return ()
            return (handle.index,) if handle.kind == "profile" else ()
        return self._by_thread_name.get(name.text.strip("\"'").casefold(), ())

    def _bare(self, text: str) -> Iterator[Subject]:
        """Functions that are written as ordinary words but look like code, the trace's or not."""
        for match in _BARE.finditer(text):
            if len(match[0]) > SHORT and _CODE_LIKE.search(match[0]):
                frames = self.named.frames(match[0])
                if frames or _SURELY_CODE.search(match[0]):
                    yield Subject(match[0], frames, match.start(), match.end())

    def _plain(self, text: str) -> Iterator[Subject]:
        """Functions whose names are ordinary words where only a function can stand; and names with a path before
        them."""
        for match in _AS_A_FUNCTION.finditer(text):
            key = "name" if match["name"] else "called"
            name = match[key]
            is_known = name in self._full_names or (key == "called" and len(self.named.frames(name)) == 1)
            if is_known and not _CODE_LIKE.search(name) and name.casefold() not in _NO_NAME:
                yield Subject(name, self.named.frames(name), match.start(key), match.end(key))
        for match in _WITH_A_PATH.finditer(text):
            if match[0] in self._full_names:
                yield Subject(match[0], self.named.frames(match[0]), match.start(), match.end())

    def _words(self, claims: Claims, named: set[int]) -> Iterator[Subject]:
        """Functions whose names are ordinary words: in the first cell of a row surely; elsewhere only where a statement
        names no other (`named` are those that do), and then they prove and never contradict."""
        for match in _BARE.finditer(claims.text):
            is_word = len(match[0]) > SHORT and not _CODE_LIKE.search(match[0])
            if not is_word or match[0] not in self._full_names:
                continue
            is_first = _FIRST_CELL.search(claims.text, max(0, match.start() - 40), match.start()) is not None
            if is_first or claims.statement_of(match.start()) not in named:
                frames = self.named.frames(match[0])
                yield Subject(match[0], frames, match.start(), match.end(), is_one_place=not is_first)

    @cached_property
    def _full_names(self) -> frozenset[str]:
        return frozenset(self.trace.frame_names)

    def _collectors(self, text: str) -> Iterator[Subject]:
        """Garbage collection as a word: what is named like it, which proves and never contradicts."""
        for match in _COLLECTION.finditer(text):
            if self._collecting:
                yield Subject(match[0], self._collecting, match.start(), match.end(), is_one_place=True)

    @cached_property
    def _collecting(self) -> tuple[int, ...]:
        pattern = PATTERNS["garbage-collection"]
        names = self.trace.frame_names
        found = [n for n, name in enumerate(names) if pattern.matches(name, self.trace.frame_file(n) or "")]
        return tuple(found[:SAME_NAME])

    def _bare_threads(self, text: str, answer: str) -> Iterator[Subject]:
        """Threads that are written as ordinary words: by their names, their handles, their numbers."""
        yield from self._thread_words(text, answer)
        for match in _OF_PID.finditer(text):
            numbers = tuple(p.index for p in self.trace.profiles[:THREADS] if match[1] in (p.pid, p.tid))
            if numbers:
                yield Subject(match[0], numbers, match.start(), match.end())
        for match in _PROFILE.finditer(text):
            if int(match[1]) < len(self.trace.profiles) and match[0] not in self._full_names:
                yield Subject(match[0], (int(match[1]),), match.start(), match.end())
        folded = answer.casefold()
        for name, indices in self._by_thread_name.items() if len(folded) == len(answer) else ():
            if " " in name and len(name) > 2 * SHORT and (at := folded.find(name)) >= 0:
                if folded[at + len(name) : at + len(name) + 1].isalnum():
                    continue
                yield Subject(answer[at : at + len(name)], indices, at, at + len(name))
        yield from self._main_threads(text)

    def _main_threads(self, text: str) -> Iterator[Subject]:
        """`The main thread`, of all or of one of Chromium's processes."""
        mains = tuple(p.index for p in self.trace.profiles if p.role is Role.MAIN)
        taken = []
        for match in _MAIN_OF_PROCESS.finditer(text):
            name = _IN_CHROMIUM.get((match["one"] or match["other"]).casefold(), "CrRendererMain")
            if numbers := tuple(p.index for p in self.trace.profiles if p.name.split(" ", 1)[0] == name):
                taken.append(match.span())
                yield Subject(match[0], numbers, match.start(), match.end())
        for match in MAIN_THREAD.finditer(text) if mains else ():
            if not any(start <= match.start() < end for start, end in taken):
                yield Subject(match[0], mains, match.start(), match.end())

    def _thread_words(self, text: str, answer: str) -> Iterator[Subject]:
        for match in _WORD.finditer(text):
            word = match[0].strip(".:").casefold()
            end = match.start() + len(match[0].rstrip(".:"))
            named = self._distinct.get(word, ()) if len(word) > SHORT else ()
            if not named and word in self._by_thread_name:
                named = self._by_thread_name[word] if self._is_thread_word(text, word, match.start(), end) else ()
            if named:
                yield Subject(match[0], self._of_process(named, answer[end : end + 24]), match.start(), end)

    def _is_thread_word(self, text: str, word: str, start: int, end: int) -> bool:
        """Whether a thread's name, which may be an ordinary word, is one where it stands."""
        before = max(0, start - 16)
        if _THREAD_BEFORE.search(text, before, start) or _THREAD_BEHIND.match(text, end):
            return True
        is_name = len(word) > SHORT and word not in self._words_of_functions
        is_there = _AS_A_THREAD.search(text[before:start]) is not None and _BEHIND_A_THREAD.match(text, end) is not None
        return is_name and is_there

    @cached_property
    def _words_of_functions(self) -> frozenset[str]:
        return frozenset(last_part(name).casefold() for name in self._full_names)

    def _numbered(self, indices: tuple[int, ...], answer: str, end: int) -> tuple[tuple[int, ...], int]:
        """Of threads of one name that of the number behind it, and where that ends: `Gecko` 25160, `Gecko` (tid 7)."""
        number = _NUMBER_BEHIND.match(answer, end)
        profiles = self.trace.profiles
        of_thread = tuple(one for one in indices if number and number[1] == profiles[one].tid)
        found = of_thread or tuple(one for one in indices if number and number[1] == profiles[one].pid)
        return (found, number.end()) if number and found else (indices, end)

    def _of_process(self, indices: tuple[int, ...], behind: str) -> tuple[int, ...]:
        """Of threads of one name those of the process that is written behind it."""
        pid = _PID.match(behind)
        profiles = self.trace.profiles
        return tuple(one for one in indices if pid and profiles[one].pid == pid[1]) or indices

    @cached_property
    def _by_thread_name(self) -> dict[str, tuple[int, ...]]:
        """Profiles by their full name, and by what is quoted in it or before its comma."""
        found: dict[str, list[int]] = {}
        for profile in self.trace.profiles[:THREADS]:
            short = [profile.name, profile.name.split(" (")[0], profile.handle, *_QUOTED.findall(profile.name)]
            short += re.findall(r"(?:^|, )([^,()]+) \(tid", profile.name)
            short += [kind[1] for one in list(short) if (kind := _KIND_OF.match(one.casefold()))]
            for name in dict.fromkeys(one.strip().casefold() for one in short):
                found.setdefault(name, []).append(profile.index)
        return {name: tuple(dict.fromkeys(indices)) for name, indices in found.items()}

    @cached_property
    def _distinct(self) -> dict[str, tuple[int, ...]]:
        """Names of threads that no ordinary word is: with a digit, a mark or a capital inside."""
        return {
            name: indices
            for name, indices in self._by_thread_name.items()
            if re.fullmatch(r"[\w$.:-]+", name) and any(_DISTINCT.search(self._thread_word(i, name)) for i in indices)
        }

    def _thread_word(self, index: int, name: str) -> str:
        """A thread's name as its profile writes it."""
        full_name = self.trace.profiles[index].name
        at = full_name.casefold().find(name)
        return full_name[at : at + len(name)] if at >= 0 else name
