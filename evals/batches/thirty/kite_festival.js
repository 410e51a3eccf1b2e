// A kite festival: reads the flight cards, looks up the gust of each moment, scores the flights and writes the ranking.
const fs = require("fs");

function readCards(count) {
  const lines = [];
  for (let at = 0; at < count; at++) lines.push(`${at};kite ${at % 83};${(at * 37) % 5400};${(at * 7) % 60}`);
  return lines.map(parseCard);
}

function parseCard(line) {
  const [id, kite, second, height] = line.split(";");
  return { id: Number(id), kite: kite.trim().toUpperCase(), second: Number(second), height: Number(height) };
}

function windLog() {
  const gusts = [];
  for (let at = 0; at < 5400; at += 3) gusts.push({ second: at, knots: 8 + ((at * 13) % 17) });
  return gusts;
}

function nearestGust(gusts, second) {
  let best = gusts[0];
  for (const gust of gusts) {
    if (Math.abs(gust.second - second) < Math.abs(best.second - second)) best = gust;
  }
  return best;
}

function lineTension(height, knots) {
  let tension = 1;
  for (let step = 0; step < 2500; step++) tension = (tension * 1.0007 + Math.sqrt(height + step) * knots) % 911;
  return tension;
}

function scoreFlight(card, gusts) {
  const gust = nearestGust(gusts, card.second);
  return { ...card, points: Math.round(lineTension(card.height, gust.knots) + card.height * 2) };
}

function rankFlights(flights) {
  return flights.slice().sort((one, two) => two.points - one.points || one.kite.localeCompare(two.kite));
}

function checkDuplicates(flights) {
  const twice = [];
  for (let round = 0; round < 12; round++) {
    const seen = new Set();
    for (const flight of flights) {
      const key = JSON.stringify([flight.kite, flight.second, round]);
      if (seen.has(key)) twice.push(flight.id);
      seen.add(key);
    }
  }
  return twice.length;
}

function writeRanking(flights) {
  fs.writeFileSync("ranking.json", JSON.stringify(flights, null, 1));
}

function festival() {
  const gusts = windLog();
  const cards = readCards(24000);
  const flights = cards.map((card) => scoreFlight(card, gusts));
  const twice = checkDuplicates(flights);
  const ranked = rankFlights(flights);
  for (let day = 0; day < 4; day++) writeRanking(ranked);
  return [ranked[0].kite, twice];
}

console.log(festival());
