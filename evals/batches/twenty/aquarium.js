// Readings of an aquarium: every reading is kept with its own copy of the calibration, and none is ever dropped.
'use strict';
const history = [];
const names = new Map();
process.aquarium = { history, names };
function calibration(tank) {
  const table = [];
  for (let n = 0; n < 64; n++) table.push({ at: n + 0.5, factor: 1 + n / (tank + 3.25) });
  return table;
}
function keepReading(tank, value) {
  history.push({ tank, value, table: calibration(tank) });
}
function fishName(n) {
  if (!names.has(n)) names.set(n, Array.from({ length: 12 }, (_, k) => 'fish' + (n + k)));
  return names.get(n);
}
function drawChart() {
  const pixels = new Array(20000).fill(0).map((_, n) => n * 0.37);
  return pixels.reduce((sum, one) => sum + one, 0);
}
function watch() {
  let drawn = 0;
  for (let n = 0; n < 3500; n++) {
    keepReading(n % 9, n * 0.11);
    fishName(n % 700);
    if (n % 50 === 0) drawn += drawChart();
  }
  return drawn;
}
console.log(watch(), history.length);
