// A pigeon race: distances from the release to each loft, speeds by ring number, a ranking, and a page of results.
const LOFTS = Array.from({ length: 260 }, (_, at) => ({ name: `loft ${at}`, lat: 48 + (at % 40) / 20, lon: 3 + (at % 70) / 15 }));

function haversine(a, b) {
  const rad = Math.PI / 180;
  const dLat = (b.lat - a.lat) * rad;
  const dLon = (b.lon - a.lon) * rad;
  const h = Math.sin(dLat / 2) ** 2 + Math.cos(a.lat * rad) * Math.cos(b.lat * rad) * Math.sin(dLon / 2) ** 2;
  return 12742 * Math.asin(Math.sqrt(h));
}

function parseRing(line) {
  const found = /^([A-Z]{2})-(\d{2})-(\d{6}) loft (\d+) at (\d+)$/.exec(line);
  return { ring: found[1] + found[2] + found[3], loft: Number(found[4]), at: Number(found[5]) };
}

function readClocks(count) {
  const lines = [];
  for (let at = 0; at < count; at += 1) lines.push(`BE-${20 + (at % 6)}-${100000 + at} loft ${at % 260} at ${3600 + ((at * 37) % 5400)}`);
  return lines.map(parseRing);
}

function isDuplicate(seen, bird) {
  return seen.some((other) => other.ring === bird.ring);
}

function dropDuplicates(birds) {
  const seen = [];
  for (const bird of birds) if (!isDuplicate(seen, bird)) seen.push(bird);
  return seen;
}

function speedOf(bird, release) {
  return (haversine(release, LOFTS[bird.loft]) * 60) / bird.at;
}

function rank(birds, release) {
  return birds.slice().sort((a, b) => speedOf(b, release) - speedOf(a, release));
}

function resultPage(ranked) {
  let page = "";
  ranked.forEach((bird, at) => { page += `<tr><td>${at + 1}</td><td>${bird.ring}</td><td>${LOFTS[bird.loft].name}</td></tr>`; });
  return page;
}

function waitForUpload(ms) {
  return new Promise((done) => setTimeout(done, ms));
}

async function race(number) {
  const birds = dropDuplicates(readClocks(3000));
  const page = resultPage(rank(birds, { lat: 43.2 + number / 10, lon: 0.1 }));
  await waitForUpload(120);
  return page.length;
}

async function season() {
  let total = 0;
  for (let number = 0; number < 14; number += 1) total += await race(number);
  console.log(total);
}

season();
