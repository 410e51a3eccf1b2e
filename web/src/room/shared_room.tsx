/** A trace behind a link, as whoever holds the link sees it: the chart and its functions, nothing to be changed. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { ApiError, sharedPath, sharedTrace, type TraceInfo } from "../api.ts";
import { goTo } from "../viewer/navigation.ts";
import { ViewerStore } from "../viewer/viewer_store.ts";
import { Viewer } from "../viewer/viewer.tsx";
import { NoTrace } from "./no_trace.tsx";

export interface SharedRoomProps {
  token: string;
  trace: TraceInfo | null;
  setTrace: (trace: TraceInfo | null) => void;
}

export function SharedRoom({ token, trace, setTrace }: SharedRoomProps) {
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    let current = true;
    setTrace(null);
    setProblem(null);
    sharedTrace(token).then(
      (found) => current && setTrace(found),
      (error: Error) =>
        current &&
        setProblem(
          error instanceof ApiError && error.status === 404
            ? "This link leads nowhere: it was ended, or the trace was deleted."
            : error.message,
        ),
    );
    return () => {
      current = false;
    };
  }, [token]);
  if (problem) return <NoTrace problem={problem} />;
  if (!trace)
    return (
      <main class="room-loading">
        <p role="status">Opening the trace…</p>
      </main>
    );
  return <OpenShared key={token} trace={trace} token={token} />;
}

function OpenShared({ trace, token }: { trace: TraceInfo; token: string }) {
  const viewer = useMemo(() => new ViewerStore(trace, sharedPath(token)), [trace, token]);
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
  return (
    <main class="room shared">
      <h1 class="visually-hidden">{trace.name}</h1>
      <Viewer store={viewer} ask={null} mentions={() => []} />
    </main>
  );
}
