/** The frame of every page: header, the page itself, and dropping traces anywhere. */
import { useCallback, useEffect, useState } from "preact/hooks";
import type { TraceInfo } from "./api.ts";
import { DropTarget } from "./home/drop_target.tsx";
import { config } from "./accounts/client_config.ts";
import type { Account } from "./accounts/account.tsx";
import type { AccountSwitch } from "./accounts/account_switch.tsx";
import type { SignIn } from "./accounts/sign_in.tsx";
import type { SignedIn } from "./accounts/signed_in.tsx";
import { access } from "./accounts/token.ts";
import { myUsage } from "./accounts/usage.ts";
import type { Admin } from "./admin/admin.tsx";
import type { AllConversations } from "./conversations/all_conversations.tsx";
import type { Questions } from "./questions/questions.tsx";
import type { Gates } from "./gates/gates.tsx";
import type { Handover } from "./handover/handover.tsx";
import { Home } from "./home/home.tsx";
import { UploadList } from "./home/upload_list.tsx";
import { startUploads } from "./home/uploads.ts";
import { Icon } from "./icons.tsx";
import { newId } from "./identifiers.ts";
import type { Room, RoomProps } from "./room/room.tsx";
import type { SharedRoom, SharedRoomProps } from "./room/shared_room.tsx";
import { go, roomPath, route, showView } from "./route.ts";
import { usePart } from "./store.ts";
import { theme, toggleTheme } from "./theme.ts";
import { formatSize, formatValue } from "./viewer/values.ts";

export function App() {
  const here = usePart(route, (value) => value);
  const shade = usePart(theme, (value) => value);
  const isTeam = usePart(config, (state) => state.identity === "supabase");
  const hasTeams = usePart(config, (state) => state.teams === true);
  const { token, refusal } = usePart(access, (state) => state);
  const [version, setVersion] = useState(0);
  const [trace, setTrace] = useState<TraceInfo | null>(null);
  const [isAdministrator, setIsAdministrator] = useState(false);
  const isKnown = !isTeam || (token !== null && !refusal);
  const asks = isKnown && here.page !== "shared";
  useEffect(() => {
    if (!asks) return;
    myUsage().then(
      (mine) => setIsAdministrator(mine.isAdministrator),
      () => setIsAdministrator(false),
    );
  }, [asks, token]);
  const upload = useCallback((files: File[]) => {
    void startUploads(files, (traces: TraceInfo[]) => {
      setVersion((count) => count + 1);
      if (traces.length === 1) go(roomPath(traces[0]!.traceId, newId()));
    });
  }, []);
  const compare = useCallback((file: File) => {
    const room = location.pathname;
    void startUploads([file], ([before]: TraceInfo[]) => {
      setVersion((count) => count + 1);
      if (before && location.pathname === room) showView(`${room}?view=diff&before=${before.traceId}`);
    });
  }, []);
  const isIn = !isTeam || token !== null; // one whose token has run out keeps what they see
  const other = shade === "dark" ? "light" : "dark";
  return (
    <>
      <header class="top">
        <a class="brand" href="/">
          <img src="/flame.svg" alt="" width="20" height="20" />
          Flamechat
        </a>
        {(here.page === "room" || here.page === "shared") && trace && (
          <TraceFacts trace={trace} isShared={here.page === "shared"} />
        )}
        {isIn && here.page !== "shared" && <PageLinks page={here.page} isAdministrator={isAdministrator} />}
        <button
          type="button"
          class="icon-button"
          aria-label={`Switch to the ${other} theme`}
          title={`${other} theme`}
          onClick={toggleTheme}
        >
          <Icon name={shade === "dark" ? "sun" : "moon"} />
        </button>
        {hasTeams && isKnown && here.page !== "shared" && <LazyAccountSwitch />}
        {isTeam && token && <LazySignedIn />}
      </header>
      {isTeam && (refusal || !token) && here.page !== "shared" && <LazySignIn isOver={token !== null} />}
      {here.page === "home" && isIn && <Home upload={upload} version={version} />}
      {here.page === "open" && isIn && <LazyHandover />}
      {here.page === "admin" && isIn && <LazyAdmin />}
      {here.page === "account" && isIn && <LazyAccount />}
      {here.page === "conversations" && isIn && <LazyConversations />}
      {here.page === "questions" && isIn && <LazyQuestions />}
      {here.page === "gates" && isIn && <LazyGates />}
      {here.page === "room" && isIn && (
        <LazyRoom traceId={here.traceId} sessionId={here.sessionId} trace={trace} setTrace={setTrace} />
      )}
      {here.page === "shared" && <LazySharedRoom token={here.token} trace={trace} setTrace={setTrace} />}
      {here.page === "room" && (
        <div class="floating">
          <UploadList />
        </div>
      )}
      <DropTarget dropped={upload} compared={here.page === "room" && trace ? compare : null} />
    </>
  );
}

