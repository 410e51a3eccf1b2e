// Opens an outline. Planted: `findParent` searches all entries for each entry, in one long task.
function makeEntries(count) {
  return Array.from({ length: count }, (_, n) => ({ id: n, parent: n ? (n - 1) >> 1 : null, title: 'Entry ' + n, children: [] }));
}

function findParent(entries, id) {
  for (const entry of entries) if (entry.id === id) return entry;
  return null;
}

function buildTree(entries) {
  for (const entry of entries) {
    const parent = entry.parent === null ? null : findParent(entries, entry.parent);
    if (parent) parent.children.push(entry);
  }
  return entries[0];
}

function showTop(root) {
  document.getElementById('outline').textContent = root.children.map((entry) => entry.title).join(', ');
}

document.getElementById('open').addEventListener('click', () => {
  showTop(buildTree(makeEntries(18000)));
  document.title = 'done';
});
