import type { Relation, ReplicationEvent, Tuple } from '../events.ts'
import type { Lsn } from '../lsn.ts'
import { createRelations, protocolError } from './relations.ts'

/** Milliseconds between the epochs of Unix and Postgres (2000-01-01). */
const POSTGRES_EPOCH_MS = 946_684_800_000
const SHORT_TEXT_BYTES = 3

/**
 * Decodes pgoutput messages, protocol version 1, values as text. One per connection, because it remembers relations.
 *
 * @see PostgreSQL manual, "Logical Replication Message Formats"
 */
export class Decoder {
  readonly #relations = createRelations()
  #inTransaction = false
  /** The current message, and the position of its next field. */
  #bytes: Buffer = Buffer.alloc(0)
  #at = 0

  /** Whether between a `begin` and its `commit`. */
  isInTransaction(): boolean {
    return this.#inTransaction
  }

  /**
   * Decodes the message between `start` and `end` and appends its events to `out`; descriptive messages (Relation, Type, Origin) yield none.
   *
   * @throws {HoldfastError} `replication_protocol`
   */
  decode(buffer: Buffer, start: number, end: number, out: ReplicationEvent[]): void {
    this.#bytes = buffer
    this.#at = start
    const event = this.#readMessage()
    if (this.#at !== end) {
      const read = this.#at - start
      throw protocolError(`a message of type ${buffer[start]} is ${end - start} bytes long, ${read} read`)
    }
    if (event !== undefined) out.push(event)
  }

  #readMessage(): ReplicationEvent | undefined {
    const type = this.#u8()
    switch (type) {
      case 0x49: // Insert
        return this.#readInsert()
      case 0x55: // Update
        return this.#readUpdate()
      case 0x44: // Delete
        return this.#readDelete()
      case 0x42: // Begin
        this.#inTransaction = true
        return { kind: 'begin', commitLsn: this.#lsn(), committedAtMs: this.#timestampMs(), xid: this.#u32() }
      case 0x43: // Commit
        this.#inTransaction = false
        this.#at += 1
        return this.#readCommit()
      case 0x52: // Relation
        this.#readRelation()
        return undefined
      case 0x54: // Truncate
        return this.#readTruncate()
      case 0x4d: // Message
        return this.#readLogicalMessage()
      case 0x59: // Type
        this.#at += 4
        this.#cstring()
        this.#cstring()
        return undefined
      case 0x4f: // Origin
        this.#at += 8
        this.#cstring()
        return undefined
      default:
        throw protocolError(`unknown message type ${type}`)
    }
  }

  #readInsert(): ReplicationEvent {
    const relation = this.#relations.get(this.#u32())
    this.#at += 1 // 'N'
    return { kind: 'insert', relation, row: this.#tuple(relation, undefined) }
  }

  #readUpdate(): ReplicationEvent {
    const oid = this.#u32()
    const relation = this.#relations.get(oid)
    const form = this.#u8()
    // With REPLICA IDENTITY FULL there is always a complete old row ('O') including TOAST values.
    if (form !== 0x4f || !this.#relations.isFull(oid)) {
      if (form !== 0x4e) {
        this.#skipTuple() // 'K' or 'O'
        this.#at += 1 // 'N'
      }
      this.#skipTuple()
      return { kind: 'incomplete', relation }
    }
    const old = this.#tuple(relation, undefined)
    this.#at += 1 // 'N'
    return { kind: 'update', relation, old, row: this.#tuple(relation, old) }
  }

  #readDelete(): ReplicationEvent {
    const oid = this.#u32()
    const relation = this.#relations.get(oid)
    if (this.#u8() !== 0x4f || !this.#relations.isFull(oid)) {
      this.#skipTuple()
      return { kind: 'incomplete', relation }
    }
    return { kind: 'delete', relation, old: this.#tuple(relation, undefined) }
  }

