import { unreachable } from '@holdfast/foundation'
import { sql, type SqlFragment } from '@holdfast/postgres'
import type { UploadOperation } from '@holdfast/protocol'
import { readRecordId } from '../encode/record-id.ts'
import { renderValue, type SqliteValue } from './render-literal.ts'
import { columnNamed, type WritableColumn, type WritableTable } from './writable-tables.ts'

/**
 * How a PUT is written. `upsert`: one statement, but Postgres then also asks that the person may read the new row and may update.
 * `insert` and `replace`: a plain INSERT or UPDATE, once it is known whether the person sees a row with that id.
 */
export type PutForm = 'upsert' | 'insert' | 'replace'

/**
 * An operation that cannot even be written as SQL: the verdict is known without asking Postgres. One answer for what does not exist and for what the
 * caller may not use.
 */
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
  /** What the row has afterwards, its key left out. */
  readonly written: readonly GuardedValue[]
}

export type PlannedOperation =
  | PlannedStatement
  | { readonly kind: 'unplannable'; readonly reason: UnplannableOperation }

/** Turns one operation into one statement. Pure; Postgres judges everything that it can judge itself. */
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
  delete given['id'] // the operation's own id counts
  const old = operation.op === 'PUT' ? {} : (operation.old ?? {})
  for (const name of [...Object.keys(given), ...Object.keys(old)]) {
    const reason = unwritableColumn(name, table)
    if (reason) return { kind: 'unplannable', reason }
  }
  const columns = columnsOf(given, table)
  const guards = columnsOf(old, table).filter(
    // Who deletes a record deletes its texts, whatever became of them.
    ({ column, value }) => (value !== null || !column.alwaysSet) && !(column.merged && operation.op === 'DELETE'),
  )
  // A whole row from the device holds what Postgres computed; only Postgres sets that.
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
  /** The text that Postgres reads. */
  readonly value: string | null
}

/** A column with the value that a write needs it to have. */
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

/** The values of the key that a text names; fewer than the key has when it names none. */
function keyOfId(id: string, { key }: WritableTable): readonly GivenColumn[] {
  const texts = readRecordId(id, key.columns.length) ?? []
  return key.columns.flatMap((column, index) => {
    const text = texts[index]
    return text === undefined ? [] : [{ column, value: renderValue(text, column) }]
  })
}

/** What the row itself says counts; what it does not say is in its id. */
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

/** Whether the column has the value that a device shows, where values without a form of their own there stand for themselves: NaN, infinity. */
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

/** Whether the caller sees the row that a PUT writes. */
export function renderProbe(operation: UploadOperation, table: WritableTable): SqlFragment {
  const key = keyOfPut(operation, table, columnsOf(operation.data ?? {}, table))
  return sql`select 1 as seen from ${sql.identifier(table.schema, table.name)} where ${renderKey(key, table)}`
}

/** Columns of the row as it is now, as the local database would hold them, and whether it still is what a write was made from. */
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
