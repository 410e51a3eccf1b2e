/** A question and everything until its answer is complete. */
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { download, fileName } from "../api.ts";
import { Icon, type IconName } from "../icons.tsx";
import { formatCost, formatCount } from "../viewer/values.ts";
import { AnswerText } from "./answer_text.tsx";
import { Opinion } from "./opinion.tsx";
import { ProposedFacts, type Decide } from "./proposed_facts.tsx";
import type { Proposal } from "./conversation.ts";
import { Prompt, WithCode } from "./prompt.tsx";
import { AskedQuestion } from "./asked_question.tsx";
import { Checks } from "./checks.tsx";
import { ClaimTips } from "./claim_tip.tsx";
import { answerOf, hasEnded, type ToolPart, type Turn } from "./turn.ts";
import { picturedView } from "./pictured.ts";
import { Steps } from "./steps.tsx";
import { lastPicture, withSteps } from "./steps_of_turn.ts";
import { Picture, spoken } from "./tool_card.tsx";

export interface TurnViewProps {
  turn: Turn;
  isLast: boolean;
  /** What the answer is about, where it is pasted elsewhere. */
  traceName: string;
  canAsk: boolean;
  ask: (prompt: string) => void;
  /** Have it answered again, under another prompt if one is given. */
  replace: (prompt?: string) => void;
  rate: (score: -1 | 0 | 1) => void;
  /** What the answer proposes to remember. */
  proposals: Proposal[];
  decide: Decide;
  /** The way to other versions of the answer. */
  versions?: ComponentChildren;
}

export function TurnView(props: TurnViewProps) {
  const { turn, isLast, traceName, canAsk, ask, replace, rate, proposals, decide, versions } = props;
  const ended = hasEnded(turn);
  const last = turn.parts.at(-1);
  const parts = withSteps(turn.parts);
  const steps = parts.filter((part) => part.kind === "steps");
  const newest = lastPicture(turn.parts);
  const asked = turn.parts.findLast((part) => part.kind === "tool" && part.shows?.kind === "question") as
    ToolPart | undefined;
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
        {parts.map((part) =>
          part.kind === "text" ? (
            <AnswerText
              key={`t${part.messageId}`}
              text={part.text}
              growing={!ended && part === last}
              {...(part.messageId === answer ? { checks: turn.checks, handles } : {})}
            />
          ) : (
            <Steps
              key={`c${part.tools[0]!.toolCallId}`}
              tools={part.tools}
              seconds={part === steps.at(-1) ? (turn.usage?.seconds ?? null) : null}
              newest={newest}
            />
          ),
        )}
        {newest && ended && <Picture part={newest} view={picturedView(newest)} />}
        {ended && asked && <AskedQuestion shows={asked.shows} prompt={turn.prompt ?? spoken(asked.toolName)} />}
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
        {ended && proposals.length > 0 && <ProposedFacts proposals={proposals} decide={decide} />}
        {ended && turn.usedFacts.length > 0 && <LazyUsedFacts facts={turn.usedFacts} />}
        {ended && (
          <Footer
            turn={turn}
            traceName={traceName}
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
          : turn.reading
            ? `The model is reading: ${turn.reading.read.toLocaleString("en")} of ${turn.reading.of.toLocaleString("en")} tokens`
            : "Thinking";
  const since = useSeconds(turn.status === "running");
  return (
    <p class="waiting" aria-hidden="true">
      <span class="dots">
        <i />
        <i />
        <i />
      </span>
      {text}
      {since > 0 && `, ${since} s`}
    </p>
  );
}

/** Seconds since something began that goes on. */
function useSeconds(goesOn: boolean): number {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    if (!goesOn) return;
    const started = performance.now();
    const timer = setInterval(() => setSeconds(Math.floor((performance.now() - started) / 1000)), 1000);
    return () => clearInterval(timer);
  }, [goesOn]);
  return seconds;
}

function LazyUsedFacts({ facts }: { facts: string[] }) {
  const [loaded, setLoaded] = useState<typeof import("../accounts/used_facts.tsx") | null>(null);
  useEffect(() => {
    import("../accounts/used_facts.tsx").then(setLoaded, () => undefined); // without it the answer is there all the same
  }, []);
  return loaded && <loaded.UsedFacts facts={facts} />;
}

