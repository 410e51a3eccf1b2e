// Sorts mails by rules. With 1 the rule for newsletters backtracks (nested quantifiers), with 0 it does not.
const nested = /^(?:\w+[ ,]?)+$/;
const flat = /^[\w ,]+$/;
const rule = process.argv[2] === '1' ? nested : flat;

function isNewsletter(subject) { return rule.test(subject); }
function hasInvoice(subject) { return subject.includes('invoice') || subject.includes('receipt'); }
function tokenise(body) { return body.toLowerCase().split(/\W+/).filter((word) => word.length > 3); }
function countWords(words) {
  const counts = new Map();
  for (const word of words) counts.set(word, (counts.get(word) || 0) + 1);
  return counts;
}
function sortMail(mail) {
  const folder = hasInvoice(mail.subject) ? 'bills' : isNewsletter(mail.subject) ? 'news' : 'inbox';
  return [folder, countWords(tokenise(mail.body)).size];
}
const mails = [];
for (let n = 0; n < 900; n++) {
  const subject = n % 90 === 0 ? 'weekly update for all teams today' : `note ${n}`;
  mails.push({ subject: subject + '!', body: 'several plain words about nothing in particular number '.repeat(30) + n });
}
let folders = {};
for (const mail of mails) { const [folder] = sortMail(mail); folders[folder] = (folders[folder] || 0) + 1; }
console.log(folders);
