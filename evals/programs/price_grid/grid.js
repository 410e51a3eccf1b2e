// Makes cells of a grid as wide as their text. ?1 reads a width and writes one, cell by cell; ?0 reads all, then writes all.
const mixed = location.search === '?1';
const grid = document.getElementById('grid');
for (let n = 0; n < 900; n++) {
  const cell = document.createElement('span');
  cell.className = 'cell';
  cell.textContent = 'price ' + (n * 37) % 1000;
  grid.append(cell);
}
function fitCell(cell) {
  cell.style.paddingLeft = (cell.offsetWidth % 7) + 'px';
}
function fitGrid(cells) {
  if (mixed) { for (const cell of cells) fitCell(cell); return; }
  const widths = cells.map((cell) => cell.offsetWidth);
  cells.forEach((cell, n) => { cell.style.paddingLeft = (widths[n] % 7) + 'px'; });
}
function sumPrices(cells) { let sum = 0; for (let r = 0; r < 300; r++) for (const cell of cells) sum += cell.textContent.length * r % 5; return sum; }
setTimeout(() => {
  const cells = [...grid.children];
  fitGrid(cells);
  sumPrices(cells);
  setTimeout(() => { document.title = 'done'; }, 50);
}, 100);
