"""The analyst as a chat model: it binds tools, streams text and asks for tool calls like any other."""

import json
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.messages.tool import tool_call_chunk

from server.analyst import two_recordings
from server.analyst.asks import asked_turn as asks
from server.analyst.asks import counter_levels as levels
from server.analyst.asks import events_in_talk as events
from server.analyst.asks import idle_times, loop_asks, parked_goroutines, part_of_a_kind, per_noun, thread_asks
from server.analyst.asks import spoken_call_answers as spoken_calls
from server.analyst.earlier_traces import earlier_answer, earlier_question
from server.analyst.evidence import Evidence, gathered_evidence
from server.analyst.kinds.kind import Call
from server.analyst.memory_answers import APPEND, REPLACE, memory_calls, memory_report
from server.analyst.memory_orders import memory_order
from server.analyst.memory_questions import memory_question
from server.analyst.on_screen import READ_VIEW, about_the_view, asks_what_is_on_screen, described
from server.analyst.over_recordings import ASK, asks_over_recordings, not_known, over_recordings, without_them
from server.analyst.plan import next_calls
from server.analyst.preempted import with_callers
from server.analyst.question import Question
from server.analyst.recalled_answers import by_facts, calls_for_limit, kept_limit, limit_of, recall, scope_calls
from server.analyst.recording_questions import asked_recipes, recording_answer
from server.analyst.report import report
from server.analyst.thread_names import spelled_out
from server.analyst.understanding import understood

CHUNK_CHARACTERS = 48
"""A streamed piece: about what a provider sends in one flush."""


@dataclass(frozen=True, slots=True)
class AnalystChat:
    """Deterministic: the same conversation gives the same reply. `tools` are the definitions it may ask for."""

    tools: tuple[dict[str, Any], ...] = ()

    def bind_tools(self, tools: Sequence[Any], /) -> "AnalystChat":
        """An analyst with these tools."""
        return AnalystChat(tuple(tools))

    def with_config(self, *, metadata: dict[str, Any]) -> "AnalystChat":
        """Itself: nobody watches it (`watched_chat` is for those who do)."""
        return self

    async def astream(self, messages: Sequence[BaseMessage], /) -> AsyncIterator[AIMessageChunk]:
        """The reply in pieces."""
        for chunk in reply_chunks(messages, self.tools):
            yield chunk


def reply_chunks(messages: Sequence[BaseMessage], tools: Sequence[dict[str, Any]]) -> Iterator[AIMessageChunk]:
    """The analyst's reply to a conversation: the tool calls that its question still needs, or the report."""
    gathered = gathered_evidence(messages)
    offered, made = frozenset(tool["function"]["name"] for tool in tools), len(gathered.results)
    evidence = _spelled_out(with_callers(gathered))
    if ASK in offered and asks_over_recordings(evidence.prompt) and memory_order(evidence.prompt) is None:
        if not evidence.called(ASK):
            yield from _reply([(ASK, {"question": evidence.prompt})], "", made)
            return
        if (answer := over_recordings(evidence)) is not None:
            yield from _reply([], answer, made)
            return
    yield from _about_this(without_them(evidence), offered, made, not_known(evidence))


def _spelled_out(evidence: Evidence) -> Evidence:
    """With the names of threads in full, in this prompt and in those before it."""
    before = evidence.spoken_of
    if before is None:
        return evidence
    asked = (*before.prompts, before.prompt)
    *prompts, last = (spelled_out(one, asked[:at]) for at, one in enumerate(asked))
    prompt = spelled_out(evidence.prompt, asked)
    return replace(evidence, prompt=prompt, spoken_of=replace(before, prompt=last, prompts=tuple(prompts)))


