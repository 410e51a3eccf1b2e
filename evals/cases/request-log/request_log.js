// Keeps what it answered: `node request_log.js REQUESTS`. Planted: `recordRequest` stores every body.
globalThis.log = [];

function makeBody(n) {
  return { id: n, lines: Array.from({ length: 40 }, (_, i) => ({ sku: i, amount: (n * i) % 17 })) };
}

function recordRequest(body) {
  const kept = [];
  for (const line of body.lines) kept.push({ sku: line.sku, amount: line.amount, at: 0 });
  globalThis.log.push(kept);
}

function answer(body) {
  return body.lines.reduce((sum, line) => sum + line.amount, 0);
}

let total = 0;
for (let n = 0; n < Number(process.argv[2]); n++) {
  const body = makeBody(n);
  total += answer(body);
  recordRequest(body);
}
console.log(total, globalThis.log.length);
