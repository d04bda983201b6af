import type { UploadOperation } from '@holdfast/protocol'
import type { AttentionVerdict } from './attention-verdict.ts'
import type { GuardOf, LinksOf } from '../schema/column-rules.ts'

export interface DependencyRules {
  readonly linksOf: LinksOf
  /** Default: every previous value that the local database tracks is compared. */
  readonly guardOf?: GuardOf | undefined
}

/** A local transaction that is not on the server: it was refused, or waits with a refused one. */
export interface UnplacedChange {
  readonly operations: readonly UploadOperation[]
  /** Absent for one that was not judged. */
  readonly verdict?: AttentionVerdict
}

/** What unplaced changes leave open about one record. */
interface OpenRecord {
  /** The server does not have it: its creation was refused. */
  isCreated: boolean
  /** The server found nothing to change: any change of it would be answered so. */
  isGone: boolean
  /** Columns whose values are undecided. */
  readonly columns: Set<string>
  /** Guarded columns in which the server's row differs from the sight that the change was made on. */
  readonly conflicts: Set<string>
}

/** What unplaced changes leave open, by record. */
export type OpenRecords = Map<string, OpenRecord>

/**
 * How a transaction rests on unplaced changes. `record`: it needs a record that is not there without them, so it stands and falls with them.
 * `value`: it is the next value of a column that is undecided, or was made on the same outdated sight, so it comes after them.
 */
export type Dependence = 'record' | 'value'

export function openRecordsOf(changes: Iterable<UnplacedChange>): OpenRecords {
  const open: OpenRecords = new Map()
  for (const change of changes) addUnplaced(open, change)
  return open
}

/** Adds a change to the open records. */
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

/** What does not depend on unplaced changes goes up by itself. */
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
  if (operation.op === 'PUT') return true // it writes the whole record
  if (comparedColumns(operation, guardOf).some((column) => record.conflicts.has(column))) return true
  return operation.op === 'PATCH' && Object.keys(operation.data ?? {}).some((column) => record.columns.has(column))
}

/** The columns whose previous values the server compares: a guarded column counts when it is what the change is about. */
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