/** The ways to other pages; in a narrow window behind a button. */
function PageLinks({ page, isAdministrator }: { page: string; isAdministrator: boolean }) {
  const remembers = usePart(config, (state) => state.memory !== false); // a server of before does not say it
  const links = [
    ["conversations", "Conversations"],
    ["questions", "Questions"],
    ["gates", "Gates"],
    ["account", remembers ? "Memory" : "Account"],
    ...(isAdministrator ? [["admin", "Plans and users"]] : []),
  ];
  return (
    <>
      <button type="button" class="icon-button pages-button" popovertarget="pages" aria-label="Pages" title="Pages">
        <Icon name="menu" />
      </button>
      <nav
        id="pages"
        class="pages"
        popover="auto"
        aria-label="Pages"
        onClick={({ currentTarget }) => currentTarget.matches(":popover-open") && currentTarget.hidePopover()}
      >
        {links.map(([name, text]) => (
          <a key={name} class="admin-link" href={`/${name}`} aria-current={page === name ? "page" : undefined}>
            {text}
          </a>
        ))}
      </nav>
    </>
  );
}

function TraceFacts({ trace, isShared }: { trace: TraceInfo; isShared: boolean }) {
  const facts = [
    trace.format,
    trace.durationNs === null ? null : formatValue(trace.durationNs, "nanoseconds"),
    formatSize(trace.sizeBytes),
    isShared && "shared by link, to look at",
  ];
  return (
    <p class="trace-facts">
      <strong title={trace.name}>{trace.name}</strong>
      <span>{facts.filter(Boolean).join(" · ")}</span>
    </p>
  );
}

/** The rooms with their chart are fetched when they are first entered: the library does not need them. */
function LazyRoom(props: RoomProps) {
  const loaded = useModule<{ Room: typeof Room }>(() => import("./room/room.tsx"));
  return loaded === "lost" ? <Lost /> : loaded ? <loaded.Room {...props} /> : <main class="room-loading" />;
}

function LazySharedRoom(props: SharedRoomProps) {
  const loaded = useModule<{ SharedRoom: typeof SharedRoom }>(() => import("./room/shared_room.tsx"));
  return loaded === "lost" ? <Lost /> : loaded ? <loaded.SharedRoom {...props} /> : <main class="room-loading" />;
}

/** Only people of a project sign in. */
function LazySignIn(props: { isOver: boolean }) {
  const loaded = useModule<{ SignIn: typeof SignIn }>(() => import("./accounts/sign_in.tsx"));
  return loaded === "lost" ? <Lost /> : loaded && <loaded.SignIn {...props} />;
}

function LazySignedIn() {
  const loaded = useModule<{ SignedIn: typeof SignedIn }>(() => import("./accounts/signed_in.tsx"));
  return loaded && loaded !== "lost" && <loaded.SignedIn />;
}

function LazyAccountSwitch() {
  const loaded = useModule<{ AccountSwitch: typeof AccountSwitch }>(() => import("./accounts/account_switch.tsx"));
  return loaded && loaded !== "lost" && <loaded.AccountSwitch />;
}

/** Pages that few people open in a visit. */
function LazyAdmin() {
  const loaded = useModule<{ Admin: typeof Admin }>(() => import("./admin/admin.tsx"));
  return loaded === "lost" ? <Lost /> : loaded && <loaded.Admin />;
}

function LazyAccount() {
  const remembers = usePart(config, (state) => state.memory !== false);
  const loaded = useModule<{ Account: typeof Account }>(() => import("./accounts/account.tsx"));
  const hasTeams = usePart(config, (state) => state.teams === true);
  return loaded === "lost" ? <Lost /> : loaded && <loaded.Account remembers={remembers} hasTeams={hasTeams} />;
}

function LazyGates() {
  const loaded = useModule<{ Gates: typeof Gates }>(() => import("./gates/gates.tsx"));
  return loaded === "lost" ? <Lost /> : loaded && <loaded.Gates />;
}

function LazyHandover() {
  const loaded = useModule<{ Handover: typeof Handover }>(() => import("./handover/handover.tsx"));
  return loaded === "lost" ? <Lost /> : loaded && <loaded.Handover />;
}

function LazyConversations() {
  const loaded = useModule<{ AllConversations: typeof AllConversations }>(
    () => import("./conversations/all_conversations.tsx"),
  );
  return loaded === "lost" ? <Lost /> : loaded && <loaded.AllConversations />;
}

function LazyQuestions() {
  const loaded = useModule<{ Questions: typeof Questions }>(() => import("./questions/questions.tsx"));
  return loaded === "lost" ? <Lost /> : loaded && <loaded.Questions />;
}

function useModule<M>(load: () => Promise<M>): M | "lost" | null {
  const [loaded, setLoaded] = useState<M | "lost" | null>(null);
  useEffect(() => {
    load().then(
      (module) => setLoaded(module),
      () => setLoaded("lost"),
    );
  }, []);
  return loaded;
}

function Lost() {
  return (
    <main class="room-loading">
      <p role="alert">This part of the page could not be fetched. Reload the page.</p>
    </main>
  );
}
