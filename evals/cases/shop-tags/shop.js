// A small shop. Planted: nothing here; the third party's collect.js holds the main thread (`fingerprintDevice`).
function showProducts(count) {
  const list = document.getElementById('products');
  for (let n = 0; n < count; n++) {
    const item = document.createElement('li');
    item.textContent = 'Product ' + n;
    list.append(item);
  }
}

showProducts(200);
setTimeout(() => { document.title = 'done'; }, 50);
