import { ROW_KEY_BYTES_MAX, putDocBytes, writePutDoc, writeRowKey } from '../encode/op-doc.ts'

/** Bytes per slab. Rows that need a large part of one get their own buffer. */
const SLAB_BYTES = 256 * 1024
const ALONE_BYTES = SLAB_BYTES / 4
/** UTF-8 bytes per string code unit. */
const UNIT_BYTES_MAX = 3

/** Number of columns, then length and value of op_id, bucket_id and checksum. */
const CHECKSUM_AT = 2 + (4 + 8) + (4 + 4) + 4
const KEY_AT = CHECKSUM_AT + 4 + 4
/** Bytes of a row without its key and document. */
const REST_BYTES = KEY_AT + 4
const NULL_LENGTH = -1

/** An operation as a row of a binary `COPY sync.ops (op_id, bucket_id, checksum, row_key, doc)`, encoded once and sent to Postgres unchanged. */
export interface OpRow {
  readonly buffer: Buffer
  readonly start: number
  /** Offset of the document, which ends the row. */
  readonly docStart: number
  readonly end: number
  readonly checksum: number
}

/** Allocates rows consecutively in slabs. A slab is released when none of its rows is needed. */
export interface OpRows {
  put(opId: number, bucketId: number, objectType: string, objectId: string, data: string): OpRow
  /** Creates a row without a key, which is not the newest version of any table row. */
  bare(opId: number, bucketId: number, checksum: number, doc: Buffer): OpRow
}

export function createOpRows(): OpRows {
  let slab = Buffer.alloc(0)
  let free = 0

  /** @returns a buffer with `bytes` available from `free`, or `undefined` if the row should have its own */
  function room(bytes: number): Buffer | undefined {
    if (slab.length - free >= bytes) return slab
    if (bytes > ALONE_BYTES) return undefined
    slab = Buffer.allocUnsafeSlow(SLAB_BYTES)
    free = 0
    return slab
  }

  return {
    put(opId, bucketId, objectType, objectId, data) {
      const least = REST_BYTES + ROW_KEY_BYTES_MAX
      const buffer =
        room(least + putDocBytes(objectType, (objectId.length + data.length) * UNIT_BYTES_MAX)) ??
        Buffer.allocUnsafeSlow(least + putDocBytes(objectType, Buffer.byteLength(objectId) + Buffer.byteLength(data)))
      const start = buffer === slab ? free : 0
      writeHead(buffer, start, opId, bucketId)
      const keyEnd = writeRowKey(buffer, start + KEY_AT, objectId)
      buffer.writeInt32BE(keyEnd - start - KEY_AT, start + KEY_AT - 4)
      const docStart = keyEnd + 4
      const { end, checksum } = writePutDoc(buffer, docStart, opId, objectType, objectId, data)
      buffer.writeInt32BE(end - docStart, keyEnd)
      buffer.writeInt32BE(checksum, start + CHECKSUM_AT)
      if (buffer === slab) free = end
      return { buffer, start, docStart, end, checksum }
    },
    bare(opId, bucketId, checksum, doc) {
      const bytes = REST_BYTES + doc.length
      const buffer = room(bytes) ?? Buffer.allocUnsafeSlow(bytes)
      const start = buffer === slab ? free : 0
      writeHead(buffer, start, opId, bucketId)
      buffer.writeInt32BE(checksum, start + CHECKSUM_AT)
      buffer.writeInt32BE(NULL_LENGTH, start + KEY_AT - 4)
      buffer.writeInt32BE(doc.length, start + KEY_AT)
      const docStart = start + REST_BYTES
      buffer.set(doc, docStart)
      if (buffer === slab) free = start + bytes
      return { buffer, start, docStart, end: start + bytes, checksum }
    },
  }
}

function writeHead(into: Buffer, start: number, opId: number, bucketId: number): void {
  let at = into.writeInt16BE(5, start)
  at = into.writeInt32BE(8, at)
  at = into.writeInt32BE(Math.floor(opId / 2 ** 32), at)
  at = into.writeUInt32BE(opId >>> 0, at)
  at = into.writeInt32BE(4, at)
  at = into.writeInt32BE(bucketId, at)
  into.writeInt32BE(4, at)
}

export function docOf(row: OpRow): Buffer {
  return row.buffer.subarray(row.docStart, row.end)
}

/** Returns the key of a row created by `put`. */
export function keyOf(row: OpRow): Buffer {
  return row.buffer.subarray(row.start + KEY_AT, row.docStart - 4)
}

/** Signature and header of a binary `COPY`, and its trailer. */
const COPY_HEADER = Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), Buffer.alloc(8)])
const COPY_TRAILER = Buffer.from([0xff, 0xff])

/** Returns the `COPY` data of rows in as few pieces as possible, without copying. */
export function copyData(rows: readonly OpRow[]): Buffer[] {
  const pieces: Buffer[] = [COPY_HEADER]
  let index = 0
  while (index < rows.length) {
    const first = rows[index] as OpRow
    let { end } = first
    for (index++; index < rows.length; index++) {
      const next = rows[index] as OpRow
      if (next.buffer !== first.buffer || next.start !== end) break
      end = next.end
    }
    pieces.push(first.buffer.subarray(first.start, end))
  }
  pieces.push(COPY_TRAILER)
  return pieces
}
