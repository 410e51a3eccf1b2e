/** The labels of one recording, to be changed: one a line. */
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { relabel, type TraceInfo } from "../api.ts";
import { labelChanges, labelsOf } from "./labels.ts";

interface Props {
  trace: TraceInfo;
  /** The recording as it is now; null where nothing was changed. */
  done: (trace: TraceInfo | null) => void;
}

export function LabelForm({ trace, done }: Props) {
  const id = useId();
  const text = useRef<HTMLTextAreaElement>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => text.current?.focus(), []);
  const submit = async (event: Event) => {
    event.preventDefault();
    const changes = labelChanges(text.current!.value, trace);
    if (typeof changes === "string") return setProblem(changes);
    try {
      done(Object.keys(changes).length ? await relabel(trace.traceId, changes) : null);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <form
      class="label-form"
      onSubmit={(event) => void submit(event)}
      onKeyDown={(event) => {
        if (event.key === "Escape") done(null);
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void submit(event);
      }}
    >
      <label for={id}>Labels, one a line: program, commit, branch, release, scenario, or your own</label>
      <textarea
        id={id}
        ref={text}
        rows={Math.max(3, labelsOf(trace).length + 1)}
        maxLength={8000}
        spellcheck={false}
        placeholder={"program:engine\nbranch:main"}
        defaultValue={labelsOf(trace).join("\n")}
      />
      {problem && <p role="alert">{problem}</p>}
      <button type="submit" class="primary">
        Save
      </button>
      <button type="button" onClick={() => done(null)}>
        Cancel
      </button>
    </form>
  );
}
