// Orders of a bakery: each change of an order copies the whole book through JSON, to be able to undo it
// (with the argument `shelf` only the shelf that changes).
'use strict';
const oneShelf = process.argv[2] === 'shelf';
function readRecipes() {
  const recipes = [];
  for (let n = 0; n < 1500; n++) {
    let text = '';
    for (let k = 0; k < 120; k++) text += String.fromCharCode(97 + ((n * k) % 26));
    recipes.push({ name: 'cake ' + n, text, steps: text.split('e').map((one) => one.toUpperCase()) });
  }
  return recipes;
}
function indexRecipes(recipes) {
  const index = new Map();
  for (const recipe of recipes) {
    for (const step of recipe.steps) {
      for (let from = 0; from + 3 <= step.length; from++) {
        const key = step.slice(from, from + 3);
        index.set(key, (index.get(key) || 0) + 1);
      }
    }
  }
  return index;
}
function snapshot(book) {
  return JSON.parse(JSON.stringify(book));
}
function applyOrder(book, order, undo) {
  undo.push(snapshot(oneShelf ? book.shelves[order.shelf] : book));
  if (undo.length > 5) undo.shift();
  const shelf = book.shelves[order.shelf];
  shelf.loaves[order.loaf % shelf.loaves.length].count += order.count;
}
function priceOf(loaf) {
  let cents = 0;
  for (let n = 0; n < 400; n++) cents = (cents * 7 + loaf.count * n) % 9973;
  return cents;
}
function dayTotal(book) {
  let total = 0;
  for (const shelf of book.shelves) for (const loaf of shelf.loaves) total += priceOf(loaf);
  return total;
}
function makeBook() {
  const shelves = [];
  for (let s = 0; s < 40; s++) {
    const loaves = [];
    for (let l = 0; l < 30; l++) loaves.push({ name: `loaf ${s}.${l}`, count: l, baked: s * 60 + l });
    shelves.push({ name: 'shelf ' + s, loaves });
  }
  return { shelves };
}
function takeOrders(book) {
  const undo = [];
  for (let n = 0; n < 1200; n++) {
    applyOrder(book, { shelf: n % 40, loaf: n * 7, count: n % 5 }, undo);
    if (n % 6 === 0) dayTotal(book);
  }
}
function main() {
  const index = indexRecipes(readRecipes());
  const book = makeBook();
  takeOrders(book);
  console.log(index.size, dayTotal(book));
}
main();
