import { replicaIdentityNotFull } from '../errors.ts'
import type { Relation, ReplicationEvent, Tuple } from '../events.ts'
import type { Lsn } from '../lsn.ts'
import { createRelations, protocolError } from './relations.ts'

/** Microseconds between the epochs of Unix and of Postgres (2000-01-01). */
const POSTGRES_EPOCH_MS = 946_684_800_000
const SHORT_TEXT_BYTES = 3

/** Reads the messages of pgoutput, protocol version 1, values as text. One per connection: it remembers relations. */
export interface Decoder {
  /**
   * Reads the message between `start` and `end` and appends what it means to `out`: nothing for what only describes (Relation,
   * Type, Origin).
   *
   * @throws {HoldfastError} `replication_identity_not_full`, `replication_protocol`
   */
  decode(buffer: Buffer, start: number, end: number, out: ReplicationEvent[]): void
  /** Between a `begin` and its `commit`. */
  isInTransaction(): boolean
}

/** @see PostgreSQL manual, "Logical Replication Message Formats" */
export function createDecoder(): Decoder {
  const relations = createRelations()
  let inTransaction = false
  let bytes: Buffer = Buffer.alloc(0)
  let at = 0

  return {
    isInTransaction: () => inTransaction,
    decode(buffer, start, end, out) {
      bytes = buffer
      at = start
      const event = readMessage()
      if (at !== end)
        throw protocolError(`a message of type ${buffer[start]} is ${end - start} bytes long, ${at - start} read`)
      if (event !== undefined) out.push(event)
    },
  }

  function readMessage(): ReplicationEvent | undefined {
    const type = u8()
    switch (type) {
      case 0x49: // Insert
        return readInsert()
      case 0x55: // Update
        return readUpdate()
      case 0x44: // Delete
        return readDelete()
      case 0x42: // Begin
        inTransaction = true
        return { kind: 'begin', commitLsn: lsn(), committedAtMs: timestampMs(), xid: u32() }
      case 0x43: // Commit
        inTransaction = false
        at += 1
        return readCommit()
      case 0x52: // Relation
        readRelation()
        return undefined
      case 0x54: // Truncate
        return readTruncate()
      case 0x4d: // Message
        return readLogicalMessage()
      case 0x59: // Type
        at += 4
        cstring()
        cstring()
        return undefined
      case 0x4f: // Origin
        at += 8
        cstring()
        return undefined
      default:
        throw protocolError(`unknown message type ${type}`)
    }
  }

  function readInsert(): ReplicationEvent {
    const relation = relations.get(u32())
    at += 1 // 'N'
    return { kind: 'insert', relation, row: tuple(relation, undefined) }
  }

  function readUpdate(): ReplicationEvent {
    const relation = relations.getFull(u32())
    // Under REPLICA IDENTITY FULL there is always an old row ('O'), whole and with its TOAST values.
    if (u8() !== 0x4f) throw replicaIdentityNotFull(`${relation.schema}.${relation.name}`)
    const old = tuple(relation, undefined)
    at += 1 // 'N'
    return { kind: 'update', relation, old, row: tuple(relation, old) }
  }

  function readDelete(): ReplicationEvent {
    const relation = relations.getFull(u32())
    if (u8() !== 0x4f) throw replicaIdentityNotFull(`${relation.schema}.${relation.name}`)
    return { kind: 'delete', relation, old: tuple(relation, undefined) }
  }

  function readCommit(): ReplicationEvent {
    const commitLsn = lsn()
    const endLsn = lsn()
    at += 8 // the commit time again
    return { kind: 'commit', commitLsn, endLsn }
  }

  function readRelation(): void {
    const oid = u32()
    const schema = cstring()
    const name = cstring()
    const identity = u8()
    const count = u16()
    const columns: { name: string; typeOid: number; isKey: boolean }[] = []
    for (let index = 0; index < count; index++) {
      const isKey = (u8() & 1) === 1
      const column = cstring()
      columns.push({ name: column, typeOid: u32(), isKey })
      at += 4 // type modifier
    }
    relations.learn({ oid, schema: schema === '' ? 'pg_catalog' : schema, name, columns }, identity)
  }

  function readTruncate(): ReplicationEvent {
    const count = u32()
    at += 1 // options: what cascades is listed, restarted sequences do not matter here
    const truncated: Relation[] = []
    for (let index = 0; index < count; index++) truncated.push(relations.get(u32()))
    return { kind: 'truncate', relations: truncated }
  }

  function readLogicalMessage(): ReplicationEvent {
    const transactional = (u8() & 1) === 1
    const position = lsn()
    const prefix = cstring()
    const content = text(u32())
    return { kind: 'message', transactional, prefix, content, lsn: position }
  }

  /** @param old - where the values of unchanged TOAST columns come from */
  function tuple(relation: Relation, old: Tuple | undefined): Tuple {
    const count = u16()
    if (count !== relation.columns.length) {
      throw protocolError(
        `a row of ${relation.schema}.${relation.name} has ${count} values, not ${relation.columns.length}`,
      )
    }
    const row: (string | null)[] = []
    for (let index = 0; index < count; index++) {
      const form = u8()
      if (form === 0x74) {
        row.push(text(u32())) // 't'
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

  function text(length: number): string {
    const start = at
    at += length
    if (length > SHORT_TEXT_BYTES) return bytes.toString('utf8', start, at)
    // A call into the engine costs more than a few characters.
    let short = ''
    for (let index = start; index < at; index++) {
      const byte = bytes[index] as number
      if (byte > 0x7f) return bytes.toString('utf8', start, at)
      short += String.fromCharCode(byte)
    }
    return short
  }

  function cstring(): string {
    const start = at
    const stop = bytes.indexOf(0, start)
    if (stop < 0) throw protocolError('a name has no end')
    at = stop + 1
    return bytes.toString('utf8', start, stop)
  }

  function u8(): number {
    return bytes[at++] as number
  }

  function u16(): number {
    at += 2
    return bytes.readUInt16BE(at - 2)
  }

  function u32(): number {
    at += 4
    return bytes.readUInt32BE(at - 4)
  }

  function lsn(): Lsn {
    at += 8
    return bytes.readBigUInt64BE(at - 8) as Lsn
  }

  function timestampMs(): number {
    at += 8
    return Math.floor(Number(bytes.readBigInt64BE(at - 8)) / 1000) + POSTGRES_EPOCH_MS
  }
}
