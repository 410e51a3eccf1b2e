// An editor that never forgets: `node undo_history.js EDITS`. Planted: `takeSnapshot` keeps a copy of all lines for each edit.
const history = [];
globalThis.undoHistory = history;

function makeLines(count) {
  return Array.from({ length: count }, (_, n) => ({ number: n, text: 'line ' + n }));
}

function takeSnapshot(lines) {
  const copy = new Array(lines.length);
  for (let n = 0; n < lines.length; n++) copy[n] = { number: lines[n].number, text: lines[n].text };
  history.push(copy);
}

function edit(lines, n) {
  lines[n % lines.length].text = 'edited ' + n;
}

function highlight(lines) {
  return lines.map((line) => '<b>' + line.text + '</b>').join('\n').length;
}

const lines = makeLines(400);
let shown = 0;
for (let n = 0; n < Number(process.argv[2]); n++) {
  takeSnapshot(lines);
  edit(lines, n);
  if (n % 20 === 0) shown += highlight(lines);
}
console.log(history.length, shown);
