"""Answerers that must fail: if the cases let one of these pass, the cases are too soft."""

from dataclasses import dataclass
from typing import Literal

from evals.answer import Answer
from server.agent.tools.get_top_functions import TopFunctions, answer_top_functions
from traces.analysis.functions import FunctionRow, top_functions
from traces.analysis.units import format_share, format_value
from traces.model import Trace
from traces.values import Unit

Manner = Literal["lists everything", "names another", "invents figures", "says nothing", "always agrees"]
MANNERS: tuple[Manner, ...] = ("lists everything", "names another", "invents figures", "says nothing", "always agrees")


@dataclass(slots=True)
class Dull:
    """Answers from the ranking without any thought. "names another" praises the second function with its own figures;
    "invents figures" names the right one with wrong ones; "always agrees" repeats the question as if it were true.
    """

    manner: Manner
    runs: int = 1

    @property
    def name(self) -> str:
        return f"dull: {self.manner}"

    async def ask(self, trace: Trace, prompt: str) -> Answer:
        match self.manner:
            case "lists everything":
                ranking = answer_top_functions(trace, TopFunctions(limit=40)).text
                text = f"These are the functions of the trace:\n\n{ranking}"
            case "names another":
                rows = top_functions(trace, limit=2).rows
                text = _praise(trace, rows[-1])
            case "invents figures":
                row = top_functions(trace, limit=1).rows[0]
                text = f"`{row.name}` dominates: 12.3% (4.56 s, 4.56 MB) is spent in it itself."
            case "says nothing":
                text = (
                    "It depends on many things. Profile again with more care, and look at the hottest functions first."
                )
            case "always agrees":
                text = f"Yes. {prompt.rstrip('?.')}: that is the cause, and it takes 90% of the 10 s."
        return Answer(text=text)


def _praise(trace: Trace, row: FunctionRow) -> str:
    unit = Unit(top_functions(trace, limit=1).unit)
    own = f"{format_share(row.self_share)} ({format_value(row.self_value, unit)})"
    return f"**`{row.name}` dominates**: {own} is spent in it."
