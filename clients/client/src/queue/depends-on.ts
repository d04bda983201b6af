import type { UploadOperation } from '@holdfast/protocol'
import type { AttentionVerdict } from './attention-verdict.ts'
import type { GuardOf, LinksOf } from '../schema/column-rules.ts'

export interface DependencyRules {
  readonly linksOf: LinksOf
  /** Default: every tracked previous value is compared. */
  readonly guardOf?: GuardOf | undefined
}

/** A local transaction that the server lacks: rejected, or held by a rejected one. */
export interface UnplacedChange {
  readonly operations: readonly UploadOperation[]
  /** Absent for one that was not judged. */
  readonly verdict?: AttentionVerdict
}

/** What pending changes leave undecided about a record. */
interface OpenRecord {
  /** The server lacks it, because its creation was rejected. */
  isCreated: boolean
  /** The server found no row, and would for any further change. */
  isGone: boolean
  /** Columns with undecided values. */
  readonly columns: Set<string>
  /** Guarded columns in which the server's row differs from the version the change was based on. */
  readonly conflicts: Set<string>
}

/** Undecided state by record. */
export type OpenRecords = Map<string, OpenRecord>

/**
 * How a transaction depends on pending changes. `record`: it needs a record that only they create, so it shares their fate. `value`: it follows an undecided
 * value of the same column, or is based on the same outdated version, so it must wait.
 */
export type Dependence = 'record' | 'value'

export function openRecordsOf(changes: Iterable<UnplacedChange>): OpenRecords {
  const open: OpenRecords = new Map()
  for (const change of changes) addUnplaced(open, change)
  return open
}

/** Adds a change to the undecided state. */
export function addUnplaced(open: OpenRecords, { operations, verdict }: UnplacedChange): void {
  for (const operation of operations) {
    const key = recordKey(operation.type, operation.id)
    const record = open.get(key) ?? { isCreated: false, isGone: false, columns: new Set(), conflicts: new Set() }
    open.set(key, record)
    if (operation.op === 'PUT') record.isCreated = true
    for (const column of Object.keys(operation.data ?? {})) record.columns.add(column)
    if (verdict?.op_id !== operation.op_id) continue
    if (verdict.status === 'no_row') record.isGone = true
    if (verdict.status === 'conflict') {
      for (const [column, value] of Object.entries(verdict.current)) {
        if ((operation.old?.[column] ?? null) !== value) record.conflicts.add(column)
      }
    }
  }
}

/** Returns the dependence; independent transactions are sent. */
export function dependenceOn(
  operations: readonly UploadOperation[],
  open: OpenRecords,
  rules: DependencyRules,
): Dependence | undefined {
  let found: Dependence | undefined
  for (const operation of operations) {
    const record = open.get(recordKey(operation.type, operation.id))
    if (record?.isCreated || record?.isGone || linksToCreated(operation, open, rules.linksOf)) return 'record'
    if (record && comesAfter(operation, record, rules.guardOf)) found = 'value'
  }
  return found
}

function comesAfter(operation: UploadOperation, record: OpenRecord, guardOf: GuardOf | undefined): boolean {
  if (operation.op === 'PUT') return true // writes the whole record
  if (comparedColumns(operation, guardOf).some((column) => record.conflicts.has(column))) return true
  return operation.op === 'PATCH' && Object.keys(operation.data ?? {}).some((column) => record.columns.has(column))
}

/** Returns the columns whose previous values the server compares: guarded columns relevant to the change. */
export function comparedColumns(operation: UploadOperation, guardOf: GuardOf | undefined): readonly string[] {
  const { old, op, type, data } = operation
  const tracked = Object.keys(old ?? {})
  if (!guardOf || op !== 'PATCH') return tracked
  return tracked.filter((column) => guardOf(type, column) !== 'column' || (data && column in data))
}

function linksToCreated(operation: UploadOperation, open: OpenRecords, linksOf: LinksOf): boolean {
  const { data } = operation
  if (!data) return false
  return [...linksOf(operation.type)].some(([column, table]) => {
    const id = data[column]
    return id !== null && id !== undefined && open.get(recordKey(table, String(id)))?.isCreated === true
  })
}

function recordKey(table: string, id: string): string {
  return `${table}\0${id}`
}
