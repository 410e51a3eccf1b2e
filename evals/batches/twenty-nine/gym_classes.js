// Plans a gym's weekly classes: reads sign-ups, finds clashes of members and rooms, draws the timetable.
function parseSignups(text) {
  return text.split('\n').filter((line) => line).map((line) => {
    const [member, course, hour] = line.split(';');
    return { member, course, hour: Number(hour) };
  });
}
function makeText() {
  let text = '';
  for (let i = 0; i < 14000; i++) text += `member${i % 1300};class${(i * 7) % 90};${(i * 13) % 84}\n`;
  return text;
}
function sameHour(a, b) { return a.member === b.member && a.hour === b.hour && a !== b; }
function findClashes(signups) {
  let clashes = 0;
  for (const a of signups) for (const b of signups) if (sameHour(a, b)) clashes++;
  return clashes;
}
function cloneTimetable(table) { return JSON.parse(JSON.stringify(table)); }
function placeClass(table, signup) {
  const next = cloneTimetable(table);
  next[signup.hour % 84].push(signup.course);
  return next;
}
function fillTimetable(signups) {
  let table = Array.from({ length: 84 }, () => []);
  for (const signup of signups.slice(0, 2400)) table = placeClass(table, signup);
  return table;
}
function drawCell(cell) { return `<td>${[...cell].sort().join('<br>')}</td>`; }
function drawTimetable(table) {
  let html = '';
  for (let week = 0; week < 25; week++) html += '<tr>' + table.map(drawCell).join('') + '</tr>';
  return html.length;
}
function main() {
  const signups = parseSignups(makeText());
  const clashes = findClashes(signups);
  const table = fillTimetable(signups);
  console.log(clashes, drawTimetable(table));
}
main();
