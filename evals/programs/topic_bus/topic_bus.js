// Visitors listen to topics while they read a page. With 1 their listeners stay when they leave, with 0 they are removed.
const { EventEmitter } = require('events');
const bus = new EventEmitter();
bus.setMaxListeners(0);
globalThis.bus = bus;
const keeps = process.argv[2] === '1';

function makeListener(visitor) {
  const seen = new Array(60).fill(visitor);
  return (story) => { seen[story % 60] = story; };
}
function renderPage(visitor) { return Array.from({ length: 40 }, (_, n) => `<p>${visitor} ${n}`).join(''); }
function visit(visitor) {
  const listener = makeListener(visitor);
  bus.on('story', listener);
  const page = renderPage(visitor);
  if (!keeps) bus.removeListener('story', listener);
  return page.length;
}
let sent = 0;
for (let visitor = 0; visitor < 6000; visitor++) sent += visit(visitor);
console.log(sent, bus.listenerCount('story'));
