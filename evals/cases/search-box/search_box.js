// Answers a search box: `node search_box.js QUERIES`. Planted: `score` builds a pattern for every product and query.
function makeProducts(count) {
  return Array.from({ length: count }, (_, n) => `product ${n} colour ${n % 13} size ${n % 7}`);
}

function score(product, query) {
  const pattern = new RegExp(query.split('').join('.*'), 'i');
  const found = pattern.exec(product);
  return found ? 1000 - found[0].length : 0;
}

function search(products, query) {
  return products.map((product) => [score(product, query), product]).filter(([points]) => points > 0).sort((a, b) => b[0] - a[0]).slice(0, 5);
}

const products = makeProducts(3000);
let shown = 0;
for (let n = 0; n < Number(process.argv[2]); n++) shown += search(products, 'size' + (n % 7)).length;
console.log(shown);
