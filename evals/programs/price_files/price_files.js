// Serves prices. With 1 each request reads the price file synchronously, with 0 the file is kept in memory.
const fs = require('fs');
const path = './prices.tmp';
const again = process.argv[2] === '1';
fs.writeFileSync(path, Array.from({ length: 40000 }, (_, n) => `article ${n};${(n * 37) % 9000}`).join('\n'));

function readPrices() { return fs.readFileSync(path); }
let kept = null;
function pricesFor() { if (again) return readPrices(); return kept ?? (kept = readPrices()); }
function findPrice(bytes, n) { const at = bytes.indexOf(`article ${n};`); return bytes.subarray(at, at + 24).toString().split(';')[1]; }
function handleRequest(n) { return findPrice(pricesFor(), (n * 7) % 300).length; }
function beat() { let s = 0; for (let i = 0; i < 4000; i++) s += i % 3; return s; }
async function serve(requests) {
  let sum = 0;
  for (let n = 0; n < requests; n++) { sum += handleRequest(n); if (n % 10 === 0) { beat(); await new Promise((next) => setImmediate(next)); } }
  console.log(sum);
}
serve(6000).then(() => fs.unlinkSync(path));
