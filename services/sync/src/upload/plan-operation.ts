import { unreachable } from '@holdfast/foundation'
import { sql, type SqlFragment } from '@holdfast/postgres'
import type { UploadOperation } from '@holdfast/protocol'
import { readRecordId } from '../encode/record-id.ts'
import { renderValue, type SqliteValue } from './render-literal.ts'
import { columnNamed, type WritableColumn, type WritableTable } from './writable-tables.ts'

/**
 * How a PUT is written. `upsert`: one statement, for which Postgres also requires that the user may read the new row and update rows. `insert` and `replace`:
 * plain INSERT or UPDATE, after checking whether the user sees a row with that id.
 */
export type PutForm = 'upsert' | 'insert' | 'replace'

/** An operation that cannot be expressed in SQL, so its verdict is known without Postgres. Missing objects and inaccessible ones get the same verdict. */
export interface UnplannableOperation {
  readonly sqlstate: '42P01' | '42703'
  readonly message: string
  readonly hint: string
  readonly column?: string
}

export interface PlannedStatement {
  readonly kind: 'statement'
  readonly statement: SqlFragment
  readonly guards: readonly GuardedValue[]
  /** The row's values afterwards, without its key. */
  readonly written: readonly GuardedValue[]
}

export type PlannedOperation =
  | PlannedStatement
  | { readonly kind: 'unplannable'; readonly reason: UnplannableOperation }

/** Converts an operation to one statement. Pure; Postgres decides everything it can decide itself. */
export function planOperation(
  operation: UploadOperation,
  table: WritableTable | undefined,
  putForm: PutForm,
): PlannedOperation {
  if (!table) {
    return {
      kind: 'unplannable',
      reason: {
        sqlstate: '42P01',
        message: `There is no table "${operation.type}" that you may use`,
        hint: 'Check its name, whether its schema is exposed (restSchemas), and the grants of the role.',
      },
    }
  }
  const given = { ...operation.data }
  delete given['id'] // the operation's own id takes precedence
  const old = operation.op === 'PUT' ? {} : (operation.old ?? {})
  for (const name of [...Object.keys(given), ...Object.keys(old)]) {
    const reason = unwritableColumn(name, table)
    if (reason) return { kind: 'unplannable', reason }
  }
  const columns = columnsOf(given, table)
  const guards = columnsOf(old, table).filter(
    // Deleting a record deletes its texts, whatever their current content.
    ({ column, value }) => (value !== null || !column.alwaysSet) && !(column.merged && operation.op === 'DELETE'),
  )
  // A whole row from a device includes generated columns, which only Postgres sets.
  const written =
    operation.op === 'PUT'
      ? columns.filter(({ column }) => !column.generated && !table.key.columns.includes(column))
      : columns
  return {
    kind: 'statement',
    guards,
    written,
    statement: renderOperation(operation, table, putForm, columns, written, guards),
  }
}

interface GivenColumn {
  readonly column: WritableColumn
  /** The value as Postgres's text input. */
  readonly value: string | null
}

/** A column and the value required for a write. */
export type GuardedValue = GivenColumn

function columnsOf(row: Readonly<Record<string, SqliteValue>>, table: WritableTable): readonly GivenColumn[] {
  return Object.entries(row).flatMap(([name, value]) => {
    const column = columnNamed(name, table)
    return column ? [{ column, value: renderValue(value, column) }] : []
  })
}

function unwritableColumn(name: string, table: WritableTable): UnplannableOperation | undefined {
  const column = columnNamed(name, table)
  if (!column) {
    return {
      sqlstate: '42703',
      message: `There is no column "${name}" of table "${table.name}" that you may use`,
      hint: 'Check its name, and the grants of the role.',
      column: name,
    }
  }
  return undefined
}

function renderOperation(
  operation: UploadOperation,
  table: WritableTable,
  putForm: PutForm,
  columns: readonly GivenColumn[],
  written: readonly GivenColumn[],
  guards: readonly GivenColumn[],
): SqlFragment {
  const target = sql.identifier(table.schema, table.name)
  const key = operation.op === 'PUT' ? keyOfPut(operation, table, columns) : keyOfId(operation.id, table)
  const where = sql`where ${sql.join([renderKey(key, table), ...guards.map(renderGuard)], ' and ')}`
  switch (operation.op) {
    case 'PUT':
      return putForm === 'replace'
        ? sql`update ${target} set ${renderAssignments(written, keepKey(table))} ${where}`
        : renderInsert(table, key, target, written, putForm)
    case 'PATCH':
      return sql`update ${target} set ${renderAssignments(written, keepKey(table))} ${where}`
    case 'DELETE':
      return sql`delete from ${target} ${where}`
    default:
      return unreachable(operation.op)
  }
}

/** Parses the key values in a record id; returns fewer than the key has for an invalid id. */
function keyOfId(id: string, { key }: WritableTable): readonly GivenColumn[] {
  const texts = readRecordId(id, key.columns.length) ?? []
  return key.columns.flatMap((column, index) => {
    const text = texts[index]
    return text === undefined ? [] : [{ column, value: renderValue(text, column) }]
  })
}

