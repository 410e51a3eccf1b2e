// Trucks arrive at a recycling yard; the one that is served next is the first of a list that is sorted anew for each arrival.
const MATERIALS = ['glass', 'paper', 'copper', 'timber', 'tyres', 'rubble']

function arrivals(count) {
  const trucks = []
  let seed = 7
  for (let n = 0; n < count; n++) {
    seed = (seed * 1103515245 + 12345) % 2147483648
    trucks.push({ plate: 'T' + (seed % 100000).toString(36).toUpperCase(), material: MATERIALS[seed % 6], weight: 900 + (seed % 14000), rank: seed % 5, at: n })
  }
  return trucks
}

function byRank(a, b) {
  return a.rank - b.rank || a.material.localeCompare(b.material) || a.at - b.at
}

function enqueue(queue, truck) {
  return [...queue, truck].sort(byRank)
}

function weigh(truck) {
  let net = truck.weight
  for (let axle = 0; axle < 60; axle++) net = (net * 31 + axle * 7) % 40009
  return net
}

function receipt(truck, net) {
  return `${truck.plate.padEnd(8)}${truck.material.padStart(8)} ${net.toFixed(1).padStart(9)} kg`
}

function serve(queue, receipts) {
  const [first, ...rest] = queue
  receipts.push(receipt(first, weigh(first)))
  return rest
}

function runDay(trucks) {
  const receipts = []
  let queue = []
  for (const truck of trucks) {
    queue = enqueue(queue, truck)
    if (truck.at % 4 === 0) queue = serve(queue, receipts)
  }
  while (queue.length) queue = serve(queue, receipts)
  return receipts
}

function monthly(receipts) {
  const sums = new Map()
  for (let round = 0; round < 8; round++) {
    for (const line of receipts) {
      const [plate, material, net] = line.split(/ +/)
      sums.set(material, (sums.get(material) || 0) + Number(net))
    }
  }
  return sums
}

const trucks = arrivals(8000)
const receipts = runDay(trucks)
const sums = monthly(receipts)
console.log(receipts.length, sums.size)
