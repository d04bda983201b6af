import { ProtocolError } from './server-error.ts'

/** Types of server messages. @see PostgreSQL manual, "Frontend/Backend Protocol", "Message Formats" */
export const MESSAGE = {
  parseComplete: 0x31, // 1
  commandComplete: 0x43, // C
  dataRow: 0x44, // D
  error: 0x45, // E
  copyIn: 0x47, // G
  copyOut: 0x48, // H
  emptyQuery: 0x49, // I
  notice: 0x4e, // N
  rowDescription: 0x54, // T
  copyBoth: 0x57, // W
  readyForQuery: 0x5a, // Z
  copyDone: 0x63, // c
  copyData: 0x64, // d
  noData: 0x6e, // n
} as const

/** Decodes the columns of a `RowDescription`. */
export function readColumns(buffer: Buffer, start: number, end: number): { name: string; typeOid: number }[] {
  const columns: { name: string; typeOid: number }[] = []
  let at = start + 2
  for (let left = readCount(buffer, start, end); left > 0; left--) {
    const stop = buffer.indexOf(0, at)
    const next = stop + 19 // table, column, type, length, modifier and format
    if (stop < 0 || next > end) throw tooShort()
    columns.push({ name: buffer.toString('utf8', at, stop), typeOid: buffer.readUInt32BE(stop + 7) })
    at = next
  }
  return columns
}

/** Decodes the values of a `DataRow`, as views of the buffer. */
export function readDataRow(buffer: Buffer, start: number, end: number): (Buffer | null)[] {
  const values: (Buffer | null)[] = []
  let at = start + 2
  for (let left = readCount(buffer, start, end); left > 0; left--) {
    if (at + 4 > end) throw tooShort()
    const length = buffer.readInt32BE(at)
    at += 4
    if (length < 0) values.push(null)
    else {
      const stop = at + length
      if (stop > end) throw tooShort()
      values.push(buffer.subarray(at, stop))
      at = stop
    }
  }
  return values
}

/** Parses the number at the end of a command tag such as `INSERT 0 5`; 0 if none. */
export function readAffected(buffer: Buffer, start: number, end: number): number {
  let affected = 0
  let unit = 1
  for (let at = end - 2; at >= start; at--) {
    const digit = (buffer[at] as number) - 0x30
    if (digit < 0 || digit > 9) break
    affected += digit * unit
    unit *= 10
  }
  return affected
}

function readCount(buffer: Buffer, start: number, end: number): number {
  if (start + 2 > end) throw tooShort()
  return buffer.readInt16BE(start)
}

function tooShort(): ProtocolError {
  return new ProtocolError('a row that ends too early')
}

/** Encodes a simple query. */
export function queryMessage(text: string): Buffer {
  return Buffer.concat([messageHead('Q', Buffer.byteLength(text) + 1), Buffer.from(`${text}\0`)])
}

export function terminateMessage(): Buffer {
  return messageHead('X', 0)
}

export function copyDataMessage(body: Buffer): Buffer {
  return Buffer.concat([copyDataHead(body.length), body])
}

/** Fails a `COPY` in response to `CopyInResponse`. */
export function copyFailMessage(reason: string): Buffer {
  return Buffer.concat([messageHead('f', Buffer.byteLength(reason) + 1), Buffer.from(`${reason}\0`)])
}

/** Encodes the header of a `CopyData` message, whose bytes are written separately without copying. */
export function copyDataHead(bytes: number): Buffer {
  return messageHead('d', bytes)
}

function messageHead(type: string, bodyBytes: number): Buffer {
  const head = Buffer.allocUnsafe(5)
  head.write(type, 0, 'latin1')
  head.writeUInt32BE(4 + bodyBytes, 1)
  return head
}
