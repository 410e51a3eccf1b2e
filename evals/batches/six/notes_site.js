// Renders a site of notes: markdown to HTML, search index, feed.
const crypto = require('crypto');
function makeNotes(n) { const w = 'alpha beta gamma delta epsilon zeta eta theta'.split(' '); const out = [];
  for (let i = 0; i < n; i++) { let b = ''; for (let j = 0; j < 120; j++) b += (j % 17 ? '' : '\n\n# ') + w[(i * 7 + j * 3) % 8] + (j % 5 ? ' ' : ' *hot* '); out.push({ id: i, title: 'note ' + i, body: b, tags: [w[i % 8], w[(i + 3) % 8]] }); } return out; }
function escapeHtml(s) { return s.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;'); }
function inline(s) { return escapeHtml(s).replace(/\*([^*]+)\*/g, '<em>$1</em>'); }
function renderBlock(b) { return b.startsWith('# ') ? '<h1>' + inline(b.slice(2)) + '</h1>' : '<p>' + inline(b) + '</p>'; }
function renderNote(n) { return n.body.split('\n\n').map(renderBlock).join('\n'); }
class SearchIndex { constructor() { this.words = {}; }
  add(n) { for (const w of n.body.split(/\W+/)) { if (!this.words[w]) this.words[w] = []; if (!this.words[w].includes(n.id)) this.words[w].push(n.id); } }
  toJSON() { return this.words; } }
function snapshot(state) { return JSON.parse(JSON.stringify(state)); }
function fingerprint(html) { return crypto.createHash('sha256').update(html).digest('hex'); }
function relatedNotes(n, all) { return all.filter(o => o.id !== n.id && o.tags.some(t => n.tags.includes(t))).slice(0, 5); }
function buildFeed(pages) { return pages.slice(-20).map(p => '<item>' + p.html + '</item>').join(''); }
function publish(notes) { const index = new SearchIndex(); const state = { pages: [] };
  for (const n of notes) { index.add(n); const html = renderNote(n); state.pages.push({ id: n.id, html, mark: fingerprint(html), related: relatedNotes(n, notes).map(o => o.id) }); state.last = snapshot({ pages: state.pages }).pages.length; }
  return buildFeed(state.pages) + JSON.stringify(index); }
const notes = makeNotes(420);
for (let i = 0; i < 2; i++) publish(notes);
