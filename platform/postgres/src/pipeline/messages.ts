/*
 * The messages of the extended query protocol that a pipeline sends and receives.
 * @see PostgreSQL manual, "Frontend/Backend Protocol", "Message Formats"
 */

const PARSE = 0x50
const BIND = 0x42
const DESCRIBE = 0x44
const EXECUTE = 0x45
const CLOSE = 0x43
const SYNC = 0x53
const STATEMENT = 0x53

export const ANSWER = {
  parseComplete: 0x31,
  rowDescription: 0x54,
  noData: 0x6e,
  dataRow: 0x44,
  commandComplete: 0x43,
  emptyQuery: 0x49,
  error: 0x45,
  readyForQuery: 0x5a,
} as const

/** Text that is bytes already, such as the body of a request: it goes to Postgres without being decoded and encoded again. */
export class Utf8 {
  readonly bytes: Buffer

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  toString(): string {
    return this.bytes.toString('utf8')
  }
}

/** Collects messages, so that a pipeline is one write. */
export interface MessageWriter {
  parse(name: string, text: string): void
  describeStatement(name: string): void
  /** Values travel as text, but for a Buffer, which `bytea` takes as it is. */
  bind(name: string, values: readonly unknown[]): void
  execute(): void
  close(name: string): void
  sync(): void
  /** What was collected. More than one part when large values are among it, which are not copied. */
  take(): readonly Buffer[]
}

const INITIAL_BYTES = 4096

/** Values from this size on stay where they are. */
const LARGE_BYTES = 16 * 1024

export function createMessageWriter(): MessageWriter {
  let buffer = Buffer.allocUnsafe(INITIAL_BYTES)
  let at = 0
  /** Large values, and where in the buffer they belong. */
  let large: { readonly at: number; readonly value: Buffer }[] = []
  let largeInMessage = 0

  function reserve(bytes: number): void {
    if (at + bytes <= buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(buffer.length * 2, at + bytes))
    buffer.copy(larger, 0, 0, at)
    buffer = larger
  }
  /** @returns where the length goes when the message is complete */
  function begin(type: number): number {
    reserve(5)
    buffer[at] = type
    at += 5
    largeInMessage = 0
    return at - 4
  }
  function end(start: number): void {
    buffer.writeInt32BE(at - start + largeInMessage, start)
  }
  function name(text: string): void {
    reserve(text.length * 3 + 1)
    at += buffer.write(text, at)
    buffer[at++] = 0
  }
  function int16(value: number): void {
    reserve(2)
    at = buffer.writeInt16BE(value, at)
  }
  function int32(value: number): void {
    reserve(4)
    at = buffer.writeInt32BE(value, at)
  }
  function text(value: string): void {
    reserve(value.length * 3 + 4)
    const written = buffer.write(value, at + 4)
    buffer.writeInt32BE(written, at)
    at += 4 + written
  }
  function bytes(value: Buffer): void {
    if (value.length >= LARGE_BYTES) {
      int32(value.length)
      large.push({ at, value })
      largeInMessage += value.length
      return
    }
    reserve(value.length + 4)
    buffer.writeInt32BE(value.length, at)
    value.copy(buffer, at + 4)
    at += 4 + value.length
  }

  return {
    parse(statement, sqlText) {
      const start = begin(PARSE)
      name(statement)
      name(sqlText)
      int16(0)
      end(start)
    },
    describeStatement(statement) {
      const start = begin(DESCRIBE)
      reserve(1)
      buffer[at++] = STATEMENT
      name(statement)
      end(start)
    },
    bind(statement, values) {
      const start = begin(BIND)
      name('')
      name(statement)
      const binaries = values.some((value) => Buffer.isBuffer(value))
      if (binaries) {
        int16(values.length)
        for (const value of values) int16(Buffer.isBuffer(value) ? 1 : 0)
      } else int16(0)
      int16(values.length)
      for (const value of values) {
        if (value === null || value === undefined) int32(-1)
        else if (typeof value === 'string') text(value)
        else if (value instanceof Utf8) bytes(value.bytes)
        else if (Buffer.isBuffer(value)) bytes(value)
        else text(toText(value))
      }
      int16(0)
      end(start)
    },
    execute() {
      const start = begin(EXECUTE)
      name('')
      int32(0)
      end(start)
    },
    close(statement) {
      const start = begin(CLOSE)
      reserve(1)
      buffer[at++] = STATEMENT
      name(statement)
      end(start)
    },
    sync() {
      end(begin(SYNC))
    },
    take() {
      const parts: Buffer[] = []
      let from = 0
      for (const { at: place, value } of large) {
        parts.push(buffer.subarray(from, place), value)
        from = place
      }
      parts.push(buffer.subarray(from, at))
      // What was written may still wait in the socket: the rest of a large buffer is used on, never what was handed out.
      buffer = buffer.length - at >= 512 ? buffer.subarray(at) : Buffer.allocUnsafe(INITIAL_BYTES)
      at = 0
      large = []
      return parts
    },
  }
}

