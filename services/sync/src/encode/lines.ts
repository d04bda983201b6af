import type { ControlLine } from '@holdfast/protocol'
import { encodeBson, type BsonValue } from './bson.ts'
import { docOpId, docToJson } from './op-doc.ts'

/** Stream format: concatenated BSON documents or one JSON object per line. */
export type LineFormat =
  | { readonly kind: 'bson' }
  /** `nestedData`: the request did not ask for `raw_data`, so rows are nested objects instead of JSON text. */
  | { readonly kind: 'ndjson'; readonly nestedData: boolean }

export const BSON_STREAM = 'application/vnd.powersync.bson-stream'
export const NDJSON_STREAM = 'application/x-ndjson'

/** Encodes any line except `data`. */
export function encodeControlLine(format: LineFormat, line: ControlLine): Buffer {
  if (format.kind === 'bson') return encodeBson(line as unknown as Readonly<Record<string, BsonValue>>)
  return Buffer.from(`${JSON.stringify(line)}\n`)
}

/** Operations of one bucket, encoded once for all devices. */
export interface EncodedOps {
  readonly count: number
  readonly lastOpId: number
  /** Total size of the documents in bytes, before encoding. */
  readonly bytes: number
  /** Returns the elements of the BSON array (`0x03 key doc`, …) or JSON array, without brackets, as parts to write in order. */
  body(format: LineFormat): readonly Buffer[]
  /** Splits into parts of at most `opsMax` operations and `bytesMax` bytes. A larger operation is a part by itself. */
  split(opsMax: number, bytesMax: number): readonly EncodedOps[]
}

/** Keys of a BSON array's elements with their type byte: `\x03` `0` `\0`, … */
const ELEMENT_KEYS: Buffer[] = []
export function elementKey(index: number): Buffer {
  return (ELEMENT_KEYS[index] ??= Buffer.from(`\x03${index}\0`, 'latin1'))
}

/** Documents of at least this size are written without copying. Copying smaller ones costs less than an additional part of a line. */
export const LARGE_DOC_BYTES = 16 * 1024

function bsonElements(docs: readonly Buffer[]): readonly Buffer[] {
  const parts: Buffer[] = []
  for (let first = 0; first < docs.length;) {
    let size = 0
    let end = first
    for (; end < docs.length && (docs[end] as Buffer).length < LARGE_DOC_BYTES; end++)
      size += elementKey(end).length + (docs[end] as Buffer).length
    if (end > first) parts.push(joinElements(docs, first, end, size))
    const large = docs[end]
    if (large !== undefined) parts.push(elementKey(end), large)
    first = end + 1
  }
  return parts
}

function joinElements(docs: readonly Buffer[], first: number, end: number, size: number): Buffer {
  const joined = Buffer.allocUnsafe(size)
  let at = 0
  for (let index = first; index < end; index++) {
    at += elementKey(index).copy(joined, at)
    at += (docs[index] as Buffer).copy(joined, at)
  }
  return joined
}

export function jsonElements(docs: readonly Buffer[], nested: boolean): readonly Buffer[] {
  return [Buffer.from(docs.map((doc) => docToJson(doc, nested)).join(','))]
}

/** Prepares operations for sending. Encodes on first use, once per format. */
export function encodedOps(docs: readonly Buffer[], lastOpId: number): EncodedOps {
  let bson: readonly Buffer[] | undefined
  let raw: readonly Buffer[] | undefined
  let nested: readonly Buffer[] | undefined
  /** The last split: devices that read equally fast use the same. */
  let known: { readonly opsMax: number; readonly bytesMax: number; readonly parts: EncodedOps[] } | undefined
  return {
    count: docs.length,
    lastOpId,
    bytes: docs.reduce((sum, doc) => sum + doc.length, 0),
    body(format) {
      if (format.kind === 'bson') return (bson ??= bsonElements(docs))
      if (format.nestedData) return (nested ??= jsonElements(docs, true))
      return (raw ??= jsonElements(docs, false))
    },
    split(opsMax, bytesMax) {
      if (known?.opsMax === opsMax && known.bytesMax === bytesMax) return known.parts
      const parts: EncodedOps[] = []
      let part: Buffer[] = []
      let bytes = 0
      for (const doc of docs) {
        if (part.length >= opsMax || (part.length > 0 && bytes + doc.length > bytesMax)) {
          parts.push(encodedOps(part, docOpId(part.at(-1) as Buffer)))
          part = []
          bytes = 0
        }
        part.push(doc)
        bytes += doc.length
      }
      if (part.length > 0) parts.push(encodedOps(part, lastOpId))
      known = { opsMax, bytesMax, parts }
      return parts
    },
  }
}

interface DataLine {
  readonly bucket: string
  readonly after: string
  readonly hasMore: boolean
  readonly ops: EncodedOps
}

const DATA_KEY = Buffer.from('\x03data\0', 'latin1')
const ARRAY_KEY = Buffer.from('\x04data\0', 'latin1')

/** Frames operations as a `data` line, as parts to write in order. Clients share the body; head and tail are per client. */
export function dataLine(format: LineFormat, line: DataLine): readonly Buffer[] {
  const body = line.ops.body(format)
  const nextAfter = String(line.ops.lastOpId)
  if (format.kind === 'ndjson') {
    const head = `{"data":{"bucket":${JSON.stringify(line.bucket)},"after":"${line.after}","has_more":${line.hasMore},"next_after":"${nextAfter}","data":[`
    return [Buffer.from(head), ...body, Buffer.from(']}}\n')]
  }
  const fields = encodeBson({ bucket: line.bucket, after: line.after, has_more: line.hasMore, next_after: nextAfter })
  const fieldsBytes = fields.length - 5 // without its own length and closing NUL
  const arraySize = 4 + body.reduce((sum, part) => sum + part.length, 0) + 1
  const innerSize = 4 + fieldsBytes + ARRAY_KEY.length + arraySize + 1
  const outerSize = 4 + DATA_KEY.length + innerSize + 1
  const head = Buffer.allocUnsafe(4 + DATA_KEY.length + 4 + fieldsBytes + ARRAY_KEY.length + 4)
  head.writeInt32LE(outerSize, 0)
  let at = 4 + DATA_KEY.copy(head, 4)
  at = head.writeInt32LE(innerSize, at)
  at += fields.copy(head, at, 4, 4 + fieldsBytes)
  at += ARRAY_KEY.copy(head, at)
  head.writeInt32LE(arraySize, at)
  return [head, ...body, Buffer.alloc(3)] // the ends of the array, the inner and the outer document
}