/** Returns the key values of a PUT: columns given in the row take precedence over those in its id. */
function keyOfPut(
  operation: UploadOperation,
  table: WritableTable,
  given: readonly GivenColumn[],
): readonly GivenColumn[] {
  const named = keyOfId(operation.id, table)
  return table.key.columns.flatMap((column) => {
    const found = [...given, ...named].find((one) => one.column === column && one.value !== null)
    return found ? [found] : []
  })
}

function renderKey(key: readonly GivenColumn[], table: WritableTable): SqlFragment {
  if (key.length === 0 || key.length < table.key.columns.length) return sql`false`
  const conditions = key.map(({ column, value }) => {
    const name = sql.identifier(column.name)
    return column.shape.kind === 'composite'
      ? sql`${name} = ${value}::${sql.trusted(column.type)}`
      : sql`${name} = ${value}`
  })
  return sql.join(conditions, ' and ')
}

function keepKey({ key }: WritableTable): SqlFragment {
  return sql.join(key.columns.map(({ name }) => sql`${sql.identifier(name)} = ${sql.identifier(name)}`))
}

function renderInsert(
  table: WritableTable,
  key: readonly GivenColumn[],
  target: SqlFragment,
  columns: readonly GivenColumn[],
  putForm: PutForm,
): SqlFragment {
  const written = [...key, ...columns]
  if (written.length === 0) return sql`insert into ${target} default values`
  const names = sql.join(written.map(({ column }) => sql.identifier(column.name)))
  const values = sql.join(written.map(({ value }) => sql`${value}`))
  if (putForm === 'insert' || key.length < table.key.columns.length)
    return sql`insert into ${target} (${names}) values (${values})`
  const replaced = columns.map(({ column }) => {
    const name = sql.identifier(column.name)
    return sql`${name} = excluded.${name}`
  })
  const keys = table.key.columns.map(({ name }) => sql.identifier(name))
  const update = replaced.length > 0 ? replaced : keys.map((name) => sql`${name} = excluded.${name}`)
  return sql`insert into ${target} (${names}) values (${values}) on conflict (${sql.join(keys)}) do update set ${sql.join(update)}`
}

function renderAssignments(columns: readonly GivenColumn[], none: SqlFragment): SqlFragment {
  if (columns.length === 0) return none
  return sql.join(columns.map(({ column, value }) => sql`${sql.identifier(column.name)} = ${value}`))
}

const FLOATS = new Set(['real', 'double precision'])
const MOMENTS = new Set(['date', 'timestamp with time zone', 'timestamp without time zone'])

/** Renders the condition that a column has the value shown on a device, where NaN is NULL and infinity is the last or first representable time. */
function renderGuard({ column, value }: GivenColumn): SqlFragment {
  const name = sql.identifier(column.name)
  if (FLOATS.has(column.type) && value === null) return sql`(${name} is null or ${name} = 'NaN')`
  if (MOMENTS.has(column.type) && value !== null) {
    if (value.startsWith('9999-12-31')) return sql`${name} in (${value}, 'infinity')`
    if (value.startsWith('0000-01-01')) return sql`${name} = '-infinity'`
  }
  if (column.comparable) return sql`${name} is not distinct from ${value}`
  if (!column.elementIsJson) return sql`${name}::text is not distinct from ${value}::${sql.trusted(column.type)}::text`
  return column.type === 'json[]'
    ? sql`to_jsonb(${name}) is not distinct from to_jsonb(${value}::json[])`
    : sql`${name} is not distinct from ${value}`
}

/** Renders whether the caller sees the row that a PUT writes. */
export function renderProbe(operation: UploadOperation, table: WritableTable): SqlFragment {
  const key = keyOfPut(operation, table, columnsOf(operation.data ?? {}, table))
  return sql`select 1 as seen from ${sql.identifier(table.schema, table.name)} where ${renderKey(key, table)}`
}

/** Renders columns of the current row in device form, and whether it still equals the version that a write was based on. */
export function renderCurrent(
  id: string,
  table: WritableTable,
  columns: readonly WritableColumn[],
  guards: readonly GuardedValue[],
): SqlFragment {
  const values = columns.map((column) => sql`${renderLocal(column)} as ${sql.identifier(column.localName)}`)
  const row = sql`from ${sql.identifier(table.schema, table.name)} where ${renderKey(keyOfId(id, table), table)}`
  const unchanged = guards.length > 0 ? sql.join(guards.map(renderGuard), ' and ') : sql`true`
  return sql`
    select (select to_jsonb(held) from (select ${sql.join(values)} ${row}) held) as values,
           coalesce((select ${unchanged} ${row}), false) as unchanged`
}

const NUMBERS = new Set(['smallint', 'integer', 'bigint', 'oid', 'real', 'double precision'])

function renderLocal(column: WritableColumn): SqlFragment {
  const name = sql.identifier(column.name)
  if (column.category === 'B') return sql`${name}::integer`
  if (NUMBERS.has(column.type)) return name
  if (column.type === 'timestamp with time zone') {
    return sql`to_char(${name} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
  }
  if (column.type === 'timestamp without time zone') return sql`to_char(${name}, 'YYYY-MM-DD"T"HH24:MI:SS.US')`
  return sql`${name}::text`
}
