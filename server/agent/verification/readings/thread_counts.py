"""In how many threads a function runs, and what is nowhere in the recording: `parse runs on several threads`, `this
trace has no kernels of NCCL`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from server.agent.verification.readings.recording_sizes import number_of
from server.agent.verification.statements.measure_words import words
from server.agent.verification.statements.measures import Measures
from server.agent.verification.statements.relations import Reading
from server.agent.verification.statements.sentence_parts import FIGURE, FIGURES, Sentence
from server.agent.verification.statements.stack_relations import StackRelations
from server.agent.verification.verdicts import Verification
from traces.lazy_regex import lazy_regex

_SEVERAL = r"several|multiple|many|various|more than one|mehrere[nr]?|plusieurs|varios|distintos"
_IN_THREADS = lazy_regex(
    rf"\b(?:on|in|across|auf|sur|dans|en)(?: only| just| exactly| nur| seul)? "
    rf"(?P<n>{_SEVERAL}|{FIGURES}|[^\W\d_]+|a single) (?:different |separate |verschiedenen )?"
    r"(?:threads?|hilos?|fils? d['’]exécution)\b(?! (?:named|called|of|that|which|with|is|was|are|were))",
    re.IGNORECASE,
)
_NOWHERE = lazy_regex(
    r"\b(?:trace|recording|profile|file) (?:has|shows|contains|holds|knows) no (?P<a>[^.;:,]{3,60})|"
    r"\b(?:there (?:is|are|was|were) )?no (?P<b>[^.;:,]{3,60}?) (?:is |are |was |were )?(?:anywhere )?in (?:this|the) "
    r"(?:trace|recording|profile|file)\b",
    re.IGNORECASE,
)
_A_PROPER_NAME = lazy_regex(r"(?<![\w`])(?=\w*[A-Z])[A-Za-z]\w{2,}(?![\w`])")
"""`NCCL` and `SQLite`: an ordinary word in a function's name says little of what the function is."""
_HERE = frozenset({"gpu", "cpu", "api"})


@dataclass(frozen=True)
class ThreadCounts:
    """Reads the sentences of answers about one trace."""

    measures: Measures
    stacks: StackRelations

    def each(self, sentence: Sentence) -> Iterator[Reading]:
        """What a sentence says of threads that a function runs on, and of names that nothing has."""
        text = sentence.template
        if words("HYPOTHETICAL").search(text):
            return
        yield from self._nowhere(sentence)
        one = {subject.numbers for subject in sentence.functions}
        if len(one) != 1 or words("NEGATED").search(text) or sentence.window:
            return
        frames = one.pop()
        threads = {
            (profile.pid, profile.tid or profile.index)
            for profile in self.measures.trace.profiles
            if self.stacks.runs_on(frames, (profile.index,))
        }
        if not threads or not any(profile.tid for profile in self.measures.trace.profiles):
            return
        for match in _IN_THREADS.finditer(text):
            is_several = re.fullmatch(_SEVERAL, match["n"], re.IGNORECASE) is not None
            number = None if is_several else number_of(sentence, match["n"])
            if number is None and not is_several:
                continue
            is_so = len(threads) > 1 if is_several else len(threads) == number
            if is_so and sentence.threads:
                is_so = any(self.stacks.runs_on(frames, thread.numbers) for thread in sentence.threads)
            shown = f"it runs on {self.stacks.threads(frames)}"
            verdict = Verification("verified", how=shown) if is_so else Verification("contradicted", actual=shown)
            figure = re.fullmatch(FIGURES, match["n"])
            at = frozenset({ord(match["n"]) - ord(FIGURE)}) if figure else frozenset[int]()
            yield Reading(match.start(), match.end(), verdict, at)

    def _nowhere(self, sentence: Sentence) -> Iterator[Reading]:
        for match in _NOWHERE.finditer(sentence.template):
            said = (match["a"] or match["b"]).strip()
            names = [name.casefold() for name in _A_PROPER_NAME.findall(said) if name.casefold() not in _HERE]
            known = self.measures.trace.frame_names if names else ()
            if found := next((one for one in known if all(name in one.casefold() for name in names)), None):
                verdict = Verification("contradicted", actual=f"{found[:60]} is in it")
                yield Reading(match.start(), match.end(), verdict)
