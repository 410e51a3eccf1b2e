// Imports menus: reads them one after the other with the synchronous API, deep-copies each dish through JSON.
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

function deepCopy(value) {
  return JSON.parse(JSON.stringify(value));
}

function makeMenus(folder, count) {
  for (let n = 0; n < count; n++) {
    const dishes = [];
    for (let d = 0; d < 220; d++) dishes.push({ id: n * 1000 + d, name: `dish ${d}`, price: (d * 37) % 90, tags: ["a", "b", `t${d % 9}`] });
    fs.writeFileSync(path.join(folder, `menu-${n}.json`), JSON.stringify({ restaurant: n, dishes }));
  }
}

function readMenu(folder, n) {
  return JSON.parse(fs.readFileSync(path.join(folder, `menu-${n}.json`), "utf8"));
}

function withDiscount(menu, percent) {
  return menu.dishes.map((dish) => {
    const copy = deepCopy(menu);
    const found = copy.dishes.find((one) => one.id === dish.id);
    found.price = Math.round(found.price * (100 - percent)) / 100;
    return found;
  });
}

function priceIndex(dishes) {
  const index = new Map();
  for (const dish of dishes) {
    const key = `${dish.price.toFixed(2)}/${dish.tags.join("+")}`;
    if (!index.has(key)) index.set(key, []);
    index.get(key).push(dish.id);
  }
  return index;
}

function spellCheck(dishes) {
  let score = 0;
  for (const dish of dishes)
    for (let round = 0; round < 60; round++) for (let k = 0; k < dish.name.length; k++) score = (score * 31 + dish.name.charCodeAt(k)) % 1000003;
  return score;
}

function main() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "menus-"));
  makeMenus(folder, 40);
  let size = 0;
  for (let n = 0; n < 40; n++) {
    const menu = readMenu(folder, n);
    const dishes = withDiscount(menu, 10);
    size += priceIndex(dishes).size;
    for (let r = 0; r < 8; r++) size += spellCheck(dishes) % 2;
  }
  fs.rmSync(folder, { recursive: true });
  return size;
}

main();
