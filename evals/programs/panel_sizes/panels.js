// Gives the panels of a row one height. ?1 asks for a height and sets one, panel by panel; ?0 asks first.
const mixed = location.search === '?1';
const main = document.querySelector('main');
for (let n = 0; n < 500; n++) {
  const panel = document.createElement('div');
  panel.className = 'panel';
  panel.textContent = 'news '.repeat(1 + (n * 13) % 17);
  main.append(panel);
}
function tallest(panels) { return Math.max(...panels.map((panel) => panel.getBoundingClientRect().height)); }
function stretch(panel, height) { panel.style.minHeight = height + 'px'; }
function levelRow(panels) {
  if (mixed) { for (const panel of panels) stretch(panel, panel.getBoundingClientRect().height + 4); return; }
  const height = tallest(panels);
  panels.forEach((panel) => stretch(panel, height));
}
function countLetters(panels) { let sum = 0; for (let r = 0; r < 400; r++) for (const panel of panels) sum += panel.textContent.length % 7; return sum; }
setTimeout(() => {
  const panels = [...main.children];
  levelRow(panels);
  countLetters(panels);
  setTimeout(() => { document.title = 'done'; }, 50);
}, 100);
