// Answers sign-ins and health checks in one event loop. With 1 the password is derived synchronously in the handler;
// with 0 in libuv's pool.
const crypto = require('crypto');
const { promisify } = require('util');
const scrypt = promisify(crypto.scrypt);
const synchronous = process.argv[2] === '1';
const users = new Map();

function deriveKey(password, salt) { return crypto.scryptSync(password, salt, 32, { N: 8192 }); }
async function checkPassword(user, password) {
  const key = synchronous ? deriveKey(password, user) : await scrypt(password, user, 32, { N: 8192 });
  users.set(user, key.toString('hex'));
}
async function handleSignIn(n) { await checkPassword('user' + n, 'secret' + n); return renderWelcome(n); }
function renderWelcome(n) {
  let page = '';
  for (let i = 0; i < 400; i++) page += '<li>' + ((n * i) % 91) + '</li>';
  return page.length;
}
function handleHealth() { let s = 0; for (let i = 0; i < 20000; i++) s += i % 7; return s; }
async function serve() {
  let served = 0;
  const health = setInterval(handleHealth, 5);
  while (served < 30) {
    await Promise.all([0, 1, 2].map((n) => handleSignIn(served + n)));
    served += 3;
    await new Promise((next) => setImmediate(next));
  }
  clearInterval(health);
}
serve();
