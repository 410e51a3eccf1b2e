// The gates of a ski area: codes of tickets are checked with a pattern before they are looked up.
'use strict';
const CODE = /^(?:[A-Z0-9]+-?)+#\d$/;
function readTickets() {
  const tickets = new Map();
  for (let n = 0; n < 30000; n++) tickets.set('LIFT-' + n.toString(36).toUpperCase() + '#' + (n % 10), { zone: n % 5, days: 1 + (n % 6) });
  return tickets;
}
function scans(tickets) {
  const codes = [...tickets.keys()];
  const list = [];
  for (let n = 0; n < 24000; n++) list.push({ gate: n % 8, code: codes[(n * 7919) % codes.length] });
  // codes of which the reader lost the check digit
  for (let n = 0; n < 6; n++) list[3000 + n * 3500].code = 'LIFT-2026ZELLAMSEEHOR' + 'QXJZVW'[n] + 'AB7' + n;
  return list;
}
function isCode(code) {
  return CODE.test(code);
}
function checkDigit(code) {
  let sum = 0;
  for (let k = 0; k < code.length; k++) sum = (sum * 31 + code.charCodeAt(k)) % 9973;
  return sum;
}
function lookUp(tickets, code) {
  return tickets.get(code);
}
function openGate(tickets, scan, gates) {
  if (!isCode(scan.code)) return gates.refused.push(scan);
  const ticket = lookUp(tickets, scan.code);
  gates.sums[scan.gate] += checkDigit(scan.code);
  gates.passed[scan.gate].push({ zone: ticket.zone, at: scan.code });
  return ticket.days;
}
function busiest(gates) {
  const sorted = gates.passed.map((list) => list.slice().sort((a, b) => (a.at < b.at ? -1 : 1)));
  return sorted.map((list) => list.length);
}
function main() {
  const tickets = readTickets();
  const list = scans(tickets);
  const gates = { refused: [], sums: new Array(8).fill(0), passed: Array.from({ length: 8 }, () => []) };
  for (const scan of list) openGate(tickets, scan, gates);
  console.log(busiest(gates).join(' '), gates.refused.length);
}
main();
