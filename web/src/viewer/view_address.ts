/** Keeps the page's address and the chart alike: each view has an address, and Back and Forward go through them. */
import { route } from "../route.ts";
import { parseHandle } from "./handles.ts";
import { framesFound } from "../tables/answers.ts";
import { goTo, selectAt } from "./navigation.ts";
import type { KeptViews } from "./kept_views.ts";
import { ROW } from "./paint.ts";
import { addressOf, isStep, LONGEST_KEPT, viewOf, type ViewState } from "./view_state.ts";
import type { ViewerStore } from "./viewer_store.ts";
import { span } from "./window.ts";

const REST_MS = 300;
/** Of the axis: less than this is lost in double precision, and no window that somebody chose. */
const ROUNDING = 1e-12;
/** Addresses from so many characters on are shortened: programs that pass links on cut longer ones. */
const LONG_ADDRESS = 2_000;

export class ViewAddress {
  #store: ViewerStore;
  #profiles: ReadonlySet<string>;
  #first: string;
  #views: Promise<KeptViews> | undefined;
  #writing = 0;
  #path = location.pathname;
  #known: ViewState;
  #wait: ReturnType<typeof setTimeout> | undefined;
  #restoring = 0;
  #following = 0;
  #unwatch = () => {};
  #pop = () => void this.#follow();