def _about_this(evidence: Evidence, offered: frozenset[str], made: int, first: str = "") -> Iterator[AIMessageChunk]:
    """The reply about the recording that is open, after what has to be said `first`."""
    order = memory_order(evidence.prompt)
    calls: list[tuple[str, dict[str, Any]]] = []
    if order is not None:
        done = [result for result in evidence.results if result.tool in (APPEND, REPLACE)]
        if not done:
            calls = [call for call in memory_calls(order, evidence.remembered) if call[0] in offered]
        first = memory_report(order, evidence.remembered, done, is_on=bool(done) or APPEND in offered)
        evidence = replace(evidence, prompt=order.rest)
    if order is not None and not order.rest:
        yield from _reply(calls, first, made)
        return
    if READ_VIEW in offered | {one.tool for one in evidence.results} and asks_what_is_on_screen(evidence.prompt):
        views = [one.data for one in evidence.results if one.tool == READ_VIEW]
        calls += [] if views else [(READ_VIEW, {})]
        first = described(views[0]) if views and views[0] else first
        evidence = about_the_view(evidence)
    of_two = two_recordings.step(evidence, offered)
    evidence, known = two_recordings.without_them(evidence)
    question = understood(evidence.prompt, evidence.viewer, evidence.windows, evidence.spoken_of, evidence.openings)
    if found := asked_recipes(evidence.prompt):
        yield from _reply(calls, f"{first}\n\n{recording_answer(found)}".strip(), made)
        return
    asked = memory_question(evidence.prompt)
    if asked is not None and asked.kind != "kept" and (answer := recall(asked, evidence)):
        yield from _reply(calls, f"{first}\n\n{answer}".strip(), made)
        return
    if earlier := earlier_question(evidence.prompt):
        calls += _undone(earlier.calls(), evidence, offered)
        text = "" if calls else earlier_answer(earlier, evidence)
    elif asked is not None and asked.kind == "kept" and (limit := limit_of(evidence)):
        calls += _undone(calls_for_limit(question, limit), evidence, offered)
        text = "" if calls else kept_limit(evidence, limit)
    elif of_two:
        calls += _undone(list(of_two.calls), known, offered)
        text = _noted(of_two.text, question)
    else:
        more, text = _of_the_trace(question, evidence, known, offered)
        calls += more
    yield from _reply(calls, f"{first}\n\n{text}" if first else text, made)


def _composed(evidence: Evidence, offered: frozenset[str]) -> asks.Step | None:
    """What a composed question needs next, or its answer; None where the prompt is left to the other kinds."""
    if level := levels.step(evidence, offered):
        return level
    if pauses := idle_times.step(evidence, offered):
        return pauses
    if event := events.step(levels.others(evidence), offered):
        return event
    evidence = events.others(levels.others(evidence))
    if asks.others(evidence).results:
        return None
    steps = [one.step(evidence, offered) for one in (parked_goroutines, loop_asks, thread_asks)]
    of_threads = _together([one for one in steps if one])
    other = (
        spoken_calls.step(evidence, offered)
        or part_of_a_kind.step(evidence, offered)
        or asks.step(evidence, offered)
        or per_noun.step(evidence)
    )
    if of_threads and other and not evidence.results:  # what is no question of threads is theirs
        return asks.Step((*(one for one in other.calls if one not in of_threads.calls), *of_threads.calls))
    return of_threads or other


def _together(steps: list[asks.Step]) -> asks.Step | None:
    """The first of these that has an answer or is alone, else what all of them look up first."""
    if len(steps) < 2 or steps[0].text or any(call[0] == "query_trace" for call in steps[0].calls):
        return steps[0] if steps else None
    *others, last = steps
    calls = [call for one in others for call in one.calls if call not in last.calls]
    return asks.Step((*calls, *last.calls))


def _of_the_trace(
    question: Question, evidence: Evidence, known: Evidence, offered: frozenset[str]
) -> tuple[list[Call], str]:
    """The calls that the question still needs, or its answer; `known` is what was looked up for others, too."""
    if step := _composed(evidence, offered):
        return _undone(list(step.calls), known, offered), _noted(step.text, question)
    evidence, known = (asks.others(events.others(one)) for one in (evidence, known))
    if calls := _undone(next_calls(question, evidence, offered), known, offered):
        return calls, ""
    calls = next_calls(question, known, offered) or _undone(scope_calls(question, known), known, offered)
    said = () if calls else (by_facts(question, known), report(question, known))
    return calls, "\n\n".join(filter(None, said))


def _noted(text: str, question: Question) -> str:
    return "\n\n".join(filter(None, (text, question.note if text and question.place is None else None)))


def _undone(
    calls: list[tuple[str, dict[str, Any]]], evidence: Evidence, offered: frozenset[str]
) -> list[tuple[str, dict[str, Any]]]:
    """Those that are offered and were not made yet."""
    done = [(result.tool, result.arguments) for result in evidence.results]
    return [call for call in calls if call[0] in offered and call not in done]


def _reply(calls: list[tuple[str, dict[str, Any]]], text: str, earlier: int) -> Iterator[AIMessageChunk]:
    """The calls, or without any the text; `earlier` calls have been made in this turn."""
    for index, (name, arguments) in enumerate(calls):
        call_id = f"analyst_{earlier + index}"
        yield AIMessageChunk(
            content="",
            tool_call_chunks=[tool_call_chunk(name=name, args=json.dumps(arguments), id=call_id, index=index)],
        )
    if not calls:
        for start in range(0, len(text), CHUNK_CHARACTERS):
            yield AIMessageChunk(content=text[start : start + CHUNK_CHARACTERS])
    yield AIMessageChunk(content="", response_metadata={"finish_reason": "tool_calls" if calls else "stop"})
