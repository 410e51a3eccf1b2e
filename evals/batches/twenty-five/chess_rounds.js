// Swiss pairings of a chess club: players, rounds, tie-breaks, and a board list after each round.
const players = Array.from({ length: 240 }, (_, id) => ({ id, rating: 1200 + ((id * 37) % 900), games: [], notes: Array.from({ length: 30 }, (_, n) => `note ${n} of ${id}`) }));

function score(player) {
  let points = 0;
  for (const game of player.games) points += game.result;
  return points;
}

function buchholz(player, table) {
  let sum = 0;
  for (const game of player.games) sum += score(findPlayer(table, game.opponent));
  return sum;
}

function findPlayer(table, id) {
  for (const one of table) if (one.id === id) return one;
  return null;
}

function compareStanding(a, b, table) {
  return score(b) - score(a) || buchholz(b, table) - buchholz(a, table) || b.rating - a.rating;
}

function standings(table) {
  return [...table].sort((a, b) => compareStanding(a, b, table));
}

function havePlayed(a, b) {
  return a.games.some((game) => game.opponent === b.id);
}

function copyTable(table) {
  return JSON.parse(JSON.stringify(table));
}

function pairRound(table) {
  const open = standings(copyTable(table));
  const pairs = [];
  while (open.length > 1) {
    const first = open.shift();
    let at = open.findIndex((one) => !havePlayed(first, one));
    if (at < 0) at = 0;
    pairs.push([first.id, open.splice(at, 1)[0].id]);
  }
  return pairs;
}

function playRound(table, round) {
  for (const [white, black] of pairRound(table)) {
    const result = ((white * 13 + black * 7 + round) % 3) / 2;
    findPlayer(table, white).games.push({ opponent: black, result });
    findPlayer(table, black).games.push({ opponent: white, result: 1 - result });
  }
}

function printBoards(table, round) {
  const rows = standings(table).map((one, place) => `${place + 1}`.padStart(4) + ` ${one.id}`.padEnd(8) + score(one).toFixed(1) + ' ' + one.notes.join(', ').replace(/note (\d+)/g, 'n$1'));
  return rows.join('\n').length + round;
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function tournament() {
  let printed = 0;
  for (let round = 0; round < 45; round++) {
    playRound(players, round);
    printed += printBoards(players, round);
    await pause(12);
  }
  return printed;
}

tournament().then((printed) => console.log(printed));
