// Loaded into the recorded Node before its program. V8 writes the profile of `--cpu-prof` when the process ends in order,
// which it does not on a signal that nobody handles; a loop that never ends gets to handle none, so that a worker looks
// for a file and ends it from outside. Where Node is started by npm and its kin, which take no `--cpu-prof`, the profile
// is made here, in each process that they start.
'use strict';
const fs = require('fs');
const path = require('path');
const { Session } = require('inspector');
const { Worker, isMainThread } = require('worker_threads');

const ENDED_BY = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };
const STARTERS = /^(npm|npx|yarn|pnpm|corepack)(-cli)?(\.[cm]?js)?$/;
const stopFile = process.env.FLAMECHAT_NODE_STOP_FILE;
const folder = process.env.FLAMECHAT_NODE_FOLDER;

function endInOrder() {
  for (const [signal, code] of Object.entries(ENDED_BY)) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(code);
    });
  }
  const watch = `
    const { existsSync } = require('fs');
    const { Session } = require('inspector');
    const { workerData } = require('worker_threads');
    const timer = setInterval(() => {
      if (!existsSync(workerData)) return;
      clearInterval(timer);
      const session = new Session();
      session.connectToMainThread();
      session.post('Runtime.evaluate', { expression: 'process.exit(130)' });
    }, 100);
  `;
  new Worker(watch, { eval: true, workerData: stopFile, execArgv: [], env: {} }).unref();
}

function profileUntilTheEnd(isOfMemory) {
  const session = new Session();
  session.connect();
  if (isOfMemory) {
    session.post('HeapProfiler.startSampling');
  } else {
    session.post('Profiler.enable');
    session.post('Profiler.setSamplingInterval', { interval: Number(process.env.FLAMECHAT_NODE_INTERVAL_US) });
    session.post('Profiler.start');
  }
  process.on('exit', () => {
    const [method, ending] = isOfMemory ? ['HeapProfiler.stopSampling', 'heapprofile'] : ['Profiler.stop', 'cpuprofile'];
    session.post(method, (error, result) => {
      if (!error) fs.writeFileSync(path.join(folder, `${process.pid}.${ending}`), JSON.stringify(result.profile));
    });
  });
}

if (isMainThread && stopFile) {
  if (!folder) {
    delete process.env.FLAMECHAT_NODE_STOP_FILE;
    endInOrder();
  } else if (!STARTERS.test(path.basename(process.argv[1] || ''))) {
    endInOrder();
    profileUntilTheEnd(process.env.FLAMECHAT_NODE_WHAT === 'memory');
  }
}
