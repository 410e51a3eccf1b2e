/** A trace behind a link, as whoever has the link sees it: the chart and its functions, and a conversation that was shared with it. Nothing to be changed. */
import { useCallback, useMemo, useRef, useState } from "preact/hooks";
import { sharedPath, sharedTrace, type TraceInfo } from "../api.ts";
import { ViewerStore } from "../viewer/viewer_store.ts";
import { Viewer } from "../viewer/viewer.tsx";
import { citing, showCitation } from "./mentions.ts";
import { Opening, useTrace, useViewAddress } from "./opening.tsx";
import { PartSwitch, type RoomPart } from "./part_switch.tsx";
import { SharedConversation, useSharedConversation } from "./shared_conversation.tsx";
import { Splitter } from "./splitter.tsx";

const GONE = "This link leads nowhere: it was ended, or the trace or conversation was deleted.";

export interface SharedRoomProps {
  token: string;
  trace: TraceInfo | null;
  setTrace: (trace: TraceInfo | null) => void;
}

export function SharedRoom({ token, trace, setTrace }: SharedRoomProps) {
  const [hasConversation, setHasConversation] = useState(false);
  const fetched = async (address: string) => {
    const shared = await sharedTrace(address);
    setHasConversation(shared.conversation);
    return shared.trace;
  };
  const problem = useTrace(token, fetched, GONE, setTrace);
  if (problem || !trace) return <Opening problem={problem} />;
  const Room = hasConversation ? OpenConversation : OpenShared;
  return <Room key={token} trace={trace} token={token} />;
}

interface OpenProps {
  trace: TraceInfo;
  token: string;
}

function OpenShared({ trace, token }: OpenProps) {
  const viewer = useMemo(() => new ViewerStore(trace, sharedPath(token)), [trace, token]);
  const link = useViewAddress(viewer, trace);
  return (
    <main class="room shared">
      <h1 class="visually-hidden">{trace.name}</h1>
      <Viewer store={viewer} ask={null} mentions={() => []} link={link} />
    </main>
  );
}

function OpenConversation({ trace, token }: OpenProps) {
  const room = useRef<HTMLElement>(null);
  const viewer = useMemo(() => new ViewerStore(trace, sharedPath(token)), [trace, token]);
  const link = useViewAddress(viewer, trace);
  const read = useSharedConversation(token);
  const [part, setPart] = useState<RoomPart>("chat");
  const turns = read && typeof read === "object" ? read.turns : null;
  const mentions = useCallback(
    (handles: string[]) =>
      citing(turns ?? [], handles).map((one) => ({
        ...one,
        show: () => {
          setPart("chat");
          requestAnimationFrame(() => showCitation(one));
        },
      })),
    [turns],
  );
  return (
    <main class="room shared-conversation" ref={room} data-shown={part}>
      <h1 class="visually-hidden">{trace.name}</h1>
      <PartSwitch shown={part} show={setPart} />
      <Viewer store={viewer} ask={null} mentions={mentions} link={link} />
      <Splitter room={room} />
      <SharedConversation read={read} viewer={viewer} room={room} toChart={() => setPart("chart")} />
    </main>
  );
}
