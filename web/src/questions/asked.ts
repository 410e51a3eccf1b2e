/** Questions over recordings: what is asked, what is answered, and those that are kept. */
import { json, post, remove } from "../api.ts";

export type Question = Record<string, unknown> & { form: string };

export interface ChartPoint {
  label: string;
  value: number;
  /** The recording that it is of, where it is of one. */
  traceId?: string;
}

export interface AnswerChart {
  kind?: "line" | "steps" | "grid" | "bars";
  unit?: string;
  points?: ChartPoint[];
}

export interface Answer {
  question: Question;
  headline: string;
  notes: string[];
  table: { columns: string[]; rows: string[][] };
  chart: AnswerChart;
}

export interface SavedQuestion {
  questionId: string;
  name: string;
  question: Question;
}

/** Answer words or a question. Of several programs one may be named. */
export async function run(asked: { text: string } | { question: Question }): Promise<Answer> {
  return ((await post("/questions/run", asked)) as { answer: Answer }).answer;
}

export async function savedQuestions(): Promise<SavedQuestion[]> {
  return (await json<{ questions: SavedQuestion[] }>("/questions")).questions;
}

export async function save(name: string, question: Question): Promise<SavedQuestion> {
  return ((await post("/questions", { name, question })) as { question: SavedQuestion }).question;
}

export async function change(
  questionId: string,
  changes: { name?: string; question?: Question },
): Promise<SavedQuestion> {
  const path = `/questions/${questionId}`;
  return ((await post(path, changes, "PATCH")) as { question: SavedQuestion }).question;
}

export function forget(questionId: string): Promise<void> {
  return remove(`/questions/${questionId}`);
}

/** The answer in a tool's result; null where it is of another kind. */
export function answerShown(shows: Record<string, unknown> | null, headline: string): Answer | null {
  if (shows?.kind !== "question" || typeof shows.question !== "object" || shows.question === null) return null;
  const { question, table, chart } = shows as unknown as Answer;
  return { question, headline, notes: [], table, chart: chart ?? {} };
}

/** The command that asks it again. */
export function command(question: Question): string {
  const written =
    question.form === "sql" && typeof question.sql === "string" && !question.trace && !question.runs
      ? `query --library ${quoted(question.sql)}`
      : `ask ${quoted(JSON.stringify(question))}`;
  return `flamechat ${written} --server ${location.origin}`;
}

/** As a shell reads it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The address under which the page asks it. */
export function addressOf(question: Question): string {
  return `${location.origin}/questions?ask=${encodeURIComponent(JSON.stringify(question))}`;
}

/** The question of such an address. */
export function questionIn(search: string): Question | null {
  try {
    const question: unknown = JSON.parse(new URLSearchParams(search).get("ask") ?? "null");
    return typeof question === "object" && question !== null && "form" in question ? (question as Question) : null;
  } catch {
    return null;
  }
}
