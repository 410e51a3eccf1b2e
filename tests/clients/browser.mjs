// What React needs of a browser, for programs that are started with `node --import ./browser.mjs`.
import { JSDOM } from "jsdom";

const { window } = new JSDOM('<div id="root"></div>', { url: "http://localhost/" });
globalThis.window = window;
globalThis.document = window.document;
