/**
 * What Chrome's trace engine says of each thread: the time of the outermost events, in microseconds, and the time of
 * its calls sampled outside of them, as JSON. `node trace_engine.mjs PACKAGE FILE` with a Chrome recording.
 */
import { readFileSync } from "node:fs";

/** The engine measures layout shifts with it; Node has none. */
globalThis.DOMRect ??= class {
  constructor(x = 0, y = 0, width = 0, height = 0) {
    Object.assign(this, { x, y, width, height, left: x, top: y, right: x + width, bottom: y + height });
  }
  static fromRect({ x, y, width, height } = {}) {
    return new DOMRect(x, y, width, height);
  }
};

const [, , folder, file] = process.argv;
const { TraceModel } = await import(`${folder}/models/trace/trace.js`);
const said = JSON.parse(readFileSync(file, "utf8"));
const model = TraceModel.Model.createWithAllHandlers();
await model.parse(said.traceEvents ?? said);
const threads = [];
for (const [pid, { threads: ofProcess }] of model.parsedTrace().data.Renderer.processes)
  for (const [tid, { tree }] of ofProcess) {
    let events = 0;
    let sampled = 0;
    for (const { entry } of tree?.roots ?? []) {
      if ("callFrame" in entry) sampled += entry.dur ?? 0;
      else events += entry.dur ?? 0;
    }
    threads.push({ pid: String(pid), tid: String(tid), events, sampled });
  }
process.stdout.write(JSON.stringify(threads));
