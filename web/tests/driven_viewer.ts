/**
 * The viewer's store and its address without a page, driven line by line: each line of standard input is a JSON list of views that are
 * shown one after the other; the answer, a line, is `null`, or what a copied link, a reload, Back or Forward showed that it should not.
 */
import { createInterface } from "node:readline";
import { Tab } from "./page_tab.ts";
import { colourBy, type Colouring } from "../src/viewer/colouring.ts";
import { ROW } from "../src/viewer/paint.ts";
import { transformsOf } from "../src/viewer/transforms.ts";
import { ViewAddress } from "../src/viewer/view_address.ts";
import type { ViewMode } from "../src/viewer/view_bytes.ts";
import { ViewerStore } from "../src/viewer/viewer_store.ts";
import type { PanelName } from "../src/tables/panels.ts";
import type { TraceInfo } from "../src/api.ts";
import "../src/viewer/kept_views.ts"; // which the page loads late

/** What is done to the store; shares are of the axis. */
interface Step {
  mode: ViewMode;
  profile: number;
  threads: number[];
  colouring: Colouring;
  transforms: string;
  within: [number, number] | null;
  window: [number, number] | null;
  words: string;
  isExpression: boolean;
  box: number | null;
  panel: PanelName | null;
  row: number;
  finding: string | null;
}

const PROFILES = Array.from({ length: 12 }, (_, index) => `p${index}`);
const BOXES = 40;
const TRACE = {
  traceId: "t",
  name: "trace",
  summary: { profiles: PROFILES.map((handle) => ({ handle, kind: "evented" })), default_profile: "p3" },
} as unknown as TraceInfo;
const kept = new Map<string, unknown>();

/** A view of boxes in four rows; those of each profile lie elsewhere. */
function view(asked: URLSearchParams): Response {
  const [mode, profile] = [asked.get("mode")!, asked.get("profile")!];
  const begin = Number(profile.slice(1)) * 1e6;
  const start = Float64Array.from({ length: BOXES }, (_, box) => begin + (box % 10) * 1e5);
  const end = start.map((from, box) => from + 9e4 - box * 100);
  const frame = Int32Array.from({ length: BOXES }, (_, box) => box % 7);
  const ref = Int32Array.from({ length: BOXES }, (_, box) => Number(profile.slice(1)) * 1000 + box);
  const head = (at: number) => ({
    mode,
    profile,
    unit: "nanoseconds",
    axisStart: begin,
    axisEnd: begin + 1e6,
    refKind: mode === "time_order" ? "span" : "node",
    boxes: BOXES,
    total: BOXES,
    merged: Number(profile.slice(1)) % 2,
    rowOffsets: [0, 10, 20, 30, 40],
    frames: {
      ids: [0, 1, 2, 3, 4, 5, 6],
      names: ["a", "b", "c", "parse", "e", "f", "g"],
      files: Array(7).fill(null),
      lines: Array(7).fill(null),
      colours: Array(7).fill(0),
    },
    legend: [],
    callers: null,
    frame: asked.get("frame"),
    columns: [start, end, frame, ref].map((_, index) => ({
      name: ["start", "end", "frame", "ref"][index],
      dtype: index < 2 ? "f8" : "i4",
      offset: at + [0, 8, 16, 20][index]! * BOXES,
      length: BOXES,
    })),
  });
  const at = Math.ceil((JSON.stringify(head(1e6)).length + 8) / 8) * 8;
  const bytes = new Uint8Array(at + 24 * BOXES);
  bytes.set(new TextEncoder().encode("FCV1"));
  new DataView(bytes.buffer).setUint32(4, at - 8, true);
  bytes.set(new TextEncoder().encode(JSON.stringify(head(at)).padEnd(at - 8)), 8);
  for (const [index, column] of [start, end, frame, ref].entries())
    bytes.set(new Uint8Array(column.buffer), at + [0, 8, 16, 20][index]! * BOXES);
  return new Response(bytes);
}

globalThis.fetch = async (path, options) => {
  const url = new URL(String(path), "http://x");
  const last = url.pathname.split("/").at(-1)!;
  if (last === "view") return view(url.searchParams);
  if (last === "thread-search") return Response.json({ frames: [1, 3] });
  if (last === "views") {
    const text = String(options?.body);
    const id = `${[...kept.keys()].indexOf(text) + 1 || kept.size + 1}`.padStart(12, "k");
    kept.set(text, JSON.parse(text)).set(id, JSON.parse(text));
    return Response.json({ viewId: id }, { status: 201 });
  }
  const found = kept.get(last) as object | undefined;
  if (found) return Response.json({ transforms: "", find: "", ...found });
  return Response.json({ detail: `nothing at ${url.pathname}` }, { status: 404 });
};

