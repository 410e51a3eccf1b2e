// `node speedscope_release.mjs RELEASE FILE`: reads a file with the importer of speedscope's release, which is a bundle
// for browsers, and prints the processor seconds from the file's bytes to profiles with their call trees.
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import vm from "node:vm";

const [release, file] = process.argv.slice(2);
const bundle = readdirSync(release).find((name) => /^speedscope-.*\.js$/.test(name));
if (!bundle) throw new Error(`no bundle in ${release}`);

// The bundle loads its importers with `Promise.resolve().then(() => (load(), exports))`: there it ends for us, before
// the page is made.
const text = readFileSync(join(release, bundle), "utf8");
const exported = /\$l\((\w+),\{[^}]*importProfilesFromArrayBuffer/.exec(text) ?? /(\w+)=\{\};[\w$]+\(\1,\{[^}]*importProfilesFromArrayBuffer/.exec(text);
if (!exported) throw new Error("the bundle has no importers");
const loading = new RegExp(`var \\w+=Promise\\.resolve\\(\\)\\.then\\(\\(\\)=>\\((\\w+)\\(\\),${exported[1]}\\)\\)`).exec(text);
if (!loading) throw new Error("the bundle's importers cannot be loaded");
const importers = text.slice(0, loading.index) + `${loading[1]}();globalThis.importers=${exported[1]};return;` + text.slice(loading.index);

const anything = new Proxy(function () {}, { get: (_, key) => (key === Symbol.toPrimitive ? () => "" : anything), apply: () => anything, construct: () => anything, set: () => true });
const quiet = { ...console, log() {}, warn() {}, error() {} };
globalThis.window ??= globalThis;
globalThis.document ??= anything;
globalThis.localStorage ??= anything;
globalThis.location ??= { hash: "", search: "", href: "", protocol: "file:" };
const said = globalThis.console;
globalThis.console = quiet;
vm.runInThisContext(importers, { filename: bundle });

const content = readFileSync(file);
const buffer = content.buffer.slice(content.byteOffset, content.byteOffset + content.byteLength);
const before = process.cpuUsage();
const group = await globalThis.importers.importProfilesFromArrayBuffer(basename(file), buffer);
const used = process.cpuUsage(before);
if (!group?.profiles?.length) {
  process.stderr.write("not read\n");
  process.exit(1);
}
said.log(`${group.profiles.length} profiles, CPU seconds:`, ((used.user + used.system) / 1e6).toFixed(3));
process.exit(0);
