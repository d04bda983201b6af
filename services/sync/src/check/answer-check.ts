import type { Connections, Session } from '@holdfast/postgres'
import { sql } from '@holdfast/postgres'
import { digestRow, rangeOfKey, RangeSums, type CheckLine, type CheckQuestion } from '@holdfast/protocol'
import type { ActivePlan } from '../buckets/active-plan.ts'
import { byRecordId } from '../inspect/by-record-id.ts'
import { roleTables, type RoleTable } from '../inspect/role-tables.ts'
import { withShownRows, type SelectFailure, type ShownRow, type ShownRows } from '../inspect/shown-rows.ts'

/** Rows that are looked up by their ids in one statement. */
const IDS_PER_STATEMENT = 100

/**
 * Tells what Postgres shows to a person, as sums and digests of the rows as the stream carries them, in one snapshot.
 *
 * @param pool - as `authenticator`
 * @param write - gets the lines; reading waits for it
 * @param signal - ends it between two batches of rows
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
  // A device has a part of it, so that sums of all say nothing, and there may be millions of rows.
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
    // An id that is no value of the key's type: no row has it, and the others are looked up one by one.
    if (failure) for (const id of some) await read([id])
  }
  return undefined
}

/** Class 22: data exception. */
function isUnreadable({ sqlstate }: SelectFailure): boolean {
  return sqlstate?.startsWith('22') ?? false
}
