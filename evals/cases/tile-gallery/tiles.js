// A gallery of tiles. Planted: `alignTiles` reads a height after each width it writes, so that every tile forces a layout.
function makeTiles(count) {
  const tiles = document.getElementById('tiles');
  for (let n = 0; n < count; n++) {
    const tile = document.createElement('div');
    tile.className = 'tile';
    tile.textContent = 'Tile ' + n + ' ' + 'word '.repeat(n % 9);
    tiles.append(tile);
  }
}

function alignTiles() {
  let highest = 0;
  for (const tile of document.querySelectorAll('.tile')) {
    highest = Math.max(highest, tile.offsetHeight);
    tile.style.width = 80 + (highest % 7) + 'px';
  }
  return highest;
}

function countWords() {
  let words = 0;
  for (const tile of document.querySelectorAll('.tile')) words += tile.textContent.split(' ').length;
  return words;
}

makeTiles(1200);
document.getElementById('align').addEventListener('click', () => {
  countWords();
  alignTiles();
  document.title = 'done';
});
