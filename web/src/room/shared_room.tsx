/** A trace behind a link, as whoever has the link sees it: the chart and its functions, nothing to be changed. */
import { useMemo } from "preact/hooks";
import { sharedPath, sharedTrace, type TraceInfo } from "../api.ts";
import { ViewerStore } from "../viewer/viewer_store.ts";
import { Viewer } from "../viewer/viewer.tsx";
import { Opening, useTrace, useViewAddress } from "./opening.tsx";

const GONE = "This link leads nowhere: it was ended, or the trace was deleted.";

export interface SharedRoomProps {
  token: string;
  trace: TraceInfo | null;
  setTrace: (trace: TraceInfo | null) => void;
}

export function SharedRoom({ token, trace, setTrace }: SharedRoomProps) {
  const problem = useTrace(token, sharedTrace, GONE, setTrace);
  if (problem || !trace) return <Opening problem={problem} />;
  return <OpenShared key={token} trace={trace} token={token} />;
}

function OpenShared({ trace, token }: { trace: TraceInfo; token: string }) {
  const viewer = useMemo(() => new ViewerStore(trace, sharedPath(token)), [trace, token]);
  const link = useViewAddress(viewer, trace);
  return (
    <main class="room shared">
      <h1 class="visually-hidden">{trace.name}</h1>
      <Viewer store={viewer} ask={null} mentions={() => []} link={link} />
    </main>
  );
}
