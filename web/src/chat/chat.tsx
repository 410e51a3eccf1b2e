/** The right half of the room: the conversation about the trace. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { LimitBanner } from "../accounts/limit_banner.tsx";
import type { MyUsage } from "../accounts/usage.ts";
import { UsageMeter } from "../accounts/usage_meter.tsx";
import { Icon } from "../icons.tsx";
import type { GateOpening, Opening } from "../protocol.ts";
import { showView } from "../route.ts";
import { usePart } from "../store.ts";
import { AskedCard } from "./asked_card.tsx";
import { AnswerText } from "./answer_text.tsx";
import { clicked, type Clicked } from "./clicks.ts";
import type { ChatStore, Connection } from "./chat_store.ts";
import { Composer } from "./composer.tsx";
import { runningTurn } from "./conversation.ts";
import { ModelChoice, useModel } from "./model_choice.tsx";
import { EarlierTurns } from "./earlier_turns.tsx";
import { hasEnded, type Turn } from "./turn.ts";
import { useShownTurns } from "./shown_turns.ts";
import { Suggestions } from "./turn_view.tsx";
import { useReadingPlace } from "./reading_place.ts";
import { useVersions, VersionedTurn } from "./versions.tsx";

const NONE: string[] = [];

interface ChatProps extends Clicked {
  store: ChatStore;
  sessionId: string;
  /** What the person may use; null until it is known. */
  mine: MyUsage | null;
  proposal: { text: string } | null;
  /** Whether the opening shows its findings: otherwise they stand next to the chart. */
  showsFindings: boolean;
  traceName: string;
  /** A turn that is to be in the page. */
  sought: string | null;
}

export function Chat({
  store,
  sessionId,
  mine,
  proposal,
  cite,
  show,
  draw,
  note,
  showsFindings,
  traceName,
  sought,
}: ChatProps) {
  const conversation = usePart(store, (state) => state.conversation);
  const connection = usePart(store, (state) => state.connection);
  const running = runningTurn(conversation);
  const asked = running?.asked?.toolName === "navigate" ? null : (running?.asked ?? null);
  const refused = conversation.refusal?.errorCode === "limit_exceeded";
  const blocked = refused
    ? "The limit of your plan is reached"
    : connection.state === "refused"
      ? "Not connected"
      : null;
  const canAsk = !running && !blocked;
  const models = mine?.models ?? null;
  const [model, choose] = useModel(models);
  useLayoutEffect(() => store.askOf(model), [store, model]);
  const versions = useVersions(
    sessionId,
    conversation.turns.flatMap((turn) => (hasEnded(turn) && turn.isStored ? [turn.turnId] : [])).join(),
  );
  const log = useRef<HTMLDivElement>(null);
  const [shown, showMore] = useShownTurns(conversation.turns, sought);
  const [seesLatest, jump] = useReadingPlace(log, conversation.turns.at(-1)?.turnId ?? null);

  return (
    <section class="chat" aria-label="Conversation">
      <h2 class="visually-hidden">Conversation</h2>
      <div
        class="log"
        role="log"
        aria-label="Messages"
        aria-live="off"
        aria-busy={running !== null}
        tabIndex={0}
        ref={log}
        onClick={(event) => clicked(event, { cite, show, draw, note })}
      >
        {conversation.opening && (
          <OpeningView
            opening={conversation.opening}
            showsFindings={showsFindings}
            isOnly={conversation.turns.length === 0}
            canAsk={canAsk}
            ask={(prompt) => store.ask(prompt)}
          />
        )}
        {!conversation.opening && connection.state === "connecting" && (
          <p class="waiting">
            <span class="dots">
              <i />
              <i />
              <i />
            </span>
            Opening the conversation
          </p>
        )}
        <EarlierTurns
          store={store}
          log={log}
          first={shown[0]?.turnId ?? null}
          areHidden={shown.length < conversation.turns.length}
          showMore={showMore}
        />
        {shown.map((turn, index) => (
          <VersionedTurn
            sessionId={sessionId}
            earlier={versions[turn.turnId] ?? NONE}
            key={turn.turnId}
            turn={turn}
            isLast={index === shown.length - 1}
            traceName={traceName}
            canAsk={canAsk}
            ask={(prompt) => store.ask(prompt)}
            replace={(prompt) => store.replace(turn, prompt)}
            rate={(score) => store.rate(turn, score)}
            proposals={conversation.proposals.filter((one) => one.turnId === turn.turnId)}
            decide={(proposalId, decision, text) => store.decide(proposalId, decision, text)}
          />
        ))}
        {asked && (
          <AskedCard
            key={asked.interruptId}
            asked={asked}
            resume={(result) => store.resume(asked.interruptId, result)}
          />
        )}
      </div>
      <div class="below-log">
        {!seesLatest && (
          <button type="button" class="jump" onClick={jump}>
            <Icon name="down" /> Jump to latest
          </button>
        )}
        <p class="visually-hidden" role="status">
          {announcement(conversation.turns.at(-1), connection)}
        </p>
        <ConnectionBanner connection={connection} hasUnsent={running?.status === "sending"} />
        {conversation.refusal && <LimitBanner refusal={conversation.refusal} mine={mine} />}
        {conversation.notice && (
          <div class="banner" role="alert">
            <Icon name="warning" />
            <span>{conversation.notice}</span>
            <button type="button" class="icon-button" aria-label="Dismiss" onClick={() => store.dismissNotice()}>
              <Icon name="close" />
            </button>
          </div>
        )}
        {conversation.brokenGate && (
          <div class="banner" role="status">
            <Icon name="warning" />
            <span>
              The gate <bdi>{conversation.brokenGate.gateName}</bdi> is broken by{" "}
              <a href={`/t/${conversation.brokenGate.traceId}`}>an upload</a>.
            </span>
            <button type="button" class="icon-button" aria-label="Dismiss" onClick={() => store.dismissBrokenGate()}>
              <Icon name="close" />
            </button>
          </div>
        )}
        <Composer
          key={sessionId}
          sessionId={sessionId}
          running={running !== null}
          blocked={blocked}
          proposal={proposal}
          ask={(prompt) => store.ask(prompt)}
          stop={() => store.stop()}
        >
          <ModelChoice offered={models} chosen={model} choose={choose} />
        </Composer>
        <UsageMeter mine={mine} />
      </div>
    </section>
  );
}

