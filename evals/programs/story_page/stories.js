// Ranks stories. ?1 ranks all in one task, ?0 in slices of 40 between which the page can breathe.
const inOne = location.search === '?1';
const stories = Array.from({ length: 900 }, (_, n) => ({ id: n, text: 'story about things '.repeat(12) + n }));
function scoreStory(story) {
  let score = 0;
  for (let r = 0; r < 60; r++) for (let i = 0; i < story.text.length; i++) score = (score * 31 + story.text.charCodeAt(i) + r) % 9973;
  return score;
}
function rankSlice(from, to) { for (let n = from; n < to; n++) stories[n].score = scoreStory(stories[n]); }
function show() {
  stories.sort((a, b) => b.score - a.score);
  document.getElementById('stories').innerHTML = stories.slice(0, 20).map((s) => `<li>${s.id}`).join('');
  setTimeout(() => { document.title = 'done'; }, 50);
}
function rankStories() {
  if (inOne) { rankSlice(0, stories.length); show(); return; }
  let from = 0;
  const next = () => {
    rankSlice(from, Math.min(from + 40, stories.length));
    from += 40;
    if (from < stories.length) setTimeout(next, 0); else show();
  };
  next();
}
setTimeout(rankStories, 100);