/** One page in a tab: store and address. */
class Room {
  store = new ViewerStore(TRACE);
  address = new ViewAddress(this.store);

  async opened(): Promise<this> {
    await this.address.open();
    return this;
  }

  close(): void {
    this.address.close();
    this.store.close();
  }

  async take(step: Step): Promise<void> {
    const { store } = this;
    const handles = step.threads.map((one) => PROFILES[one]!);
    const profile = handles[0] ?? PROFILES[step.profile]!;
    await store.open.set(step.mode === "time_order" ? handles : []);
    const begin = Number(profile.slice(1)) * 1e6;
    const [from, to] = step.within ?? [0, 1];
    await store.show({
      mode: step.mode,
      profile,
      sandwichOf: "f3",
      diff: { before: "other", compare: "shares" },
      within: step.mode === "left_heavy" && step.within ? { start: begin + from * 1e6, end: begin + to * 1e6 } : null,
      transforms: transformsOf(step.transforms) ?? [],
    });
    await colourBy(store, step.colouring);
    const { start, end } = store.bounds();
    const [left, right] = step.window ?? [0, 1];
    await store.showWindow({ start: start + left * (end - start), end: start + right * (end - start) });
    store.search(step.words, step.words && step.isExpression ? new Set([1, 3]) : null);
    store.select(step.box === null ? null : { half: "boxes", index: step.box });
    store.openPanel(step.panel);
    store.finding.write(step.finding);
    store.open.scrolled(profile, step.row * ROW);
  }

  /** What a person sees. */
  seen(): object {
    const { mode, profile, sandwichOf, diff, within, transforms, window, search, selection, panel, problem } =
      this.store.read();
    const { scrollTarget, tops } = this.store.open;
    const scrolled = scrollTarget.read();
    return {
      mode,
      profile,
      sandwichOf: mode === "sandwich" ? sandwichOf : null,
      diff: mode === "diff" ? diff : null,
      within: mode === "left_heavy" ? within : null,
      transforms,
      window: [window.start, window.end].map((place) => Number(place.toPrecision(12))),
      search: [search.words, search.frames && [...search.frames]],
      matches: search.boxes.length,
      box: selection?.index ?? null,
      panel,
      colouring: this.store.source.colouring,
      threads: this.store.open.read().handles,
      finding: this.store.finding.read(),
      row: scrolled?.handle === profile ? scrolled.top / ROW : (tops.read().get(profile) ?? 0) / ROW,
      problem,
    };
  }
}

async function differenceIn(steps: Step[]): Promise<object | null> {
  const tab = new Tab("http://x/t/t/c");
  tab.show();
  const room = await new Room().opened();
  const trail: { at: number; view: object }[] = [];
  let difference: object | null = null;
  const compare = (how: string, expected: object, room: Room) => {
    const actual = room.seen();
    if (!difference && JSON.stringify(actual) !== JSON.stringify(expected))
      difference = { how, expected, actual, address: location.href };
  };
  for (const step of steps) {
    await room.take(step);
    const link = await room.address.link();
    const view = room.seen();
    if (link.length > 2_100) difference ??= { how: "a long link", link };
    trail.splice(0, trail.length, ...trail.filter(({ at }) => at < tab.at), { at: tab.at, view });
    const other = new Tab(link);
    other.show();
    const pasted = await new Room().opened();
    compare("a pasted link", view, pasted);
    pasted.close();
    tab.show();
    const again = await new Room().opened();
    compare("a reload", view, again);
    again.close();
    tab.listeners = tab.listeners.slice(0, 1);
  }
  const go = async (to: (typeof trail)[number], how: string) => {
    tab.at = to.at;
    room.store.open.scrollTarget.write(null);
    tab.listeners[0]!();
    await settled(() => JSON.stringify(room.seen()) === JSON.stringify(to.view));
    compare(how, to.view, room);
  };
  for (const before of trail.slice(0, -1).reverse()) await go(before, "Back");
  for (const after of trail.slice(1)) await go(after, "Forward");
  room.close();
  return difference;
}

const LONGEST_MS = 20_000;

/** Nothing is fetched over a network: after a few rounds of the loop all of it is there, unless the machine is busy. */
async function settled(isThere: () => boolean): Promise<void> {
  const until = performance.now() + LONGEST_MS;
  for (let round = 0; round < 60 || (performance.now() < until && !isThere()); round++) await new Promise(setImmediate);
}

for await (const line of createInterface({ input: process.stdin }))
  process.stdout.write(
    `${JSON.stringify(await differenceIn(JSON.parse(line) as Step[]).catch((error: Error) => ({ thrown: error.stack })))}\n`,
  );
process.exit(0);
