/** Turns from before those that a conversation opens with: kept over a reconnect, and fetched a page at a time. */
import type { HistoryMessage } from "../protocol.ts";
import { turnsOf } from "./history.ts";
import { hasEnded, type Turn } from "./turn.ts";

/** Of a session's first message. */
const FIRST = 1;

/** The messages of the earliest turn of a history, which may begin in the middle of it. */
export function earliestOf(history: HistoryMessage[]): HistoryMessage[] {
  return history.filter((message) => message.turnId === history[0]!.turnId);
}

/** Whether the server has messages from before. */
export function hasEarlier(earliest: HistoryMessage[]): boolean {
  return (earliest[0]?.position ?? FIRST) > FIRST;
}

/** Known turns that stand before those that the server has just sent, with the first of these: what was sent of it may be cut. */
export function turnsBefore(known: Turn[], sent: Turn[]): Turn[] {
  const place = known.findIndex((turn) => turn.turnId === sent[0]?.turnId);
  return place > 0 ? known.slice(0, place + 1).filter(hasEnded) : [];
}

/** Known turns with those of earlier messages before them; the first known one is made anew, as it may have been cut. */
export function withEarlier(known: Turn[], earlier: HistoryMessage[], earliest: HistoryMessage[]): Turn[] {
  const made = turnsOf([...earlier, ...earliest]);
  return [...made, ...known.filter((turn) => !made.some((one) => one.turnId === turn.turnId))];
}
