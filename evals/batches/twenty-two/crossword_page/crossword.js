// Draws a crossword; the width of each cell is read back after it was written, so each one lays the page out anew.
function drawGrid(words) {
  const grid = document.getElementById('grid');
  for (let n = 0; n < 700; n++) {
    const cell = document.createElement('span');
    cell.className = 'cell';
    cell.textContent = words[n];
    grid.append(cell);
  }
}
function fitCells() {
  for (const cell of document.querySelectorAll('.cell')) {
    const width = cell.offsetWidth;
    cell.style.width = width + 2 + 'px';
  }
}
function crossings(words) {
  let sum = 0;
  for (const a of words) for (const b of words) if (a[1] === b[0] && a.length > b.length) sum += a.charCodeAt(0) % 7;
  return sum;
}
function writeClues(words) {
  document.getElementById('clues').textContent = words.map((word) => word.toLowerCase()).join(', ') + crossings(words);
}
function start() {
  drawGrid(window.words);
  performance.mark('grid drawn');
  fitCells();
  performance.mark('cells fitted');
  setTimeout(() => {
    writeClues(window.words);
    document.title = 'done';
  }, 250);
}
start();
