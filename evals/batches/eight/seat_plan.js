// Seats of a theatre: names are normalised, guests sorted and the plan copied for each change.
function guests(count) {
  const list = [];
  for (let n = 0; n < count; n++) list.push({ name: `Guest  ${String.fromCharCode(65 + (n * 7) % 26)}${(n * 7919) % 10007}`, row: n % 40, vip: n % 17 === 0 });
  return list;
}
function normaliseName(name) {
  return name.trim().replace(/\s+/g, ' ').toLowerCase().normalize('NFD').replace(/[\u0300-\u036f]/g, '');
}
function sortGuests(list) {
  return list.slice().sort((a, b) => a.name.localeCompare(b.name, 'sv'));
}
function copyPlan(plan) {
  return JSON.parse(JSON.stringify(plan));
}
function freeSeat(plan, row) {
  for (let seat = 0; seat < plan[row].length; seat++) if (plan[row][seat] === null) return seat;
  return -1;
}
function place(plan, guest) {
  const next = copyPlan(plan);
  const seat = freeSeat(next, guest.row);
  if (seat >= 0) next[guest.row][seat] = guest.name;
  return next;
}
function seatAll(list) {
  let plan = Array.from({ length: 40 }, () => new Array(60).fill(null));
  for (const guest of list) plan = place(plan, guest);
  return plan;
}
function checksum(plan) {
  let sum = 0;
  for (const row of plan) for (const name of row) if (name) for (let i = 0; i < name.length; i++) sum = (sum * 31 + name.charCodeAt(i)) >>> 0;
  return sum;
}
const list = guests(6000);
for (const guest of list) guest.name = normaliseName(guest.name);
let sorted = [];
for (let n = 0; n < 6; n++) sorted = sortGuests(list);
const plan = seatAll(sorted.slice(0, 2200));
let total = 0;
for (let n = 0; n < 150; n++) total += checksum(plan);
console.log(total);
