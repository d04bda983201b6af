import { elementKey, jsonElements, LARGE_DOC_BYTES, type EncodedOps, type LineFormat } from './lines.ts'
import { docOpId, splitDocs } from './op-doc.ts'

/** Operations as concatenated documents from the log. A first sync has millions, so no object is created per document. @param count - number of documents */
export function packedOps(docs: Buffer, count: number, lastOpId: number): EncodedOps {
  return new PackedOps(docs, count, lastOpId)
}

/** Encodes on each call without caching, because each device reads the log for itself. */
class PackedOps implements EncodedOps {
  readonly #docs: Buffer
  readonly count: number
  readonly lastOpId: number

  constructor(docs: Buffer, count: number, lastOpId: number) {
    this.#docs = docs
    this.count = count
    this.lastOpId = lastOpId
  }

  get bytes(): number {
    return this.#docs.length
  }

  body(format: LineFormat): readonly Buffer[] {
    if (format.kind === 'bson') return bsonElements(this.#docs)
    return jsonElements(splitDocs(this.#docs), format.nestedData)
  }

  split(opsMax: number, bytesMax: number): readonly EncodedOps[] {
    const docs = this.#docs
    const parts: EncodedOps[] = []
    let start = 0
    let count = 0
    let last = 0
    for (let at = 0; at < docs.length;) {
      const end = at + docs.readInt32LE(at)
      if (count >= opsMax || (count > 0 && end - start > bytesMax)) {
        parts.push(new PackedOps(docs.subarray(start, at), count, docOpId(docs, last)))
        start = at
        count = 0
      }
      last = at
      count++
      at = end
    }
    if (count > 0) parts.push(new PackedOps(docs.subarray(start), count, this.lastOpId))
    return parts
  }
}

/** Returns the BSON array elements of concatenated documents: small ones joined, large ones without copying. */
function bsonElements(docs: Buffer): readonly Buffer[] {
  const parts: Buffer[] = []
  let index = 0
  for (let at = 0; at < docs.length;) {
    const first = index
    const start = at
    let size = 0
    let bytes = 0
    for (; at < docs.length; at += bytes) {
      bytes = docs.readInt32LE(at)
      if (bytes >= LARGE_DOC_BYTES) break
      size += elementKey(index++).length + bytes
    }
    if (index > first) parts.push(joinElements(docs, start, at, first, size))
    if (at === docs.length) break
    parts.push(elementKey(index++), docs.subarray(at, at + bytes))
    at += bytes
  }
  return parts
}

/** @param first - the index of the document at `start`; `size`: total bytes of the elements */
function joinElements(docs: Buffer, start: number, end: number, first: number, size: number): Buffer {
  const joined = Buffer.allocUnsafe(size)
  let to = 0
  for (let at = start, index = first; at < end; index++) {
    const key = elementKey(index)
    // Keys are short, so copying byte by byte is faster than a call.
    for (let byte = 0; byte < key.length; byte++) joined[to++] = key[byte] as number
    const next = at + docs.readInt32LE(at)
    joined.set(docs.subarray(at, next), to)
    to += next - at
    at = next
  }
  return joined
}
