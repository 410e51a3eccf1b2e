/** What the command palette offers, and which of it fits what was typed. */

export interface Command {
  /** Unique among all. */
  key: string;
  group: "Actions" | "Conversations" | "Threads" | "Functions" | "Questions";
  name: string;
  /** Shown behind the name, and searched too. */
  hint?: string;
  run: () => void | Promise<void>;
}

const MOST_OF_GROUP = 8;

/** The commands that have every typed word, the best of each group first: names that begin with it, then those with a word that does. */
export function matching(commands: Command[], typed: string): Command[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const counts = new Map<Command["group"], number>();
  return commands
    .map((command, place) => ({ command, place, rank: rankOf(command, words) }))
    .filter(({ rank }) => rank >= 0)
    .sort(
      (a, b) =>
        GROUPS.indexOf(a.command.group) - GROUPS.indexOf(b.command.group) || a.rank - b.rank || a.place - b.place,
    )
    .flatMap(({ command }) => {
      const count = (counts.get(command.group) ?? 0) + 1;
      counts.set(command.group, count);
      return count <= MOST_OF_GROUP ? [command] : [];
    });
}

const GROUPS: Command["group"][] = ["Actions", "Threads", "Functions", "Questions", "Conversations"];

/** 0 is best; -1 where a word is missing. */
function rankOf({ name, hint = "" }: Command, words: string[]): number {
  const text = `${name} ${hint}`.toLowerCase();
  if (!words.every((word) => text.includes(word))) return -1;
  const first = words[0];
  if (!first || text.startsWith(first)) return 0;
  const at = text.indexOf(first);
  return /[\p{L}\p{N}]/u.test(text[at - 1]!) ? 2 : 1;
}
