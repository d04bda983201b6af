import type { CommonPowerSyncDatabase, Transaction } from '@powersync/common'
import { writeByRecord, writeLocally } from '@holdfast/client'
import type { FieldValue } from '../fields/field.ts'
import { quoteName } from '../sql.ts'
import { type Command, type RecordChange, recordKey, type RecordValues } from './record-change.ts'
import type { WriteWatch } from './watch-writes.ts'

/** Changes per command; the server's limit per transaction. */
export const CHANGES_MAX = 10_000

export type ApplyOutcome =
  | {
      readonly kind: 'applied'
      /** Records left alone because they already match. */
      readonly already: number
    }
  /** The records were changed since; nothing was written. */
  | { readonly kind: 'changed_since'; readonly records: readonly { readonly table: string; readonly id: string }[] }

export interface ApplyOptions {
  /** Compare with expected values (for undo and redo) instead of overwriting. */
  readonly isChecked: boolean
  /** Records to skip, by {@link recordKey}: the command never reached the server for them. */
  readonly without?: ReadonlySet<string>
  readonly watch?: WriteWatch | undefined
}

/** Writes a command as one local transaction, also atomic on the server unless it is per record. */
export async function applyCommand(
  database: CommonPowerSyncDatabase,
  command: Command,
  { isChecked, without = new Set(), watch }: ApplyOptions,
): Promise<ApplyOutcome> {
  const body = async (tx: Transaction): Promise<ApplyOutcome> => {
    const metadata = JSON.stringify({ cmd: command.label, at: new Date().toISOString(), command: command.id })
    const standings = isChecked ? await readStandings(tx, command.changes, without) : new Map<string, Standing>()
    const changed = command.changes.filter((change) => standings.get(recordKey(change)) === 'changed')
    if (changed.length > 0) return { kind: 'changed_since', records: distinctRecords(changed) }
    const gone = await findGone(tx, command.changes)
    const pending = command.changes.filter((change) => {
      const key = recordKey(change)
      return !without.has(key) && standings.get(key) !== 'already'
    })
    let done = 0
    for (const together of runsOf(pending)) {
      watch?.step(done)
      done += together.length
      const [change] = together
      if (together.length > 1) await insertAll(tx, together, metadata)
      else if (change && gone.has(recordKey(change))) await queueForGone(tx, change, metadata)
      else if (change) await writeChange(tx, change, metadata)
    }
    for (const { sql, parameters } of command.drafts ?? []) await tx.execute(sql, [...parameters])
    await command.files?.(tx)
    return { kind: 'applied', already: [...standings.values()].filter((standing) => standing === 'already').length }
  }
  return (command.byRecord ? writeByRecord(database, body) : writeLocally(database, body)).finally(() => watch?.end())
}

/** A record's state relative to a command: as expected, already as written, or neither. */
type Standing = 'expected' | 'already' | 'changed'

type Reads = Pick<Transaction, 'getAll'>

