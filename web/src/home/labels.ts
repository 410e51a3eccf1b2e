/** Labels of recordings as people type and read them. */

const WORD = /^([a-z0-9_.-]{1,40}):(\S+)$/;
const LABEL = /^([a-z0-9_.-]{1,40})\s*[:=]\s*(.+)$/;

export interface Labelled {
  labels?: Record<string, string>;
  program?: string | null;
}

/** `program:engine`, `branch:main` and the others; a server of before has none. */
export function labelsOf({ labels, program }: Labelled): string[] {
  return [
    ...(program ? [`program:${program}`] : []),
    ...Object.entries(labels ?? {}).map(([key, value]) => `${key}:${value}`),
  ];
}

/** What a search field holds: words, and labels among them. */
export function searchIn(text: string): { text: string; labels: string[] } {
  const words = text.split(/\s+/).filter(Boolean);
  const isLabel = (word: string) => WORD.test(word) && !/^[a-z]+:\/\//.test(word);
  return { text: words.filter((word) => !isLabel(word)).join(" "), labels: words.filter(isLabel) };
}

/** What has to change for a recording to have the labels of a text, one a line; a sentence for what is none. */
export function labelChanges(text: string, now: Labelled): Record<string, string | null> | string {
  const given: Record<string, string> = {};
  for (const line of text.split("\n")) {
    if (!line.trim()) continue;
    const label = LABEL.exec(line.trim());
    if (!label) return `A label is written key:value, like branch:main; “${line.trim().slice(0, 60)}” is not.`;
    if (label[1]! in given) return `The label ${label[1]} stands there twice.`;
    given[label[1]!] = label[2]!.trim();
  }
  const before: Record<string, string> = { ...now.labels, ...(now.program ? { program: now.program } : {}) };
  const changes: Record<string, string | null> = {};
  for (const [key, value] of Object.entries(given)) if (before[key] !== value) changes[key] = value;
  for (const key of Object.keys(before)) if (!(key in given)) changes[key] = null;
  return changes;
}
