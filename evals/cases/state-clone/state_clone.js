// Plays back edits of a document: `node state_clone.js EDITS`. Planted: `cloneState` copies everything for each edit.
function makeState() {
  const rows = {};
  for (let n = 0; n < 1500; n++) rows['row' + n] = { id: n, title: 'Row ' + n, tags: ['a', 'b', String(n % 7)] };
  return { rows, version: 0 };
}

function cloneState(state) {
  return JSON.parse(JSON.stringify(state));
}

function applyEdit(state, edit) {
  const next = cloneState(state);
  next.rows[edit.row].title = edit.title;
  next.version++;
  return next;
}

function renderTitles(state) {
  let length = 0;
  for (const key of Object.keys(state.rows)) length += state.rows[key].title.length;
  return length;
}

let state = makeState();
let seen = 0;
for (let n = 0; n < Number(process.argv[2]); n++) {
  state = applyEdit(state, { row: 'row' + (n % 1500), title: 'Edited ' + n });
  if (n % 10 === 0) seen += renderTitles(state);
}
console.log(state.version, seen);
