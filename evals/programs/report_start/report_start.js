// Prints a small report. With 1 every exporter is loaded and every locale prepared before the first line, with 0 one.
const everything = process.argv[2] === '1';
const LOCALES = ['de', 'en', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'sv', 'cs', 'ja', 'ko', 'zh', 'ru', 'tr', 'ar', 'he', 'th', 'hu', 'fi'];

function loadExporters() { for (const name of ['http2', 'tls', 'zlib', 'readline', 'inspector', 'worker_threads', 'repl', 'dgram', 'cluster']) require(name); }
function prepareLocale(locale) {
  const days = [];
  for (let d = 0; d < 40; d++) days.push(new Intl.DateTimeFormat(locale, { weekday: 'long', month: 'long', day: 'numeric' }).format(new Date(2026, 0, d + 1)));
  return days;
}
function startUp() {
  if (everything) loadExporters();
  const ready = {};
  for (const locale of everything ? LOCALES : ['en']) ready[locale] = prepareLocale(locale);
  return ready;
}
function formatRow(n) { let row = ''; for (let k = 0; k < 40; k++) row += ((n * k) % 97).toString(36).padStart(3); return row; }
function printReport(rows) { let length = 0; for (let n = 0; n < rows; n++) length += formatRow(n).length; return length; }
startUp();
console.log(printReport(9000));
