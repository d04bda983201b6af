import type { ColumnValue, RowChangeOutcome, TableCell, TableIdentity, TableRow } from '@holdfast/protocol'
import { sql, type SqlFragment, type Transaction } from '@holdfast/postgres'
import { changeHidden, invalidRequest, tableReadOnly } from '../errors.ts'
import { addressCondition, addressKindOf, columnOf } from './page-query.ts'
import { readOnlyReasonOf, readTable, type KnownTable } from './read-table.ts'
import { findRow, type RowsNeeds } from './read-rows.ts'
import { runAsIdentity } from './table-session.ts'

interface Target {
  readonly schema: string
  readonly table: string
  readonly as: TableIdentity
}

/** A row as the operator saw it. */
export interface SeenRow {
  readonly address: readonly string[]
  readonly version: string
}

/** Values of a row before a change, for the audit log. */
export type Before = Readonly<Record<string, TableCell>>

/** Inserts a row. Columns that are left out get their defaults. */
export async function insertRow(
  needs: RowsNeeds,
  { values, ...target }: Target & { readonly values: readonly ColumnValue[] },
): Promise<RowChangeOutcome> {
  const table = await readWritable(needs, target)
  const into = sql.identifier(table.schema, table.name)
  const assigned = values.map((one) => assignable(table, one))
  const statement =
    assigned.length === 0
      ? sql`insert into ${into} default values`
      : sql`insert into ${into} (${sql.join(assigned.map(({ name }) => name))}) values (${sql.join(assigned.map(({ value }) => value))})`
  const count = await runAsIdentity(needs.openSession, target.as, { isReadOnly: false }, (tx) => tx.execute(statement))
  return { state: 'done', count }
}

/**
 * Changes columns of a row that is still as the operator saw it.
 *
 * @param onBefore - receives the changed columns' previous values
 * @throws {HoldfastError} `change_hidden` if the row is visible, but no policy lets the identity change it
 */
export async function updateRow(
  needs: RowsNeeds,
  { values, row, ...target }: Target & { readonly values: readonly ColumnValue[]; readonly row: SeenRow },
  onBefore: (before: Before) => void,
): Promise<RowChangeOutcome> {
  const table = await readWritable(needs, target)
  if (values.length === 0) throw invalidRequest('"values" is empty.')
  const assigned = values.map((one) => assignable(table, one))
  return await runAsIdentity(needs.openSession, target.as, { isReadOnly: false }, async (tx) => {
    const seen = await findSeen(tx, table, row)
    if (seen.state === 'gone') return seen
    if (seen.state === 'stale') return { state: 'stale', current: seen.current }
    const changed = new Set(values.map(({ column }) => column))
    onBefore(beforeOf(table, seen.current, ({ name }) => changed.has(name)))
    const count = await tx.execute(sql`
      update ${sql.identifier(table.schema, table.name)} t
         set ${sql.join(assigned.map(({ name, value }) => sql`${name} = ${value}`))}
       where ${seenCondition(table, row)}`)
    return count > 0 ? { state: 'done', count } : await explainUntouched(tx, table, row)
  })
}

/** Deletes rows that are still as the operator saw them: all of them, or none. */
export async function deleteRows(
  needs: RowsNeeds,
  { rows, ...target }: Target & { readonly rows: readonly SeenRow[] },
  onBefore: (before: readonly Before[]) => void,
): Promise<RowChangeOutcome> {
  const table = await readWritable(needs, target)
  const before: Before[] = []
  try {
    return await runAsIdentity(needs.openSession, target.as, { isReadOnly: false }, async (tx) => {
      for (const row of rows) {
        const seen = await findSeen(tx, table, row)
        if (seen.state === 'gone') throw new Untouched(seen)
        if (seen.state === 'stale') throw new Untouched({ state: 'stale', current: seen.current })
        before.push(beforeOf(table, seen.current, () => true))
        const count = await tx.execute(
          sql`delete from ${sql.identifier(table.schema, table.name)} t where ${seenCondition(table, row)}`,
        )
        if (count === 0) throw new Untouched(await explainUntouched(tx, table, row))
      }
      onBefore(before)
      return { state: 'done', count: rows.length }
    })
  } catch (error) {
    if (error instanceof Untouched) return error.outcome
    throw error
  }
}

/** Rolls the transaction back. */
class Untouched extends Error {
  readonly outcome: RowChangeOutcome
  constructor(outcome: RowChangeOutcome) {
    super('a row was not as it had been seen')
    this.outcome = outcome
  }
}

async function readWritable({ pool }: RowsNeeds, { schema, table: name }: Target): Promise<KnownTable> {
  const table = await readTable(pool, schema, name)
  const reason = readOnlyReasonOf(table)
  if (reason !== null) throw tableReadOnly(reason)
  return table
}

function assignable(
  table: KnownTable,
  { column, value }: ColumnValue,
): { readonly name: SqlFragment; readonly value: SqlFragment } {
  const { name, type, isGenerated } = columnOf(table, column)
  if (isGenerated) throw invalidRequest(`Only Postgres sets the column "${name}".`)
  return { name: sql.identifier(name), value: sql`${value}::${sql.trusted(type)}` }
}

function seenCondition(table: KnownTable, { address, version }: SeenRow): SqlFragment {
  return sql`${addressCondition(table, address)} and t.xmin = ${version}::xid`
}

async function findSeen(
  tx: Transaction,
  table: KnownTable,
  row: SeenRow,
): Promise<{ readonly state: 'same' | 'stale'; readonly current: TableRow } | { readonly state: 'gone' }> {
  if (addressKindOf(table) === 'none') throw tableReadOnly('The table has no key, so its rows cannot be told apart.')
  const current = await findRow(tx, table, row.address)
  if (!current) return { state: 'gone' }
  return { state: current.version === row.version ? 'same' : 'stale', current }
}

/** Finds out why a statement touched no row: another transaction came first, or policies hide the row from this command. */
async function explainUntouched(tx: Transaction, table: KnownTable, row: SeenRow): Promise<RowChangeOutcome> {
  const seen = await findSeen(tx, table, row)
  if (seen.state === 'same') throw changeHidden()
  return seen.state === 'gone' ? seen : { state: 'stale', current: seen.current }
}

function beforeOf(
  table: KnownTable,
  { cells }: TableRow,
  isWanted: (column: { readonly name: string }) => boolean,
): Before {
  return Object.fromEntries(
    table.columns.flatMap((column, at) => (isWanted(column) ? [[column.name, cells[at] ?? null]] : [])),
  )
}
