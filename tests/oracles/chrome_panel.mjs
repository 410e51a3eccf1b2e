/**
 * What Chrome's own panel makes of V8's CPU profiles: self and total of each function, in microseconds, as JSON.
 * `node bundle.mjs FILE` with a .cpuprofile or a Chrome recording.
 */
import { readFileSync } from "node:fs";
import { CPUProfileDataModel } from "chrome-devtools-frontend/front_end/models/cpu_profile/CPUProfileDataModel.ts";

const file = JSON.parse(readFileSync(process.argv[2], "utf8"));

/** The profiles of a recording come in pieces, by process and id. */
function profilesOf(events) {
  const found = new Map();
  const pieces = events.filter((event) => event.name === "Profile" || event.name === "ProfileChunk");
  pieces.sort((a, b) => a.ts - b.ts);
  for (const event of pieces) {
    const key = `${event.pid} ${event.id}`;
    const { startTime, timeDeltas = [], cpuProfile = {} } = event.args.data;
    if (event.name === "Profile")
      found.set(key, { pid: String(event.pid), tid: String(event.tid), nodes: [], samples: [], timeDeltas: [], startTime });
    const profile = found.get(key);
    if (!profile) continue;
    profile.nodes.push(...(cpuProfile.nodes ?? []));
    profile.samples.push(...(cpuProfile.samples ?? []));
    profile.timeDeltas.push(...timeDeltas);
  }
  for (const event of events.filter((one) => one.name === "CpuProfile"))
    found.set(event, { pid: String(event.pid), tid: String(event.tid), ...event.args.data.cpuProfile });
  return [...found.values()].filter((profile) => profile.samples.length);
}

/** Of each function; the last sample lasts an average interval in the panel and is left out, as nothing follows it. */
function functionsOf(profile) {
  const model = new CPUProfileDataModel({ endTime: profile.startTime, ...profile });
  const functions = new Map();
  let ran = null;
  for (let index = 0; index + 1 < model.samples.length; index++) {
    ran = model.nodeById(model.samples[index]) ?? ran;
    const lasted = (model.timestamps[index + 1] - model.timestamps[index]) * 1000;
    const seen = new Set();
    for (let node = ran, isLeaf = true; node && node.parent; node = node.parent, isLeaf = false) {
      const { functionName, url, lineNumber, columnNumber } = node.callFrame;
      if (functionName === "(idle)" || url === "native dummy.js") continue;
      const key = JSON.stringify([functionName, url || "", lineNumber ?? -1, columnNumber ?? -1]);
      if (!functions.has(key)) functions.set(key, [0, 0]);
      const sums = functions.get(key);
      if (isLeaf) sums[0] += lasted;
      if (!seen.has(key)) sums[1] += lasted;
      seen.add(key);
    }
  }
  return [...functions].map(([key, sums]) => [...JSON.parse(key), ...sums]);
}

const events = Array.isArray(file) ? file : file.traceEvents;
const profiles = events ? profilesOf(events) : [{ pid: "", tid: "", ...file }];
console.log(JSON.stringify(profiles.map((profile) => ({ pid: profile.pid, tid: profile.tid, functions: functionsOf(profile) }))));
