import { defineConfig } from "vite";

/** The server that `npm run dev` talks to: `flamechat serve` at its usual port. */
const SERVER = "http://127.0.0.1:8484";

export default defineConfig({
  build: {
    outDir: "../server/page",
    emptyOutDir: true,
    assetsInlineLimit: 0, // the content security policy has no data: for fonts and styles
    modulePreload: { polyfill: false },
    target: "es2022",
  },
  server: { host: "127.0.0.1", proxy: { "/api": { target: SERVER, ws: true } } },
});
