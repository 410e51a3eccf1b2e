// Builds an index of words and looks phrases up; splitting is done again for each phrase.
const texts = Array.from({ length: 400 }, (_, i) => Array.from({ length: 120 }, (_, j) => "w" + ((i * 31 + j * 17) % 900)).join(" "));
function splitText(text) { return text.split(" "); }
function indexWords(all) { const found = new Map(); all.forEach((t, i) => { for (const w of splitText(t)) { if (!found.has(w)) found.set(w, []); found.get(w).push(i); } }); return found; }
function countPhrase(all, a, b) { let n = 0; for (const t of all) { const words = splitText(t); for (let i = 1; i < words.length; i++) if (words[i - 1] === a && words[i] === b) n++; } return n; }
function rankPhrases(all, pairs) { return pairs.map(([a, b]) => [a, b, countPhrase(all, a, b)]).sort((x, y) => y[2] - x[2]); }
function writeReport(ranked) { return JSON.stringify(ranked.map(r => ({ phrase: r[0] + " " + r[1], count: r[2] })), null, 1); }
const index = indexWords(texts);
const pairs = [...index.keys()].slice(0, 300).map((w, i, k) => [w, k[(i + 1) % k.length]]);
const ranked = rankPhrases(texts, pairs);
let size = 0; for (let i = 0; i < 40; i++) size += writeReport(ranked).length;
console.log(size, index.size);
