// A laundrette's booking desk: slots of machines are booked; after each booking the day is backed up.
const zlib = require('node:zlib')

const MACHINES = 14
function emptyDay() {
  const day = { machines: [] }
  for (let m = 0; m < MACHINES; m++) {
    day.machines.push({ id: `washer-${m}`, slots: Array.from({ length: 40 }, (_, at) => ({ at, guest: null, programme: 'cotton 60' })) })
  }
  return day
}

function findSlot(day, wish) {
  for (const machine of day.machines) {
    const slot = machine.slots.find((one) => one.guest === null && one.at >= wish.from)
    if (slot) return slot
  }
  return null
}

function priceOf(wish) {
  let price = 3.2
  for (const extra of wish.extras) price += extra.length * 0.05
  return Math.round(price * 100) / 100
}

function snapshot(day) {
  return JSON.stringify(day)
}

function backup(day) {
  return zlib.gzipSync(snapshot(day), { level: 9 }).length
}

function handleBooking(day, wish) {
  const slot = findSlot(day, wish)
  if (!slot) return 0
  slot.guest = wish.guest
  slot.price = priceOf(wish)
  return backup(day)
}

function wishes() {
  let seed = 24
  const next = () => (seed = (seed * 1103515245 + 12345) % 2147483648)
  return Array.from({ length: 420 }, (_, n) => ({ guest: `guest ${n}`, from: next() % 24, extras: ['softener', 'spin', 'dryer'].slice(next() % 3) }))
}

async function openDay() {
  const day = emptyDay()
  let bytes = 0
  for (const wish of wishes()) {
    bytes += handleBooking(day, wish)
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  console.log(bytes)
}

openDay()
