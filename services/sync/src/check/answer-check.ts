import type { Connections, Session } from '@holdfast/postgres'
import { sql } from '@holdfast/postgres'
import { digestRow, rangeOfKey, RangeSums, type CheckLine, type CheckQuestion } from '@holdfast/protocol'
import type { ActivePlan } from '../buckets/active-plan.ts'
import { byRecordId } from '../inspect/by-record-id.ts'
import { roleTables, type RoleTable } from '../inspect/role-tables.ts'
import { withShownRows, type SelectFailure, type ShownRow, type ShownRows } from '../inspect/shown-rows.ts'

/** Rows looked up by id per statement. */
const IDS_PER_STATEMENT = 100

/**
 * Answers a device check in one snapshot: sums and digests of the rows that Postgres shows the user, in the form of the stream.
 *
 * @param pool - connects as `authenticator`
 * @param write - receives the lines; reading waits for it
 * @param signal - aborts between two batches of rows
 */
export async function answerCheck(
  pool: Connections,
  active: ActivePlan,
  session: Session,
  questions: readonly CheckQuestion[],
  write: (line: CheckLine) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const tables = roleTables(active, session.role)
  const byName = new Map(tables.map((table) => [table.localName, table]))
  await withShownRows(pool, session, signal, async (shown) => {
    for (const question of questions) {
      const table = byName.get(question.table)
      if (!table) continue
      const failure = await answer(shown, table, question, write)
      if (failure) await write({ table: table.localName, fails: failure.sqlstate ?? 'XX000' })
    }
  })
  await write({
    complete: tables.map(({ localName }) => localName),
    narrowed: tables.flatMap(({ localName, isNarrowed }) => (isNarrowed ? [localName] : [])),
  })
}

async function answer(
  shown: ShownRows,
  table: RoleTable,
  question: CheckQuestion,
  write: (line: CheckLine) => Promise<void>,
): Promise<SelectFailure | undefined> {
  if ('ids' in question) return readByIds(shown, table, question.ids, write)
  // A device has only part of the table, so sums over all rows prove nothing, and there may be millions of rows.
  if (table.isNarrowed) return undefined
  if (!('only' in question)) {
    const sums = new RangeSums(question.ranges)
    const failure = await shown.read(table, async (rows) => {
      for (const { id, data } of rows) sums.add(id, data)
    })
    if (!failure) await write({ table: table.localName, sums: sums.list() })
    return failure
  }
  const only = new Set(question.only)
  return shown.read(table, (rows) =>
    writeDigests(
      table,
      rows.filter(({ id }) => only.has(rangeOfKey(id, question.ranges))),
      write,
    ),
  )
}

async function writeDigests(
  { localName }: RoleTable,
  rows: readonly ShownRow[],
  write: (line: CheckLine) => Promise<void>,
): Promise<void> {
  if (rows.length > 0) await write({ table: localName, rows: rows.map(({ id, data }) => [id, digestRow(id, data)]) })
}

async function readByIds(
  shown: ShownRows,
  table: RoleTable,
  ids: readonly string[],
  write: (line: CheckLine) => Promise<void>,
): Promise<SelectFailure | undefined> {
  const read = (some: readonly string[]): Promise<SelectFailure | undefined> => {
    const conditions = some.map((id) => sql`(${byRecordId(table.router.table, id)})`)
    return shown.read(table, (rows) => writeDigests(table, rows, write), sql.join(conditions, ' or '))
  }
  for (let start = 0; start < ids.length; start += IDS_PER_STATEMENT) {
    const some = ids.slice(start, start + IDS_PER_STATEMENT)
    const failure = await read(some)
    if (failure && !isUnreadable(failure)) return failure
    // An id is invalid for the key's type, so no row has it. The others are looked up one by one.
    if (failure) for (const id of some) await read([id])
  }
  return undefined
}

/** Class 22: data exception. */
function isUnreadable({ sqlstate }: SelectFailure): boolean {
  return sqlstate?.startsWith('22') ?? false
}
