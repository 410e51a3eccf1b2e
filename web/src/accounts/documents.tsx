/** Documents that answers cite: the team's runbooks, brought and taken away, and Flamechat's own pages. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { json, remove } from "../api.ts";
import { formatSize } from "../viewer/values.ts";

interface KeptDocument {
  documentId: string;
  name: string;
  sizeBytes: number;
  createdAt: string;
  ours: boolean;
}

const MOST_BYTES = 1 << 20;

export function Documents() {
  const [found, setFound] = useState<KeptDocument[] | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const act = useCallback(async (work: () => Promise<unknown>) => {
    try {
      setProblem(null);
      await work();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
    try {
      setFound((await json<{ documents: KeptDocument[] }>("/knowledge")).documents);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  }, []);
  useEffect(() => {
    void act(async () => {});
  }, [act]);
  const add = async (files: File[]) => {
    for (const file of files) {
      if (file.size > MOST_BYTES) throw new Error(`${file.name} is larger than 1 MB.`);
      await json(`/knowledge?${new URLSearchParams({ name: file.name })}`, { method: "POST", body: file });
    }
  };
  const ours = found?.filter((one) => one.ours) ?? [];
  const theirs = found?.filter((one) => !one.ours) ?? [];
  return (
    <section class="documents" aria-labelledby="documents">
      <h2 id="documents">Documents</h2>
      <p class="lead">
        Runbooks and notes of your team, in Markdown or plain text, at most 1 MB each: answers cite them.
      </p>
      {problem && <p role="alert">{problem}</p>}
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept=".md,.markdown,.txt,text/markdown,text/plain"
        aria-label="Documents to add"
        onChange={({ currentTarget }) => {
          const files = [...(currentTarget.files ?? [])];
          currentTarget.value = "";
          void act(() => add(files));
        }}
      />
      <ul class="facts" aria-label="Documents">
        {theirs.map((one) => (
          <li key={one.documentId}>
            <p>
              <bdi>{one.name}</bdi>
              <small>
                {formatSize(one.sizeBytes)},{" "}
                <time dateTime={one.createdAt}>{new Date(one.createdAt).toLocaleDateString()}</time>
              </small>
            </p>
            <button
              type="button"
              aria-label={`Remove ${one.name}`}
              onClick={() => void act(() => remove(`/knowledge/${one.documentId}`))}
            >
              Remove
            </button>
          </li>
        ))}
      </ul>
      <div class="memory-actions">
        <span>{ours.length > 0 && `Flamechat’s own: ${ours.map((one) => one.name).join(", ")}`}</span>
        <button type="button" onClick={() => input.current?.click()}>
          Add a document
        </button>
      </div>
    </section>
  );
}
