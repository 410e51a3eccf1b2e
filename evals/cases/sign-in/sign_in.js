// Signs people in: `node sign_in.js PEOPLE`. Planted: `hashPassword` hashes on the main thread, synchronously.
const crypto = require('node:crypto');

function hashPassword(password, salt) {
  return crypto.pbkdf2Sync(password, salt, 40000, 32, 'sha256').toString('hex');
}

function findPerson(people, email) {
  return people.find((person) => person.email === email);
}

function issueToken(person) {
  const payload = JSON.stringify({ sub: person.email, roles: person.roles });
  return Buffer.from(payload).toString('base64url') + '.' + crypto.createHmac('sha256', 'not a real key').update(payload).digest('hex');
}

function signIn(people, email, password) {
  const person = findPerson(people, email);
  return hashPassword(password, person.salt) === person.hash ? issueToken(person) : null;
}

const people = [];
for (let n = 0; n < 2000; n++) people.push({ email: `person${n}@example.org`, salt: 'salt' + n, hash: '', roles: ['reader'] });
for (let n = 0; n < Number(process.argv[2]); n++) people[n].hash = hashPassword('word' + n, people[n].salt);
let tokens = 0;
for (let n = 0; n < Number(process.argv[2]); n++) tokens += signIn(people, `person${n}@example.org`, 'word' + n) ? 1 : 0;
console.log(tokens);
