import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { defineConfig, type Plugin } from "vite";

/** The server that `npm run dev` talks to: `flamechat serve` at its usual port. */
const SERVER = "http://127.0.0.1:8484";

/** What markdown-it imports and the page does not need, or a browser has itself. */
const STAND_INS = { "linkify-it": "no_bare_links", entities: "character_references", "uc.micro": "punctuation" };

const OF_EVERY_ROOM =
  /src\/(api|accounts\/(teams|acting|usage|usage_meter)|questions\/asked|chat\/turn|conversations\/conversation_item)\.tsx?$/;

/** Writes each script and style a second time as Brotli (RFC 7932), at the best level, which the server sends as it is. */
const brotli: Plugin = {
  name: "brotli",
  apply: "build",
  writeBundle({ dir }) {
    const folder = join(dir!, "assets");
    for (const name of readdirSync(folder).filter((one) => /\.(js|css)$/.test(one))) {
      const content = readFileSync(join(folder, name));
      const params = { [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
      writeFileSync(join(folder, `${name}.br`), brotliCompressSync(content, { params }));
    }
  },
};

export default defineConfig({
  plugins: [brotli],
  resolve: {
    alias: Object.fromEntries(
      Object.entries(STAND_INS).map(([name, file]) => [name, join(import.meta.dirname, `src/chat/${file}.ts`)]),
    ),
  },
  build: {
    outDir: "../server/page",
    emptyOutDir: true,
    assetsInlineLimit: 0, // the content security policy has no data: for fonts and styles
    modulePreload: { polyfill: false },
    target: "es2022",
    // What a room loads anyway comes in one file: each of its own costs a request and its headers.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: "api", test: OF_EVERY_ROOM }] } } },
  },
  server: { host: "127.0.0.1", proxy: { "/api": { target: SERVER, ws: true } } },
});