interface FooterProps {
  turn: Turn;
  traceName: string;
  again: (() => void) | null;
  rate: (score: -1 | 0 | 1) => void;
  showsChecks: boolean;
  showChecks: (shown: boolean) => void;
  versions: ComponentChildren;
}

function Footer({ turn, traceName, again, rate, showsChecks, showChecks, versions }: FooterProps) {
  const text = turn.parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n\n");
  if (!text && !versions && (!again || turn.failure)) return null;
  const tokens = (turn.usage?.inputTokens ?? 0) + (turn.usage?.outputTokens ?? 0);
  const model = turn.usage?.model ?? turn.model; // a fallback may have answered in place of the first choice
  const address = location.origin + location.pathname;
  const documents = turn.sources.filter((source) => source.handle);
  const asked = turn.sources.filter((source) => !source.handle);
  return (
    <footer class="turn-footer">
      <Checks checks={turn.checks} isOpen={showsChecks} open={showChecks} />
      <span class="turn-actions">
        {versions}
        {text && navigator.clipboard && (
          <>
            <OutButton
              name="Copy the answer"
              icon="copy"
              {...COPIED}
              load={exporting}
              work={(exported) => navigator.clipboard.writeText(exported.answerMarkdown(turn, address))}
            />
            <OutButton
              name="Copy for a pull request"
              icon="review"
              {...COPIED}
              load={exporting}
              work={(exported) => navigator.clipboard.writeText(exported.reviewMarkdown(turn, traceName, address))}
            />
          </>
        )}
        {text && (
          <OutButton
            name="Save as a picture"
            icon="picture"
            done="Saved"
            refused="The picture cannot be made"
            load={drawing}
            work={async (drawn) => {
              const picture = await drawn.pictureOfAnswer(turn, traceName);
              download(picture, `${fileName(turn.prompt ?? traceName)}.png`);
            }}
          />
        )}
        {turn.isStored && turn.citations?.length ? (
          <button
            type="button"
            class="icon-button"
            aria-label="Note it in the chart"
            title="Note on each function what is said of it here"
            data-notes-of={turn.turnId}
          >
            <Icon name="pin" />
          </button>
        ) : null}
        {again && (
          <button type="button" class="icon-button" aria-label="Answer again" title="Answer again" onClick={again}>
            <Icon name="again" />
          </button>
        )}
        {text && turn.isStored && <Opinion given={turn.feedback} rate={rate} />}
      </span>
      {documents.length > 0 && (
        <span class="outside-sources">From documents: {documents.map((source) => source.name).join(", ")}</span>
      )}
      {asked.length > 0 && (
        <span class="outside-sources">
          Asked outside:{" "}
          {asked.map((source, index) => (
            <>
              {index > 0 && ", "}
              {source.url ? (
                <a href={source.url} rel="noreferrer noopener" target="_blank" title={source.url}>
                  {source.name}
                </a>
              ) : (
                source.name
              )}
            </>
          ))}
        </span>
      )}
      <span class="origin">
        {turn.partial && <span>incomplete answer</span>}
        {model && <span title={turn.promptVersion ? `Prompt version ${turn.promptVersion}` : undefined}>{model}</span>}
        {turn.promptVersion && <span class="wide-only">prompt {turn.promptVersion}</span>}
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

/** What writes or draws answers anew for other places: loaded when the pointer or the focus comes near. */
const exporting = () => import("./exported.ts");
const drawing = () => import("./answer_picture.ts");

const COPIED = { done: "Copied", refused: "The browser does not let the page copy" };

interface OutButtonProps<M> {
  name: string;
  icon: IconName;
  /** What its title says afterwards. */
  done: string;
  refused: string;
  load: () => Promise<M>;
  work: (loaded: M) => Promise<void>;
}

/** Takes an answer out of the page. */
function OutButton<M>({ name, icon, done, refused, load, work }: OutButtonProps<M>) {
  const [state, setState] = useState<"ready" | "done" | "refused">("ready");
  const title = { ready: name, done, refused }[state];
  const near = () => void load().catch(() => undefined); // a click says so
  const act = async () => {
    const was = await load()
      .then(work)
      .then(
        () => "done" as const,
        () => "refused" as const,
      );
    setState(was);
    setTimeout(() => setState("ready"), 1500);
  };
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={name}
      title={title}
      onPointerEnter={near}
      onFocus={near}
      onClick={() => void act()}
    >
      <Icon name={state === "done" ? "check" : state === "refused" ? "warning" : icon} />
    </button>
  );
}