/** What a screen reader gets instead of every token. */
function announcement(turn: Turn | undefined, connection: Connection): string {
  if (connection.state === "reconnecting") return "Connection lost, reconnecting";
  if (!turn) return "";
  if (!hasEnded(turn)) return turn.status === "running" ? "An answer is being written" : "Waiting for the model";
  return { completed: "The answer is complete", cancelled: "The answer was stopped", failed: "The question failed" }[
    turn.status as "completed" | "cancelled" | "failed"
  ];
}

function OpeningView({
  opening,
  showsFindings,
  isOnly,
  canAsk,
  ask,
}: {
  opening: Opening;
  showsFindings: boolean;
  isOnly: boolean;
  canAsk: boolean;
  ask: (prompt: string) => void;
}) {
  return (
    <div class="opening">
      {opening.gate && <GateOpeningView gate={opening.gate} />}
      <AnswerText text={opening.summary} growing={false} />
      {showsFindings && opening.findings.length > 0 && (
        <>
          <h3>First findings</h3>
          <ul class="first-findings">
            {opening.findings.map((finding) => (
              <li key={finding}>
                <AnswerText text={finding} growing={false} />
              </li>
            ))}
          </ul>
        </>
      )}
      {isOnly && (
        <Suggestions questions={opening.suggestions} label="Suggested questions" disabled={!canAsk} ask={ask} />
      )}
    </div>
  );
}

/** What a gate found of this recording, and the way to it next to the run before. */
function GateOpeningView({ gate }: { gate: GateOpening }) {
  return (
    <div class="gate-opening">
      <AnswerText text={gate.text} growing={false} />
      {gate.beforeTraceId && (
        <button type="button" onClick={() => showView(`${location.pathname}?view=diff&before=${gate.beforeTraceId}`)}>
          Show what changed since <bdi>{gate.beforeName}</bdi>
        </button>
      )}
    </div>
  );
}

function ConnectionBanner({ connection, hasUnsent }: { connection: Connection; hasUnsent: boolean }) {
  if (connection.state === "reconnecting")
    return (
      <div class="banner">
        <span class="dots">
          <i />
          <i />
          <i />
        </span>
        <span>
          {hasUnsent
            ? "Connection lost. Your question waits here and is sent when the server can be reached."
            : "Connection lost. Reconnecting; a running answer goes on meanwhile. The chart stays usable."}
        </span>
      </div>
    );
  if (connection.state === "refused")
    return (
      <div class="banner" role="alert">
        <Icon name="warning" />
        <span>{connection.message}</span>
      </div>
    );
  return null;
}
