import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const UUID_BYTES = 16
const UUID_LENGTH = 36
const DASH = 0x2d
/** Longer keys are hashed, because a Postgres index entry is limited to 2,700 bytes. */
const KEY_BYTES_MAX = 255
/** Postgres texts contain no NUL, so bytes that start with it are never those of a text. */
const NUL = Buffer.from([0])

/** Returns a row's unique identity within a bucket: 16 bytes for a UUID, otherwise its text, or the hash of a very long one. */
export function rowKey(objectId: string): Buffer {
  if (UUID.test(objectId)) return Buffer.from(objectId.replaceAll('-', ''), 'hex')
  const text = Buffer.from(objectId, 'utf8')
  if (text.length > KEY_BYTES_MAX) return Buffer.concat([NUL, createHash('sha256').update(text).digest()])
  return text.length === UUID_BYTES ? Buffer.concat([NUL, text]) : text
}

/** Maximum size of {@link rowKey}. */
export const ROW_KEY_BYTES_MAX = KEY_BYTES_MAX

/** Values of lower-case hexadecimal digits by character code; -1 for other characters. */
const DIGITS = new Int8Array(128).fill(-1)
for (let digit = 0; digit < 16; digit++) DIGITS[digit.toString(16).charCodeAt(0)] = digit

/** Writes {@link rowKey} of an id at `at`, where {@link ROW_KEY_BYTES_MAX} bytes must be free. @returns the end position */
export function writeRowKey(into: Buffer, at: number, objectId: string): number {
  if (objectId.length === UUID_LENGTH && writeUuid(into, at, objectId)) return at + UUID_BYTES
  const key = rowKey(objectId)
  into.set(key, at)
  return at + key.length
}

/** @returns whether `text` is a UUID; if not, the bytes at `at` are undefined */
function writeUuid(into: Buffer, at: number, text: string): boolean {
  let position = 0
  for (let byte = 0; byte < UUID_BYTES; byte++) {
    if (byte === 4 || byte === 6 || byte === 8 || byte === 10) if (text.charCodeAt(position++) !== DASH) return false
    const high = DIGITS[text.charCodeAt(position)] ?? -1
    const low = DIGITS[text.charCodeAt(position + 1)] ?? -1
    if (high < 0 || low < 0) return false
    into[at + byte] = (high << 4) | low
    position += 2
  }
  return true
}

/**
 * Returns the checksum of an operation, a signed 32-bit integer. It covers position and content, so that missing and duplicate operations are detected.
 */
export function opChecksum(opId: number, content: string | Buffer): number {
  return spread(crc32(content) ^ Math.imul(opId | 0, 0x9e3779b1) ^ Math.floor(opId / 2 ** 32))
}

/**
 * Mixes the bits of a hash (the finalizer of MurmurHash3). Devices compare only the sum of checksums, which without mixing would often stay the same if two
 * operations swapped their contents.
 */