/** A value that is no string in Postgres's text form. */
function toText(value: unknown): string {
  if (Array.isArray(value)) return arrayLiteral(value)
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'object') return JSON.stringify(value)
  return String(value)
}

/** `{"a","b",NULL}` */
function arrayLiteral(items: readonly unknown[]): string {
  const parts = items.map((item) => {
    if (item === null || item === undefined) return 'NULL'
    if (Array.isArray(item)) return arrayLiteral(item)
    const text = typeof item === 'string' ? item : toText(item)
    return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
  })
  return `{${parts.join(',')}}`
}

/** The columns of a row description. */
export function parseColumns(body: Buffer): { readonly name: string; readonly typeOid: number }[] {
  const count = body.readInt16BE(0)
  const columns: { name: string; typeOid: number }[] = []
  let at = 2
  for (let index = 0; index < count; index++) {
    const end = body.indexOf(0, at)
    columns.push({ name: body.toString('utf8', at, end), typeOid: body.readUInt32BE(end + 7) })
    at = end + 19 // the table, its column, type, length, modifier and format
  }
  return columns
}

/** The values of a row, as parts of the bytes that came. */
export function parseDataRow(body: Buffer): (Buffer | null)[] {
  const count = body.readInt16BE(0)
  const values: (Buffer | null)[] = []
  let at = 2
  for (let index = 0; index < count; index++) {
    const length = body.readInt32BE(at)
    at += 4
    if (length < 0) values.push(null)
    else {
      values.push(body.subarray(at, at + length))
      at += length
    }
  }
  return values
}

const ERROR_FIELDS: Readonly<Record<string, string>> = {
  V: 'severity',
  C: 'code',
  D: 'detail',
  H: 'hint',
  W: 'where',
  s: 'schema',
  t: 'table',
  c: 'column',
  d: 'dataType',
  n: 'constraint',
  P: 'position',
  R: 'routine',
}

/** Reads the number at the end of a command tag such as `INSERT 0 5`; 0 if there is none. */
export function parseAffected(tag: Buffer): number {
  let affected = 0
  let unit = 1
  for (let at = tag.length - 2; at >= 0; at--) {
    const digit = (tag[at] as number) - 0x30
    if (digit < 0 || digit > 9) break
    affected += digit * unit
    unit *= 10
  }
  return affected
}

/** An error that Postgres reported, with the same fields as the driver's. */
export function parseServerError(body: Buffer): Error {
  const fields: Record<string, string> = {}
  let message = ''
  for (let at = 0; at < body.length && body[at] !== 0;) {
    const end = body.indexOf(0, at + 1)
    const code = String.fromCharCode(body[at] ?? 0)
    const text = body.toString('utf8', at + 1, end)
    const field = ERROR_FIELDS[code]
    if (code === 'M') message = text
    else if (field !== undefined) fields[field] = text
    at = end + 1
  }
  return Object.assign(new Error(message), { severity: 'ERROR', ...fields })
}
