// Perfetto's trace processor in Node: node perfetto.mjs ENGINE_FOLDER TRACE < queries.json > rows.json
// ENGINE_FOLDER has engine_bundle.js and trace_processor.wasm of Perfetto's web interface; queries are a list of texts
// in PerfettoSQL, and the answer is a list of rows (objects by column) for each, or {"error": text}.
// Wire format: protos/perfetto/trace_processor/trace_processor.proto of https://github.com/google/perfetto.
import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import path from 'node:path'
import vm from 'node:vm'

const [APPEND, FINALIZE, QUERY] = [1, 2, 3]
const CHUNK = 16 << 20
const NULL_CELL = 1, INTEGER = 2, REAL = 3, TEXT = 4

const [folder, trace] = process.argv.slice(2)
const texts = new TextDecoder()

function varint(value) {
  const bytes = []
  for (let left = BigInt(value); ; left >>= 7n) {
    if (left < 128n) return Buffer.from([...bytes, Number(left)])
    bytes.push(Number(left & 127n) | 128)
  }
}
const field = (number, payload) => Buffer.concat([varint((number << 3) | 2), varint(payload.length), payload])
const numberField = (number, value) => Buffer.concat([varint(number << 3), varint(value)])

function readVarint(bytes, at) {
  let value = 0n
  for (let shift = 0n; ; shift += 7n) {
    const byte = bytes[at++]
    value |= BigInt(byte & 127) << shift
    if (byte < 128) return [BigInt.asIntN(64, value), at]
  }
}
function* fields(bytes) {
  for (let at = 0; at < bytes.length; ) {
    let key, value
    ;[key, at] = readVarint(bytes, at)
    const wire = Number(key & 7n)
    if (wire === 0) [value, at] = readVarint(bytes, at)
    else if (wire === 1) [value, at] = [bytes.subarray(at, at + 8), at + 8]
    else if (wire === 2) {
      let size
      ;[size, at] = readVarint(bytes, at)
      value = bytes.subarray(at, at + Number(size))
      at += Number(size)
    } else throw new Error(`wire type ${wire}`)
    yield [Number(key >> 3n), value, wire]
  }
}
function packed(value, wire) {
  if (wire === 0) return [value]
  const found = []
  for (let at = 0, one; at < value.length; found.push(one)) [one, at] = readVarint(value, at)
  return found
}

class Result {
  names = []
  rows = []
  error = ''
  add(bytes) {
    let last = false // an error comes behind the last batch
    for (const [number, value] of fields(bytes)) {
      if (number === 1) this.names.push(texts.decode(value))
      else if (number === 2) this.error = texts.decode(value)
      else if (number === 3) last = this.addBatch(value)
    }
    return last || this.error !== ''
  }
  addBatch(bytes) {
    const cells = [], integers = [], reals = []
    let strings = [], last = false
    for (const [number, value, wire] of fields(bytes)) {
      if (number === 1) cells.push(...packed(value, wire).map(Number))
      else if (number === 2) integers.push(...packed(value, wire))
      else if (number === 3) {
        for (let at = 0; at < value.length; at += 8) reals.push(Buffer.from(value).readDoubleLE(at))
      } else if (number === 5) strings = texts.decode(value).split('\0')
      else if (number === 6) last = value !== 0n
    }
    let integer = 0, real = 0, string = 0
    for (let at = 0; at < cells.length; at += this.names.length) {
      const row = {}
      this.names.forEach((name, column) => {
        const kind = cells[at + column]
        if (kind === NULL_CELL) row[name] = null
        else if (kind === INTEGER) row[name] = Number(integers[integer++])
        else if (kind === REAL) row[name] = reals[real++]
        else if (kind === TEXT) row[name] = strings[string++]
        else throw new Error(`cell of kind ${kind}`)
      })
      this.rows.push(row)
    }
    return last
  }
}

// The bundle is a web worker's script: it gets the few globals of one that it asks for.
class FileRequest {
  open(_, url) { this.url = url }
  send() { this.response = new Uint8Array(readFileSync(path.join(folder, path.basename(this.url)))).buffer }
}
const worker = { location: { href: 'file:///engine_bundle.js' } }
const silent = { log() {}, warn() {}, error() {} }
const globals = { process: undefined, self: worker, XMLHttpRequest: FileRequest, WorkerGlobalScope: class {}, location: worker.location, console: silent }
const script = readFileSync(path.join(folder, 'engine_bundle.js'), 'utf8')
vm.compileFunction(script, Object.keys(globals))(...Object.values(globals))

let waiting = null
let pending = Buffer.alloc(0)
const port = {
  postMessage(bytes) {
    pending = Buffer.concat([pending, Buffer.from(bytes)])
    for (let at = 0; at < pending.length; ) {
      let size, next
      ;[, next] = readVarint(pending, at)
      ;[size, next] = readVarint(pending, next)
      if (next + Number(size) > pending.length) break
      const message = pending.subarray(next, next + Number(size))
      pending = pending.subarray(next + Number(size))
      at = 0
      waiting?.(message)
    }
  },
}
await new Promise((resolve) => setTimeout(resolve, 0)) // the bundle's own start waits for a promise
worker.onmessage({ data: port })

let sequence = 0
function call(kind, number, payload, take) {
  return new Promise((resolve, reject) => {
    waiting = (message) => {
      for (const [field, value] of fields(message)) {
        if (field === 5) reject(new Error(texts.decode(value)))
        else if (field > 200 && take(value)) resolve()
        else if (field === 3 && Number(value) === kind && take(Buffer.alloc(0))) resolve()
      }
    }
    const message = Buffer.concat([numberField(1, ++sequence), numberField(2, kind), payload ? field(number, payload) : Buffer.alloc(0)])
    const request = field(1, message)
    port.onmessage({ data: new Uint8Array(request) })
  })
}

let failure = ''
const appended = (bytes) => {
  for (const [number, value] of fields(bytes)) if (number === 2) failure ||= texts.decode(value)
  return true
}
const file = openSync(trace, 'r')
const chunk = Buffer.alloc(CHUNK)
for (let size; (size = readSync(file, chunk, 0, CHUNK)) > 0; ) await call(APPEND, 101, chunk.subarray(0, size), appended)
closeSync(file)
await call(FINALIZE, 0, null, appended)

const answers = []
for (const text of JSON.parse(readFileSync(0, 'utf8'))) {
  const result = new Result()
  if (failure) result.error = failure
  else await call(QUERY, 103, field(1, Buffer.from(text)), (bytes) => result.add(bytes))
  answers.push(result.error ? { error: result.error } : result.rows)
}
process.stdout.write(JSON.stringify(answers))
