/** A question that can be changed: its form's own fields, or its SQL. */
import { useId, useState } from "preact/hooks";
import type { Question } from "./asked.ts";
import { fieldsOf, questionFrom, type Fields } from "./question_fields.ts";

const VALUES: Record<string, [string, string][]> = {
  function: [
    ["self", "self time"],
    ["total", "total time"],
    ["self_share", "share by itself"],
    ["total_share", "share with what it calls"],
    ["calls", "calls"],
  ],
  finding: [["share", "share"]],
  figure: [["value", "value"]],
};

interface Props {
  question: Question;
  busy: boolean;
  run: (question: Question) => void;
}

export function QuestionForm({ question, busy, run }: Props) {
  const [fields, setFields] = useState<Fields>(() => fieldsOf(question));
  const [problem, setProblem] = useState<string | null>(null);
  const set = (changes: Partial<Fields>) => setFields((before) => ({ ...before, ...changes }));
  const submit = (event: Event) => {
    event.preventDefault();
    const made = questionFrom(question, fields);
    setProblem(typeof made === "string" ? made : null);
    if (typeof made !== "string") run(made);
  };
  const has = (name: keyof Fields) => fields[name] !== undefined;
  return (
    <form class="question-form" aria-label="The query" onSubmit={submit}>
      {has("sql") && (
        <Field label="SQL">
          {(id) => (
            <textarea
              id={id}
              rows={5}
              spellcheck={false}
              value={fields.sql}
              onInput={(event) => set({ sql: event.currentTarget.value })}
              onKeyDown={(event) => {
                if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit(event);
              }}
            />
          )}
        </Field>
      )}
      {has("kind") && (
        <>
          <Choice
            label="Of a"
            value={fields.kind!}
            choices={["function", "finding", "figure"].map((kind) => [kind, kind])}
            chosen={(kind) => set({ kind, value: VALUES[kind]![0]![0] })}
          />
          <Text
            label="Name"
            value={fields.name!}
            typed={(name) => set({ name })}
            hint={question.form === "compare" ? "all functions" : ""}
          />
          <Choice
            label="Value"
            value={fields.value!}
            choices={VALUES[fields.kind!] ?? []}
            chosen={(value) => set({ value })}
          />
        </>
      )}
      {has("steps") && (
        <Text
          label="Functions in turn"
          value={fields.steps!}
          typed={(steps) => set({ steps })}
          hint="f, then g, then h"
        />
      )}
      {has("program") && <Text label="Program" value={fields.program!} typed={(program) => set({ program })} />}
      {has("labels") && (
        <Text label="With labels" value={fields.labels!} typed={(labels) => set({ labels })} hint="branch:main" />
      )}
      {has("before") && (
        <>
          <Text label="Before: labels" value={fields.before!} typed={(before) => set({ before })} hint="branch:main" />
          <Text label="After: labels" value={fields.after!} typed={(after) => set({ after })} hint="branch:feature-x" />
        </>
      )}
      {has("last") && (
        <Text label="The last … recordings" value={fields.last!} typed={(last) => set({ last })} hint="all" />
      )}
      {has("by") && <Text label="By label" value={fields.by!} typed={(by) => set({ by })} hint="by time" />}
      {has("above") && <Text label="Above %" value={fields.above!} typed={(above) => set({ above })} hint="any" />}
      {problem && <p role="alert">{problem}</p>}
      <button type="submit" class="primary" disabled={busy}>
        Run again
      </button>
    </form>
  );
}

function Field({ label, children }: { label: string; children: (id: string) => preact.ComponentChildren }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(id)}
    </div>
  );
}

function Text(props: { label: string; value: string; typed: (text: string) => void; hint?: string }) {
  return (
    <Field label={props.label}>
      {(id) => (
        <input
          id={id}
          type="text"
          maxLength={1000}
          value={props.value}
          placeholder={props.hint ?? ""}
          onInput={(event) => props.typed(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

function Choice(props: { label: string; value: string; choices: [string, string][]; chosen: (value: string) => void }) {
  return (
    <Field label={props.label}>
      {(id) => (
        <select id={id} value={props.value} onChange={(event) => props.chosen(event.currentTarget.value)}>
          {props.choices.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
