/** A question and everything until its answer is complete. */
import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { Icon } from "../icons.tsx";
import { formatCost, formatCount } from "../viewer/values.ts";
import { AnswerText } from "./answer_text.tsx";
import { Opinion } from "./opinion.tsx";
import { Prompt, WithCode } from "./prompt.tsx";
import { Checks } from "./checks.tsx";
import { ClaimTips } from "./claim_tip.tsx";
import { answerOf, hasEnded, type Turn } from "./turn.ts";
import { spoken, ToolCard } from "./tool_card.tsx";

export interface TurnViewProps {
  turn: Turn;
  isLast: boolean;
  canAsk: boolean;
  ask: (prompt: string) => void;
  /** Have it answered again, under another prompt if one is given. */
  replace: (prompt?: string) => void;
  rate: (score: -1 | 0 | 1) => void;
  /** The way to other versions of the answer. */
  versions?: ComponentChildren;
}

export function TurnView({ turn, isLast, canAsk, ask, replace, rate, versions }: TurnViewProps) {
  const ended = hasEnded(turn);
  const last = turn.parts.at(-1);
  const answer = answerOf(turn);
  const handles = useMemo(
    () => turn.citations && new Set(turn.citations.map((citation) => citation.handle)),
    [turn.citations],
  );
  const [showsChecks, setShowsChecks] = useState(false);
  const source = (toolCallId: string) => {
    const tool = turn.parts.find((part) => part.kind === "tool" && part.toolCallId === toolCallId);
    return tool?.kind === "tool" ? spoken(tool.toolName) : null;
  };
  return (
    <article
      class="turn"
      data-status={turn.status}
      data-turn={turn.turnId}
      data-claims={showsChecks ? "all" : undefined}
    >
      {turn.prompt !== null && (
        <Prompt text={turn.prompt} edit={turn.isStored && canAsk ? (prompt) => replace(prompt) : null} />
      )}
      <ClaimTips checks={turn.checks} all={showsChecks} source={source}>
        <h3 class="visually-hidden">Answer</h3>
        {turn.parts.map((part) =>
          part.kind === "text" ? (
            <AnswerText
              key={`t${part.messageId}`}
              text={part.text}
              growing={!ended && part === last}
              {...(part.messageId === answer ? { checks: turn.checks, handles } : {})}
            />
          ) : (
            <ToolCard key={`c${part.toolCallId}`} part={part} />
          ),
        )}
        {!ended && <Waiting turn={turn} />}
        {turn.status === "cancelled" && (
          <p class="stopped">
            <Icon name="stop" />
            Stopped. What was said so far is kept.
          </p>
        )}
        {turn.failure && (
          <div class="failure" role="alert">
            <Icon name="warning" />
            <p>{turn.failure.message}</p>
            {turn.failure.retryable && isLast && turn.prompt !== null && (
              <button type="button" disabled={!canAsk} onClick={() => (turn.isStored ? replace() : ask(turn.prompt!))}>
                Try again
              </button>
            )}
          </div>
        )}
        {ended && (
          <Footer
            turn={turn}
            again={isLast && turn.isStored && canAsk ? () => replace() : null}
            rate={rate}
            showsChecks={showsChecks}
            showChecks={setShowsChecks}
            versions={versions}
          />
        )}
        {isLast && turn.status === "completed" && turn.suggestions.length > 0 && (
          <Suggestions questions={turn.suggestions} label="Ask next" disabled={!canAsk} ask={ask} />
        )}
      </ClaimTips>
    </article>
  );
}

export function Suggestions({
  questions,
  label,
  disabled,
  ask,
}: {
  questions: string[];
  label: string;
  disabled: boolean;
  ask: (prompt: string) => void;
}) {
  return (
    <ul class="suggestions" aria-label={label}>
      {questions.map((question) => (
        <li key={question}>
          <button type="button" disabled={disabled} onClick={() => ask(question)}>
            <WithCode text={question} />
          </button>
        </li>
      ))}
    </ul>
  );
}

function Waiting({ turn }: { turn: Turn }) {
  const last = turn.parts.at(-1);
  if (turn.status === "running" && last?.kind === "text") return null;
  const text =
    turn.status === "sending"
      ? "Sending"
      : turn.status === "waiting"
        ? turn.position
          ? `Waiting, number ${turn.position} in the queue`
          : "Waiting for the model"
        : last?.kind === "tool" && last.status === "running"
          ? last.message || "Looking at the trace"
          : "Thinking";
  return (
    <p class="waiting" aria-hidden="true">
      <span class="dots">
        <i />
        <i />
        <i />
      </span>
      {text}
    </p>
  );
}

interface FooterProps {
  turn: Turn;
  again: (() => void) | null;
  rate: (score: -1 | 0 | 1) => void;
  showsChecks: boolean;
  showChecks: (shown: boolean) => void;
  versions: ComponentChildren;
}

function Footer({ turn, again, rate, showsChecks, showChecks, versions }: FooterProps) {
  const [copied, setCopied] = useState(false);
  const text = turn.parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n\n");
  if (!text && !versions && (!again || turn.failure)) return null;
  const tokens = (turn.usage?.inputTokens ?? 0) + (turn.usage?.outputTokens ?? 0);
  const model = turn.usage?.model ?? turn.model; // a fallback may have answered in place of the first choice
  const copy = () =>
    navigator.clipboard?.writeText(text).then(() => {
      setCopied(true);
      setTimeout(() => setCopied(false), 1500);
    });
  return (
    <footer class="turn-footer">
      <Checks checks={turn.checks} isOpen={showsChecks} open={showChecks} />
      <span class="turn-actions">
        {versions}
        {text && navigator.clipboard && (
          <button
            type="button"
            class="icon-button"
            aria-label="Copy the answer"
            title={copied ? "Copied" : "Copy the answer"}
            onClick={copy}
          >
            <Icon name={copied ? "check" : "copy"} />
          </button>
        )}
        {again && (
          <button type="button" class="icon-button" aria-label="Answer again" title="Answer again" onClick={again}>
            <Icon name="again" />
          </button>
        )}
        {text && turn.isStored && <Opinion given={turn.feedback} rate={rate} />}
      </span>
      <span class="origin">
        {turn.partial && <span>incomplete answer</span>}
        {model && <span title={turn.promptVersion ? `Prompt version ${turn.promptVersion}` : undefined}>{model}</span>}
        {turn.promptVersion && <span class="wide-only">prompt {turn.promptVersion}</span>}
        {turn.usage && turn.usage.toolCalls > 0 && (
          <span>
            {turn.usage.toolCalls} tool {turn.usage.toolCalls === 1 ? "call" : "calls"}
          </span>
        )}
        {tokens > 0 && (
          <span
            title={`${formatCount(turn.usage!.inputTokens ?? 0)} in, ${formatCount(turn.usage!.outputTokens ?? 0)} out`}
          >
            {formatCount(tokens)} tokens
          </span>
        )}
        {turn.usage?.cost ? <span>{formatCost(turn.usage.cost)}</span> : null}
      </span>
    </footer>
  );
}
