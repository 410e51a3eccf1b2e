/** Turns that the server has not stored, among those that it has. */
import { hasEnded, type Turn } from "./turn.ts";

/** Stored turns, and in their place or behind them what only the page knows: a turn that runs, or was never stored. */
export function withUnstored(stored: Turn[], shown: Turn[]): Turn[] {
  const own = shown.filter((turn) => !hasEnded(turn) || !stored.some((one) => one.turnId === turn.turnId));
  return [...stored.filter((turn) => !own.some((one) => one.turnId === turn.turnId)), ...own];
}
