/** Address bar and history of a tab, in place of a browser's: imported before what reads the address when it is loaded. */

interface Entry {
  state: unknown;
  url: URL;
}

export class Tab {
  entries: Entry[];
  at = 0;
  listeners: (() => void)[] = [];

  constructor(address: string) {
    this.entries = [{ state: null, url: new URL(address) }];
  }

  get here(): Entry {
    return this.entries[this.at]!;
  }

  push(state: unknown, address: string): void {
    const url = new URL(address, this.here.url);
    this.entries.splice(this.at + 1, Infinity, { state, url });
    this.at += 1;
  }

  /** Make it the tab that the page's code sees. */
  show(): void {
    shown = this;
  }
}

let shown = new Tab("http://x/t/t/c");

Object.defineProperty(globalThis, "location", { get: () => shown.here.url });
Object.assign(globalThis, {
  history: {
    get state() {
      return shown.here.state;
    },
    pushState: (state: unknown, _: string, address: string) => shown.push(state, address),
    replaceState(state: unknown, _: string, address: string) {
      shown.entries[shown.at] = { state, url: new URL(address, shown.here.url) };
    },
  },
  addEventListener: (_: string, listener: () => void) => shown.listeners.push(listener),
  removeEventListener: () => undefined,
  document: { hidden: true, cookie: "" },
  matchMedia: () => ({ matches: true, addEventListener: () => undefined }),
  cancelAnimationFrame: () => undefined,
  setTimeout: () => 0, // nothing rests: how long a test takes makes no difference
});
