// Keeps a leaderboard: `node leaderboard.js SECONDS OUT.pb.gz`. Planted: `insertScore` sorts the whole board for each score.
const fs = require('node:fs');
const { time } = require('@datadog/pprof');

function makeScore(n) {
  return { player: 'player' + (n * 7919) % 5000, points: (n * 104729) % 100003 };
}

function byPoints(a, b) {
  return b.points - a.points;
}

function insertScore(board, score) {
  board.push(score);
  board.sort(byPoints);
  if (board.length > 3000) board.pop();
}

function topTen(board) {
  return board.slice(0, 10).map((score) => score.player + ' ' + score.points).join('\n');
}

async function main() {
  time.start({ intervalMicros: 2000, durationMillis: 60000 });
  const board = [];
  const until = Date.now() + 1000 * Number(process.argv[2]);
  for (let n = 0; Date.now() < until; n++) {
    insertScore(board, makeScore(n));
    if (n % 100 === 0) topTen(board);
  }
  const { encode } = require('@datadog/pprof');
  fs.writeFileSync(process.argv[3], await encode(time.stop()));
}

main();
