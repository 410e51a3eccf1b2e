/** The fields of a question's form, as texts that a person types, and the question that they make. */
import type { Question } from "./asked.ts";

/** Those that the question's form has; the others are not there. */
export interface Fields {
  sql?: string;
  kind?: string;
  name?: string;
  value?: string;
  steps?: string;
  program?: string;
  labels?: string;
  before?: string;
  after?: string;
  last?: string;
  by?: string;
  above?: string;
}

interface Runs {
  program?: string;
  labels?: Record<string, string>;
  last?: number;
  [other: string]: unknown;
}

const FIRST_VALUE: Record<string, string> = { function: "self", finding: "share", figure: "value" };
const LABEL = /^([a-z0-9_.-]{1,40})[:=](.+)$/;

export function fieldsOf(question: Question): Fields {
  if (question.form === "sql") return { sql: String(question.sql ?? "") };
  const runs = (question.runs ?? {}) as Runs;
  const ofRuns: Fields = question.trace
    ? {}
    : { program: runs.program ?? "", labels: labelsText(runs.labels), last: String(runs.last ?? "") };
  if (question.form === "path") {
    const steps = (question.steps ?? []) as { name: string; file?: string }[];
    return {
      steps: steps.map((step) => (step.file ? `${step.name} @ ${step.file}` : step.name)).join(", "),
      ...ofRuns,
    };
  }
  const measure = (question.measure ?? {}) as { kind?: string; name?: string; value?: string };
  const kind = measure.kind ?? "function";
  const ofMeasure: Fields = { kind, name: measure.name ?? "", value: measure.value ?? FIRST_VALUE[kind]! };
  if (question.form === "compare") {
    const [before, after] = [question.before, question.after] as (Runs | undefined)[];
    return {
      ...ofMeasure,
      program: after?.program ?? before?.program ?? "",
      before: labelsText(before?.labels),
      after: labelsText(after?.labels),
    };
  }
  if (question.form === "recurrence") {
    const share = typeof question.above === "number" ? String(Number((question.above * 100).toPrecision(6))) : "";
    return { ...ofMeasure, ...ofRuns, above: share };
  }
  return { ...ofMeasure, ...ofRuns, by: String(question.by ?? "") };
}

/** The question with the fields' texts in place of what it had; a sentence where they make none. */
export function questionFrom(question: Question, fields: Fields): Question | string {
  if (fields.sql !== undefined) return fields.sql.trim() ? { ...question, sql: fields.sql } : "Write a SELECT.";
  const made: Question = { ...question };
  if (fields.kind !== undefined) {
    if (!fields.name?.trim() && question.form !== "compare") return "Name what is measured.";
    const before = (question.measure ?? {}) as { name?: string; file?: string; kind?: string };
    const isSame = before.name === fields.name && before.kind === fields.kind;
    const named = fields.name?.trim();
    const file = isSame && before.file ? { file: before.file } : {};
    const measure = named ? { kind: fields.kind, name: named, ...file, value: fields.value } : undefined;
    withOrWithout(made, "measure", measure);
  }
  if (fields.steps !== undefined) {
    const names = fields.steps.split(/,\s*(?:then\s+)?/).filter((name) => name.trim());
    if (names.length < 2) return "A path has two functions or more, with commas between them.";
    made.steps = names.map((name) => {
      const [function_, file] = name.trim().split(" @ ");
      return file ? { name: function_, file } : { name: function_ };
    });
  }
  for (const [field, runs] of [
    ["labels", "runs"],
    ["before", "before"],
    ["after", "after"],
  ] as const) {
    if (fields[field] === undefined) continue;
    const labels = labelsIn(fields[field]);
    if (typeof labels === "string") return labels;
    const { labels: _, program: __, last: ___, ...others } = (question[runs] ?? {}) as Runs;
    const last = field === "labels" ? fields.last?.trim() : "";
    if (last && !/^[1-9]\d{0,3}$/.test(last)) return "The number of recordings is a whole number above 0.";
    made[runs] = {
      ...others,
      ...(fields.program?.trim() ? { program: fields.program.trim() } : {}),
      ...(Object.keys(labels).length ? { labels } : {}),
      ...(last ? { last: Number(last) } : {}),
    };
  }
  if (fields.by !== undefined) withOrWithout(made, "by", fields.by.trim() || undefined);
  if (fields.above !== undefined) {
    const share = fields.above.trim() ? Number(fields.above) / 100 : undefined;
    if (share !== undefined && !(share >= 0 && share <= 1)) return "A share is a number from 0 to 100.";
    withOrWithout(made, "above", share);
  }
  return made;
}

function withOrWithout(question: Question, name: string, value: unknown): void {
  if (value === undefined) delete question[name];
  else question[name] = value;
}

export function labelsText(labels: Record<string, string> = {}): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}:${value}`)
    .join(", ");
}

/** `branch:main, release:4.1` as labels; a sentence for what is none. */
export function labelsIn(text: string): Record<string, string> | string {
  const labels: Record<string, string> = {};
  for (const part of text.split(/,\s*|\n/)) {
    if (!part.trim()) continue;
    const label = LABEL.exec(part.trim());
    if (!label) return `A label is written key:value, like branch:main; “${part.trim().slice(0, 60)}” is not.`;
    labels[label[1]!] = label[2]!.trim();
  }
  return labels;
}
