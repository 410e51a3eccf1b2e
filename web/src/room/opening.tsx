/** What the rooms share: the trace that their address names, what is shown until it is there, and its first view. */
import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import { ApiError, type TraceInfo } from "../api.ts";
import { ViewAddress } from "../viewer/view_address.ts";
import type { ViewerStore } from "../viewer/viewer_store.ts";
import { NoTrace } from "./no_trace.tsx";

/** Fetch the trace of an address whenever that changes; gives why there is none, in the words of `gone` for a 404. */
export function useTrace(
  address: string,
  fetched: (address: string) => Promise<TraceInfo>,
  gone: string,
  setTrace: (trace: TraceInfo | null) => void,
): string | null {
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    let isCurrent = true;
    setTrace(null);
    setProblem(null);
    fetched(address).then(
      (found) => isCurrent && setTrace(found),
      (error: Error) =>
        isCurrent && setProblem(error instanceof ApiError && error.status === 404 ? gone : error.message),
    );
    return () => {
      isCurrent = false;
    };
  }, [address]);
  return problem;
}

export function Opening({ problem }: { problem: string | null }) {
  if (problem) return <NoTrace problem={problem} />;
  return (
    <main class="room-loading">
      <p role="status">Opening the trace…</p>
    </main>
  );
}

/** Show what the address says of the trace, and keep the address of what is shown from then on; returns a link to it. */
export function useViewAddress(viewer: ViewerStore, trace: TraceInfo): () => Promise<string> {
  const address = useMemo(() => new ViewAddress(viewer), [viewer]);
  useEffect(() => {
    document.title = `${trace.name} · Flamechat`;
    void address.open();
    return () => {
      address.close();
      viewer.close();
    };
  }, [address]);
  return useCallback(() => address.link(), [address]);
}