  #readCommit(): ReplicationEvent {
    const commitLsn = this.#lsn()
    const endLsn = this.#lsn()
    this.#at += 8 // the commit time, repeated
    return { kind: 'commit', commitLsn, endLsn }
  }

  #readRelation(): void {
    const oid = this.#u32()
    const schema = this.#cstring()
    const name = this.#cstring()
    const identity = this.#u8()
    const count = this.#u16()
    const columns: { name: string; typeOid: number; isKey: boolean }[] = []
    for (let index = 0; index < count; index++) {
      const isKey = (this.#u8() & 1) === 1
      const column = this.#cstring()
      columns.push({ name: column, typeOid: this.#u32(), isKey })
      this.#at += 4 // type modifier
    }
    this.#relations.learn({ oid, schema: schema === '' ? 'pg_catalog' : schema, name, columns }, identity)
  }

  #readTruncate(): ReplicationEvent {
    const count = this.#u32()
    this.#at += 1 // options: cascaded tables are listed, and sequence restarts are irrelevant
    const truncated: Relation[] = []
    for (let index = 0; index < count; index++) truncated.push(this.#relations.get(this.#u32()))
    return { kind: 'truncate', relations: truncated }
  }

  #readLogicalMessage(): ReplicationEvent {
    const transactional = (this.#u8() & 1) === 1
    const position = this.#lsn()
    const prefix = this.#cstring()
    const content = this.#text(this.#u32())
    return { kind: 'message', transactional, prefix, content, lsn: position }
  }

  /** @param old - source of unchanged TOAST values */
  #tuple(relation: Relation, old: Tuple | undefined): Tuple {
    const count = this.#u16()
    if (count !== relation.columns.length) {
      throw protocolError(
        `a row of ${relation.schema}.${relation.name} has ${count} values, not ${relation.columns.length}`,
      )
    }
    const row: (string | null)[] = []
    for (let index = 0; index < count; index++) {
      const form = this.#u8()
      if (form === 0x74) {
        row.push(this.#text(this.#u32())) // 't'
      } else if (form === 0x6e) {
        row.push(null) // 'n'
      } else if (form === 0x75 && old !== undefined) {
        row.push(old[index] ?? null) // 'u'
      } else {
        throw protocolError(`value of ${relation.schema}.${relation.name} in form ${form}`)
      }
    }
    return row
  }

  #skipTuple(): void {
    const count = this.#u16()
    for (let index = 0; index < count; index++) {
      const length = this.#u8() === 0x74 ? this.#u32() : 0
      this.#at += length
    }
  }

  #text(length: number): string {
    const start = this.#at
    this.#at += length
    if (length > SHORT_TEXT_BYTES) return this.#bytes.toString('utf8', start, this.#at)
    // For a few characters, a native call costs more.
    let short = ''
    for (let index = start; index < this.#at; index++) {
      const byte = this.#bytes[index] as number
      if (byte > 0x7f) return this.#bytes.toString('utf8', start, this.#at)
      short += String.fromCharCode(byte)
    }
    return short
  }

  #cstring(): string {
    const start = this.#at
    const stop = this.#bytes.indexOf(0, start)
    if (stop < 0) throw protocolError('a name has no end')
    this.#at = stop + 1
    return this.#bytes.toString('utf8', start, stop)
  }

  #u8(): number {
    return this.#bytes[this.#at++] as number
  }

  #u16(): number {
    this.#at += 2
    return this.#bytes.readUInt16BE(this.#at - 2)
  }

  #u32(): number {
    this.#at += 4
    return this.#bytes.readUInt32BE(this.#at - 4)
  }

  #lsn(): Lsn {
    this.#at += 8
    return this.#bytes.readBigUInt64BE(this.#at - 8) as Lsn
  }

  #timestampMs(): number {
    this.#at += 8
    return Math.floor(Number(this.#bytes.readBigInt64BE(this.#at - 8)) / 1000) + POSTGRES_EPOCH_MS
  }
}
