"use strict";
// The style sheet is what this page waits for: this takes a few milliseconds.
const list = document.getElementById("posts");
for (let number = 0; number < 40; number += 1) {
  const item = document.createElement("li");
  item.textContent = `Post ${number}`;
  list.append(item);
}
requestAnimationFrame(() => {
  setTimeout(() => {
    document.title = "done";
  }, 300);
});