async function readStandings(
  tx: Reads,
  changes: readonly RecordChange[],
  without: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Standing>> {
  const byRecord = new Map<string, RecordChange[]>()
  for (const change of changes) {
    const key = recordKey(change)
    if (!without.has(key)) byRecord.set(key, [...(byRecord.get(key) ?? []), change])
  }
  const rows = await readRows(tx, [...byRecord.values()].flat())
  const standings = new Map<string, Standing>()
  for (const [key, own] of byRecord) {
    const [first] = own
    if (first) standings.set(key, standingOf(rows.get(key) ?? null, first, own))
  }
  return standings
}

/** Returns how many records were changed since, which an undo or redo would keep. */
export async function countChanged(database: Reads, { changes }: Command): Promise<number> {
  const standings = await readStandings(database, changes, new Set())
  return [...standings.values()].filter((standing) => standing === 'changed').length
}

/** Later changes of a record expect the results of earlier ones, so the first decides. */
function standingOf(row: RecordValues | null, first: RecordChange, own: readonly RecordChange[]): Standing {
  if (isAsExpected(row, first)) return 'expected'
  return isAlready(row, own) ? 'already' : 'changed'
}

function isAlready(row: RecordValues | null, own: readonly RecordChange[]): boolean {
  if (own.at(-1)?.kind === 'delete') return row === null
  const wanted: RecordValues = Object.assign({}, ...own.map(({ values }) => values))
  // A restored record includes server-filled values.
  return (
    row !== null &&
    hasValues(
      row,
      wanted,
      own.some(({ kind }) => kind === 'insert'),
    )
  )
}

function distinctRecords(changes: readonly RecordChange[]): readonly { readonly table: string; readonly id: string }[] {
  return [...new Map(changes.map(({ table, id }) => [recordKey({ table, id }), { table, id }])).values()]
}

/** Columns maintained by the database, whose changes do not count. */
const MOVED_BY_SERVER = new Set(['id', 'created_at', 'updated_at', 'created_by'])

/** Reads the records of changes, by {@link recordKey}. */
async function readRows(tx: Reads, changes: readonly RecordChange[]): Promise<ReadonlyMap<string, RecordValues>> {
  const found = new Map<string, RecordValues>()
  for (const [table, own] of Map.groupBy(changes, (change) => change.table)) {
    const rows = await tx.getAll<RecordValues & { readonly id: string }>(
      `select * from ${quoteName(table)} where id in (select value from json_each(?))`,
      [JSON.stringify(own.map(({ id }) => id))],
    )
    for (const row of rows) found.set(recordKey({ table, id: row.id }), row)
  }
  return found
}

function isAsExpected(row: RecordValues | null, change: RecordChange): boolean {
  if (change.kind === 'insert') return row === null
  if (row === null) return false
  return change.kind === 'update' ? hasValues(row, change.before, false) : hasValues(row, change.values, true)
}

/** @param isWhole - values of a whole record: empty ones may have been filled in by the server */
function hasValues(row: RecordValues, values: RecordValues, isWhole: boolean): boolean {
  return Object.entries(values).every(
    ([name, value]) => MOVED_BY_SERVER.has(name) || isSame(row[name] ?? null, value) || (isWhole && value === null),
  )
}

/** The server may format a value differently: `12.5` becomes `12.50`, times get more digits. */
function isSame(current: FieldValue, expected: FieldValue): boolean {
  if (current === expected) return true
  if (current === null || expected === null) return false
  const [a, b] = [String(current), String(expected)]
  if (a === b) return true
  const isNumber = /^-?\d+(\.\d+)?$/
  if (isNumber.test(a) && isNumber.test(b)) return Number(a) === Number(b)
  return /^\d{4}-\d\d-\d\dT/.test(a) && Date.parse(a) === Date.parse(b)
}

/** Finds changed records that are neither on this device nor created by the command: deleted by others, or no longer visible. */
async function findGone(tx: Transaction, changes: readonly RecordChange[]): Promise<ReadonlySet<string>> {
  const made = new Set(changes.filter(({ kind }) => kind === 'insert').map(recordKey))
  const changed = changes.filter((change) => change.kind !== 'insert' && !made.has(recordKey(change)))
  const gone = new Set<string>()
  for (const [table, own] of Map.groupBy(changed, (change) => change.table)) {
    const rows = await tx.getAll<{ readonly id: string }>(
      // By key: `not in` may read all ids of a large table.
      `select e.value as id from json_each(?) e where not exists (select 1 from ${quoteName(table)} t where t.id = e.value)`,
      [JSON.stringify(own.map(({ id }) => id))],
    )
    for (const { id } of rows) gone.add(recordKey({ table, id }))
  }
  return gone
}

/**
 * Queues a change to a missing record. SQLite would change no row and queue nothing, losing the user's input; the server's rejection keeps it. A missing record
 * to delete is already gone.
 */
async function queueForGone(tx: Transaction, change: RecordChange, metadata: string): Promise<void> {
  if (change.kind !== 'update') return
  await tx.execute(
    `insert into powersync_crud (op, id, type, data, old_values, metadata) values ('PATCH', ?, ?, json(?), json(?), ?)`,
    [change.id, change.table, JSON.stringify(change.values), JSON.stringify(change.before), metadata],
  )
}

/** Splits changes into consecutive inserts of one table, and single other changes. */
function runsOf(changes: readonly RecordChange[]): readonly (readonly RecordChange[])[] {
  const runs: RecordChange[][] = []
  for (const change of changes) {
    const last = runs.at(-1)
    if (change.kind === 'insert' && last?.[0]?.kind === 'insert' && last[0].table === change.table) last.push(change)
    else runs.push([change])
  }
  return runs
}

/** Inserts records with one message to the database's worker. Values that some of them lack are null, which SQLite does not queue. */
async function insertAll(tx: Transaction, changes: readonly RecordChange[], metadata: string): Promise<void> {
  const [first] = changes
  if (!first) return
  const fields = [...new Set(changes.flatMap(({ values }) => Object.keys(values)))].filter((name) => name !== 'id')
  const names = ['id', ...fields, '_metadata']
  await tx.executeBatch(
    `insert into ${quoteName(first.table)} (${names.map(quoteName).join(', ')}) values (${names.map(() => '?').join(', ')})`,
    changes.map(({ id, values }) => [id, ...fields.map((name) => values[name] ?? null), metadata]),
  )
}

/** Writes one change in a local transaction. @param metadata - attached to the queued operation */
export async function writeChange(tx: Transaction, change: RecordChange, metadata: string): Promise<void> {
  const table = quoteName(change.table)
  switch (change.kind) {
    case 'insert': {
      const entries = Object.entries(change.values).filter(([name, value]) => name !== 'id' && value !== null)
      const names = ['id', ...entries.map(([name]) => name), '_metadata'].map(quoteName).join(', ')
      await tx.execute(`insert into ${table} (${names}) values (${['?', ...entries.map(() => '?'), '?'].join(', ')})`, [
        change.id,
        ...entries.map(([, value]) => value),
        metadata,
      ])
      return
    }
    case 'update': {
      const entries = Object.entries(change.values)
      const sets = [...entries.map(([name]) => `${quoteName(name)} = ?`), '_metadata = ?'].join(', ')
      await tx.execute(`update ${table} set ${sets} where id = ?`, [
        ...entries.map(([, value]) => value),
        metadata,
        change.id,
      ])
      return
    }
    case 'delete':
      // A plain DELETE would lose the metadata.
      await tx.execute(`update ${table} set _deleted = true, _metadata = ? where id = ?`, [metadata, change.id])
      return
    default:
      change satisfies never
  }
}