  constructor(store: ViewerStore) {
    this.#store = store;
    this.#profiles = new Set(store.profiles.map((profile) => profile.handle));
    this.#first = store.read().profile;
    [this.#known] = viewOf("", "", this.#profiles);
  }

  /** Show what the address says, and keep it from then on. */
  async open(): Promise<void> {
    addEventListener("popstate", this.#pop);
    const unwatch = [
      this.#store.watch(() => this.#look()),
      this.#store.open.watch(() => this.#look()),
      this.#store.open.tops.watch(() => this.#look()),
      this.#store.finding.watch(() => this.#look()),
      route.watch(() => this.#look()),
    ];
    this.#unwatch = () => unwatch.forEach((stop) => stop());
    await this.#follow();
  }

  close(): void {
    clearTimeout(this.#wait);
    removeEventListener("popstate", this.#pop);
    this.#unwatch();
  }

  /** The link to what is seen now. */
  async link(): Promise<string> {
    await this.#write();
    return location.href;
  }

  #look(): void {
    if (this.#restoring) return;
    clearTimeout(this.#wait);
    this.#wait = setTimeout(() => void this.#write(), REST_MS);
  }

  async #write(): Promise<void> {
    clearTimeout(this.#wait);
    const { view, loading } = this.#store.read();
    if (this.#restoring || loading || !view || !location.pathname.startsWith(this.#trace())) return;
    const now = this.#seen();
    const full = addressOf(now);
    const writing = ++this.#writing;
    const short = full.length <= LONG_ADDRESS ? full : await (await this.#kept()).shortened(full);
    if (writing !== this.#writing || this.#restoring) return; // another view was shown meanwhile
    const address = location.pathname + short;
    const step = isStep(this.#known, now);
    this.#known = now;
    if (address === location.pathname + location.search + location.hash) return;
    if (step) history.pushState({ view: true }, "", address);
    else history.replaceState(history.state, "", address);
  }

  /** Loaded when it is needed, by few. */
  #kept(): Promise<KeptViews> {
    const { path, canCompare } = this.#store;
    return (this.#views ??= import("./kept_views.ts").then(({ KeptViews }) => new KeptViews(path, canCompare)));
  }

  /** The path without the conversation, which may be another one by now. */
  #trace(): string {
    return this.#path.split("/").slice(0, 3).join("/");
  }

  #seen(): ViewState {
    const { mode, profile, sandwichOf, diff, within, transforms, window, search, selection, view, panel } =
      this.#store.read();
    const bounds = this.#store.bounds();
    const isAll = span(window) >= span(bounds) * (1 - ROUNDING);
    const box = selection?.half === "boxes" ? view?.boxes : null;
    return {
      mode,
      profile: profile === this.#first ? null : profile,
      threads: this.#store.open.read().handles,
      sandwichOf: mode === "sandwich" ? sandwichOf : null,
      diff: mode === "diff" ? diff : null,
      within: mode === "left_heavy" ? within : null,
      transforms,
      window: isAll ? null : window,
      search: search.words,
      isExpression: search.frames !== null,
      selection: this.#store.selectedHandle(),
      panel,
      colouring: this.#store.source.colouring,
      row: Math.round((this.#store.open.tops.read().get(profile) ?? 0) / ROW),
      finding: this.#store.finding.read(),
      at: box ? (box.start[selection!.index]! + box.end[selection!.index]!) / 2 : null,
    };
  }

  async #follow(): Promise<void> {
    if (!location.pathname.startsWith(this.#trace())) return;
    const [isOurs, fragment] = [(history.state as { view?: boolean } | null)?.view === true, location.hash];
    const problems: string[] = [];
    const failed = (error: unknown) => problems.push(error instanceof Error ? error.message : String(error));
    const following = ++this.#following;
    this.#restoring += 1;
    let [state] = viewOf("", "", this.#profiles);
    try {
      const isKept = new URLSearchParams(location.search).has("kept");
      let query = location.search;
      if (isKept)
        query = await (await this.#kept()).expanded(query).catch((error: unknown) => {
          failed(error);
          return "";
        });
      if (following !== this.#following) return;
      const [asked, misread] = viewOf(query, fragment, this.#profiles, isKept ? LONGEST_KEPT : undefined);
      problems.push(...misread);
      state = asked;
      await this.#restore(state, isOurs);
    } catch (error) {
      failed(error);
    } finally {
      this.#restoring -= 1;
    }
    this.#known = this.#store.read().view ? this.#seen() : state;
    if (problems[0]) this.#store.report(problems[0]);
  }

  async #restore(state: ViewState, isOurs: boolean): Promise<void> {
    const store = this.#store;
    const { mode, sandwichOf, diff, within, transforms, search, isExpression, panel } = state;
    if (store.read().panel !== panel) store.openPanel(panel);
    store.finding.write(state.finding);
    const profile = state.profile ?? this.#first;
    const threads =
      state.threads.includes(profile) || !state.threads.length ? state.threads : [profile, ...state.threads];
    const isRecoloured = store.source.colouring !== state.colouring;
    store.source.colouring = state.colouring;
    const opened = store.open.set(threads).then(() => (isRecoloured ? store.open.recolour() : undefined));
    const now = store.read();
    const isThere =
      now.view &&
      !isRecoloured &&
      now.mode === mode &&
      now.profile === profile &&
      JSON.stringify(now.transforms) === JSON.stringify(transforms) &&
      (mode !== "sandwich" || now.sandwichOf === sandwichOf) &&
      (mode !== "diff" || JSON.stringify(now.diff) === JSON.stringify(diff)) &&
      (mode !== "left_heavy" || JSON.stringify(now.within) === JSON.stringify(within));
    const shown = { mode, profile, sandwichOf, diff, transforms };
    if (!isThere) await store.show({ ...shown, within: mode === "left_heavy" ? within : null });
    await opened;
    const searched = store.read().search;
    if (searched.words !== search || (searched.frames !== null) !== isExpression)
      store.search(search, isExpression ? await framesFound(store, search) : null);
    if (!store.read().view) return;
    await this.#place(state, isOurs);
    if (isOurs || state.row) store.open.scrollTo(store.read().profile, state.row * ROW);
  }

  /** Window and selection. */
  async #place(state: ViewState, isOurs: boolean): Promise<void> {
    const store = this.#store;
    const { window, selection, at } = state;
    if (window) await store.showWindow(window);
    else if (isOurs || !selection || at !== null) await store.showWindow(store.bounds());
    if (!selection) return store.select(null);
    if (at !== null && selectAt(store, selection, at)) return;
    const isKnownHere = state.profile !== null && parseHandle(selection)?.kind === "frame";
    await goTo(store, selection, { profile: isKnownHere ? state.profile : null, zooms: !window && !isOurs });
  }
}
