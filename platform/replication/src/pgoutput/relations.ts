import { HoldfastError } from '@holdfast/foundation'
import type { Relation } from '../events.ts'

/** `REPLICA IDENTITY FULL` in a Relation message. */
const IDENTITY_FULL = 0x66

/** Relations described by pgoutput on a connection. */
export interface Relations {
  /** Stores a Relation message. Keeps the same object while the relation is unchanged. */
  learn(relation: Relation, identity: number): void
  /** @throws {HoldfastError} `replication_protocol` for an undescribed relation */
  get(oid: number): Relation
  /** Whether the relation's changes include complete old rows. */
  isFull(oid: number): boolean
}

export function createRelations(): Relations {
  const known = new Map<number, { readonly relation: Relation; readonly isFull: boolean }>()

  function entry(oid: number): { readonly relation: Relation; readonly isFull: boolean } {
    const found = known.get(oid)
    if (found === undefined) throw protocolError(`a change of relation ${oid} came before its description`)
    return found
  }

  return {
    learn(relation, identity) {
      const before = known.get(relation.oid)?.relation
      const kept = before !== undefined && isSame(before, relation) ? before : relation
      known.set(relation.oid, { relation: kept, isFull: identity === IDENTITY_FULL })
    },
    get: (oid) => entry(oid).relation,
    isFull: (oid) => entry(oid).isFull,
  }
}

/** Returns the error for a message that violates the pgoutput protocol. */
export function protocolError(detail: string): HoldfastError {
  return new HoldfastError('replication_protocol', 500, 'Postgres sent something that is not pgoutput', { detail })
}

function isSame(one: Relation, other: Relation): boolean {
  return (
    one.schema === other.schema &&
    one.name === other.name &&
    one.columns.length === other.columns.length &&
    one.columns.every((column, index) => {
      const twin = other.columns[index]
      return column.name === twin?.name && column.typeOid === twin.typeOid && column.isKey === twin.isKey
    })
  )
}
