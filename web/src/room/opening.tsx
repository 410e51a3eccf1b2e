/** What the rooms share: the trace that their address names, what is shown until it is there, and its first view. */
import { useEffect, useState } from "preact/hooks";
import { ApiError, type TraceInfo } from "../api.ts";
import { goTo } from "../viewer/navigation.ts";
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

/** Show all of the trace, then what the address points at, now and whenever it points elsewhere. */
export function useFirstView(viewer: ViewerStore, trace: TraceInfo): void {
  useEffect(() => {
    document.title = `${trace.name} · Flamechat`;
    const follow = () => {
      if (location.hash) void goTo(viewer, location.hash);
    };
    void viewer.show({}).then(follow);
    addEventListener("hashchange", follow);
    return () => {
      removeEventListener("hashchange", follow);
      viewer.close();
    };
  }, [viewer]);
}
