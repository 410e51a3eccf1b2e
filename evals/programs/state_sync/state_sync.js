// Follows a document that many people edit. With 1 the document is written to text and read again for every edit, with 0
// only the edit is.
const everything = process.argv[2] === '1';
const board = { notes: [] };
for (let n = 0; n < 700; n++) board.notes.push({ id: n, text: `note ${n}`.repeat(6), x: n % 40, y: n % 30, tags: ['a' + n, 'b'] });

function freeze(value) { return JSON.stringify(value); }
function thaw(text) { return JSON.parse(text); }
function applyEdit(doc, edit) { doc.notes[edit.id].x = edit.x; return doc; }
function nearest(doc, x, y) {
  let best = null, distance = Infinity;
  for (const note of doc.notes) {
    const d = (note.x - x) ** 2 + (note.y - y) ** 2;
    if (d < distance) { distance = d; best = note; }
  }
  return best;
}
function replicate(doc, edit) {
  if (everything) return applyEdit(thaw(freeze(doc)), edit);
  return applyEdit(doc, thaw(freeze(edit)));
}
let doc = board, hits = 0;
for (let n = 0; n < (everything ? 900 : 30000); n++) {
  doc = replicate(doc, { id: n % 700, x: n % 41 });
  hits += nearest(doc, n % 40, n % 30).id;
}
console.log(hits);