function spread(hash: number): number {
  let mixed = hash ^ (hash >>> 16)
  mixed = Math.imul(mixed, 0x85ebca6b)
  mixed ^= mixed >>> 13
  mixed = Math.imul(mixed, 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}

const OP_ID = Buffer.from('\x02op_id\0', 'latin1')
const PUT = Buffer.from('\x02op\0\x04\0\0\0PUT\0', 'latin1')
const REMOVE = Buffer.from('\x02op\0\x07\0\0\0REMOVE\0', 'latin1')
const MOVE = Buffer.from('\x02op\0\x05\0\0\0MOVE\0', 'latin1')
const CLEAR = Buffer.from('\x02op\0\x06\0\0\0CLEAR\0', 'latin1')
/** Offset of the operation's name in its element. The names differ in their first character. */
const OP_TEXT = '\x02op\0'.length + 4
const OBJECT_TYPE = Buffer.from('\x02object_type\0', 'latin1')
const OBJECT_ID = Buffer.from('\x02object_id\0', 'latin1')
const CHECKSUM = Buffer.from('\x10checksum\0', 'latin1')
const DATA = Buffer.from('\x02data\0', 'latin1')
const DATA_NULL = Buffer.from('\x0adata\0', 'latin1')

/** Size of a string element besides key and text: length prefix and closing NUL. */
const STRING_OVERHEAD = 5

function writeString(into: Buffer, at: number, key: Buffer, text: string, bytes: number): number {
  key.copy(into, at)
  const start = at + key.length
  into.writeInt32LE(bytes + 1, start)
  into.write(text, start + 4, bytes, 'utf8')
  into[start + 4 + bytes] = 0
  return start + STRING_OVERHEAD + bytes
}

function writeChecksum(into: Buffer, at: number, checksum: number): number {
  CHECKSUM.copy(into, at)
  into.writeInt32LE(checksum, at + CHECKSUM.length)
  return at + CHECKSUM.length + 4
}

/** Bytes of a PUT between operation number and row id, by object type. There are as many as tables. */
const putMiddles = new Map<string, Buffer>()

function putMiddle(objectType: string): Buffer {
  let middle = putMiddles.get(objectType)
  if (!middle) {
    const bytes = Buffer.byteLength(objectType)
    middle = Buffer.allocUnsafe(PUT.length + OBJECT_TYPE.length + STRING_OVERHEAD + bytes + OBJECT_ID.length)
    PUT.copy(middle)
    OBJECT_ID.copy(middle, writeString(middle, PUT.length, OBJECT_TYPE, objectType, bytes))
    putMiddles.set(objectType, middle)
  }
  return middle
}

/** Size of a PUT besides its middle, row id and content: lengths, keys, 16 digits of the number, checksum. */
const PUT_REST_BYTES =
  5 + OP_ID.length + STRING_OVERHEAD + 16 + STRING_OVERHEAD + CHECKSUM.length + 4 + DATA.length + STRING_OVERHEAD

/** Returns the bytes that {@link writePutDoc} needs. @param textBytes - UTF-8 size of id and content together, or more */
export function putDocBytes(objectType: string, textBytes: number): number {
  return PUT_REST_BYTES + putMiddle(objectType).length + textBytes
}

/** Copies byte by byte, which is faster than a call for short keys. */
function writeBytes(into: Buffer, at: number, bytes: Buffer): number {
  for (let index = 0; index < bytes.length; index++) into[at + index] = bytes[index] as number
  return at + bytes.length
}

/**
 * Writes the BSON document of a row's new version at `at`, where {@link putDocBytes} must be free. Allocates nothing, because a large transaction has
 * millions.
 *
 * @param data - the row as JSON text
 * @returns the end position and the checksum
 */
export function writePutDoc(
  into: Buffer,
  start: number,
  opId: number,
  objectType: string,
  objectId: string,
  data: string,
): { readonly end: number; readonly checksum: number } {
  let at = writeBytes(into, start + 4, OP_ID)
  const id = String(opId)
  at = into.writeInt32LE(id.length + 1, at)
  for (let index = 0; index < id.length; index++) into[at++] = id.charCodeAt(index)
  into[at++] = 0
  at = writeBytes(into, at, putMiddle(objectType))
  at = writeText(into, at, objectId)
  at = writeBytes(into, at, CHECKSUM)
  const checksumAt = at
  at = writeBytes(into, at + 4, DATA)
  const end = writeText(into, at, data) + 1
  into[end - 1] = 0
  const checksum = opChecksum(opId, into.subarray(at + 4, end - 2))
  into.writeInt32LE(checksum, checksumAt)
  into.writeInt32LE(end - start, start)
  return { end, checksum }
}

/** Writes a string with its length prefix and closing NUL. */
function writeText(into: Buffer, at: number, text: string): number {
  const bytes = into.write(text, at + 4)
  into.writeInt32LE(bytes + 1, at)
  into[at + 4 + bytes] = 0
  return at + STRING_OVERHEAD + bytes
}

/** Returns the BSON document that removes a row from a bucket. */
export function removeDoc(opId: number, objectType: string, objectId: string, checksum: number): Buffer {
  const id = String(opId)
  const typeBytes = Buffer.byteLength(objectType)
  const objectIdBytes = Buffer.byteLength(objectId)
  const size =
    5 +
    (OP_ID.length + STRING_OVERHEAD + id.length) +
    REMOVE.length +
    (OBJECT_TYPE.length + STRING_OVERHEAD + typeBytes) +
    (OBJECT_ID.length + STRING_OVERHEAD + objectIdBytes) +
    (CHECKSUM.length + 4) +
    DATA_NULL.length
  const doc = Buffer.allocUnsafe(size)
  doc.writeInt32LE(size, 0)
  let at = writeString(doc, 4, OP_ID, id, id.length)
  at += REMOVE.copy(doc, at)
  at = writeString(doc, at, OBJECT_TYPE, objectType, typeBytes)
  at = writeString(doc, at, OBJECT_ID, objectId, objectIdBytes)
  at = writeChecksum(doc, at, checksum)
  at += DATA_NULL.copy(doc, at)
  doc[at] = 0
  return doc
}

function bareDoc(op: Buffer, opId: number, checksum: number): Buffer {
  const id = String(opId)
  const size = 5 + OP_ID.length + STRING_OVERHEAD + id.length + op.length + CHECKSUM.length + 4
  const doc = Buffer.allocUnsafe(size)
  doc.writeInt32LE(size, 0)
  let at = writeString(doc, 4, OP_ID, id, id.length)
  at += op.copy(doc, at)
  at = writeChecksum(doc, at, checksum)
  doc[at] = 0
  return doc
}

/** Returns the document of a superseded operation, with only its position and checksum. Equal to the bytes of `sync.move_doc`. */
export function moveDoc(opId: number, checksum: number): Buffer {
  return bareDoc(MOVE, opId, checksum)
}

/** Tells devices to forget everything in the bucket before this operation. */
export function clearDoc(opId: number, checksum: number): Buffer {
  return bareDoc(CLEAR, opId, checksum)
}

/** Whether the document at `at` removes a row from a bucket. */
function isRemoval(docs: Buffer, at: number): boolean {
  return docs[opAt(docs, at) + OP_TEXT] === REMOVE[OP_TEXT]
}

/** Returns the position of the operation's name in the document at `at`. */
function opAt(docs: Buffer, at: number): number {
  const id = at + 4 + OP_ID.length
  return id + 4 + docs.readInt32LE(id)
}

/** Returns the operation for a user who never had the row: a REMOVE becomes a MOVE, which names no row. */
export function withoutRemoved(doc: Buffer): Buffer {
  if (!isRemoval(doc, 0)) return doc
  const checksum = doc.readInt32LE(doc.length - 1 - DATA_NULL.length - 4)
  return moveDoc(docOpId(doc), checksum)
}

/** Converts concatenated documents up to `upTo` with {@link withoutRemoved}. Returns the same buffer if none names a removed row. */
export function withoutRemovedUpTo(docs: Buffer, upTo: number): Buffer {
  for (let at = 0; at < docs.length; at += docs.readInt32LE(at)) {
    if (!isRemoval(docs, at)) continue
    return Buffer.concat(splitDocs(docs).map((doc) => (docOpId(doc) <= upTo ? withoutRemoved(doc) : doc)))
  }
  return docs
}

/** Splits concatenated documents. The slices share the memory of `docs`. */
export function splitDocs(docs: Buffer): Buffer[] {
  const list: Buffer[] = []
  for (let at = 0; at < docs.length;) {
    const end = at + docs.readInt32LE(at)
    list.push(docs.subarray(at, end))
    at = end
  }
  return list
}

/** Returns the id of an operation, which starts every document. @param at - position of the document */
export function docOpId(docs: Buffer, at = 0): number {
  const start = at + 4 + OP_ID.length
  return Number(docs.toString('latin1', start + 4, start + 3 + docs.readInt32LE(start)))
}

/** Converts an operation document to JSON text for NDJSON clients. `nested`: `data` as an object (very old clients). */
export function docToJson(doc: Buffer, nested: boolean): string {
  let json = ''
  let at = 4
  while (doc[at] !== 0) {
    const type = doc[at]
    const keyEnd = doc.indexOf(0, at + 1)
    const key = doc.toString('latin1', at + 1, keyEnd)
    at = keyEnd + 1
    let value = 'null'
    if (type === 0x02) {
      const bytes = doc.readInt32LE(at)
      const text = doc.toString('utf8', at + 4, at + 3 + bytes)
      value = nested && key === 'data' ? text : JSON.stringify(text)
      at += 4 + bytes
    } else if (type === 0x10) {
      value = String(doc.readUInt32LE(at))
      at += 4
    }
    json += `${json ? ',' : ''}"${key}":${value}`
  }
  return `{${json}}`
}
