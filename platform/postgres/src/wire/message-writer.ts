/** Message types of the extended query protocol. @see PostgreSQL manual, "Frontend/Backend Protocol", "Message Formats" */
const PARSE = 0x50
const BIND = 0x42
const DESCRIBE = 0x44
const EXECUTE = 0x45
const CLOSE = 0x43
const SYNC = 0x53
const STATEMENT = 0x53

/** Text already encoded as bytes, such as a request body, sent to Postgres without reencoding. */
export class Utf8 {
  readonly bytes: Buffer

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  toString(): string {
    return this.bytes.toString('utf8')
  }
}

const INITIAL_BYTES = 4096

/** Values from this size on are not copied. */
const LARGE_BYTES = 16 * 1024

/** Collects messages, so that a pipeline is one write. */
export class MessageWriter {
  #buffer = Buffer.allocUnsafe(INITIAL_BYTES)
  #at = 0
  /** Large values and their positions in the buffer. */
  #large: { readonly at: number; readonly value: Buffer }[] = []
  #largeInMessage = 0

  parse(statement: string, sqlText: string): void {
    const start = this.#begin(PARSE)
    this.#name(statement)
    this.#name(sqlText)
    this.#int16(0)
    this.#end(start)
  }

  describeStatement(statement: string): void {
    const start = this.#begin(DESCRIBE)
    this.#reserve(1)
    this.#buffer[this.#at++] = STATEMENT
    this.#name(statement)
    this.#end(start)
  }

  /**
   * Sends values as text, except Buffers, which are sent as binary.
   *
   * @param results - format of the result columns, default text
   */
  bind(statement: string, values: readonly unknown[], results: 'text' | 'binary' = 'text'): void {
    const start = this.#begin(BIND)
    this.#name('')
    this.#name(statement)
    const binaries = values.some((value) => Buffer.isBuffer(value))
    if (binaries) {
      this.#int16(values.length)
      for (const value of values) this.#int16(Buffer.isBuffer(value) ? 1 : 0)
    } else this.#int16(0)
    this.#int16(values.length)
    for (const value of values) {
      if (value === null || value === undefined) this.#int32(-1)
      else if (typeof value === 'string') this.#text(value)
      else if (value instanceof Utf8) this.#bytes(value.bytes)
      else if (Buffer.isBuffer(value)) this.#bytes(value)
      else this.#text(toText(value))
    }
    // A single format for all columns, or none, which means text.
    this.#int16(results === 'binary' ? 1 : 0)
    if (results === 'binary') this.#int16(1)
    this.#end(start)
  }

  execute(): void {
    const start = this.#begin(EXECUTE)
    this.#name('')
    this.#int32(0)
    this.#end(start)
  }

  close(statement: string): void {
    const start = this.#begin(CLOSE)
    this.#reserve(1)
    this.#buffer[this.#at++] = STATEMENT
    this.#name(statement)
    this.#end(start)
  }

  sync(): void {
    this.#end(this.#begin(SYNC))
  }

  /** Returns the collected bytes. Large values are separate parts, to avoid copying them. */
  take(): readonly Buffer[] {
    const parts: Buffer[] = []
    let from = 0
    for (const { at: place, value } of this.#large) {
      parts.push(this.#buffer.subarray(from, place), value)
      from = place
    }
    parts.push(this.#buffer.subarray(from, this.#at))
    // Written data may still be in the socket, so only the unused rest of a large buffer is reused.
    this.#buffer =
      this.#buffer.length - this.#at >= 512 ? this.#buffer.subarray(this.#at) : Buffer.allocUnsafe(INITIAL_BYTES)
    this.#at = 0
    this.#large = []
    return parts
  }

  #reserve(size: number): void {
    if (this.#at + size <= this.#buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#at + size))
    this.#buffer.copy(larger, 0, 0, this.#at)
    this.#buffer = larger
  }

  /** @returns the position of the length field */
  #begin(type: number): number {
    this.#reserve(5)
    this.#buffer[this.#at] = type
    this.#at += 5
    this.#largeInMessage = 0
    return this.#at - 4
  }

  #end(start: number): void {
    this.#buffer.writeInt32BE(this.#at - start + this.#largeInMessage, start)
  }

  #name(value: string): void {
    this.#reserve(value.length * 3 + 1)
    this.#at += this.#buffer.write(value, this.#at)
    this.#buffer[this.#at++] = 0
  }

  #int16(value: number): void {
    this.#reserve(2)
    this.#at = this.#buffer.writeInt16BE(value, this.#at)
  }

  #int32(value: number): void {
    this.#reserve(4)
    this.#at = this.#buffer.writeInt32BE(value, this.#at)
  }

  #text(value: string): void {
    this.#reserve(value.length * 3 + 4)
    const written = this.#buffer.write(value, this.#at + 4)
    this.#buffer.writeInt32BE(written, this.#at)
    this.#at += 4 + written
  }

  #bytes(value: Buffer): void {
    if (value.length >= LARGE_BYTES) {
      this.#int32(value.length)
      this.#large.push({ at: this.#at, value })
      this.#largeInMessage += value.length
      return
    }
    this.#reserve(value.length + 4)
    this.#buffer.writeInt32BE(value.length, this.#at)
    value.copy(this.#buffer, this.#at + 4)
    this.#at += 4 + value.length
  }
}

/** Converts a value to Postgres's text form. */
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
