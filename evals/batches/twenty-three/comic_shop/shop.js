const shelf = document.getElementById('shelf')

async function loadIssues() {
  const answer = await fetch('/api/slow-issues.json')
  return await answer.json()
}

function priceTag(issue) {
  return (issue.cents / 100).toFixed(2) + ' €'
}

function addRow(issue) {
  shelf.innerHTML += `<div class="row ${issue.sold ? 'sold' : ''}"><b>${issue.title}</b> <i>${issue.number}</i> ${priceTag(issue)}</div>`
}

function rareness(issues) {
  let score = 0
  for (const a of issues) for (const b of issues) score += a.title === b.title && a.number < b.number ? 1 : 0
  return score
}

function fillShelf(issues) {
  performance.mark('shelf starts')
  for (const issue of issues) addRow(issue)
  performance.mark('shelf full')
}

function showTotal(issues) {
  document.getElementById('total').textContent = `${issues.length} issues, ${rareness(issues)} pairs`
}

document.getElementById('show').addEventListener('click', async () => {
  const issues = await loadIssues()
  fillShelf(issues)
  setTimeout(() => {
    showTotal(issues)
    requestAnimationFrame(() => setTimeout(() => { document.title = 'done' }, 60))
  }, 120)
})
