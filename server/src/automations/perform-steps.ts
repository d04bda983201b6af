import { sql, type SqlFragment, type Transaction } from '@holdfast/postgres'
import type { CallRequest } from './call-queue.ts'
import { COUNT_MAX, SCHEDULED_RECORDS_MAX } from './limits.ts'
import { readLinkNames } from './link-names.ts'
import { performStep, RunRefused, type RunValues, type StepResult, textsOf, textsOfStep } from './perform-step.ts'
import type { Automation } from './queue.ts'

export interface Performed {
  readonly steps: readonly StepResult[]
  readonly notices: readonly { readonly to: readonly string[]; readonly text: string; readonly push: boolean }[]
  /** What is done after the transaction, with the places of the steps, from 0. */
  readonly calls: readonly { readonly place: number; readonly request: CallRequest }[]
}

/** A step failed; what it and earlier ones did is undone with the transaction. */
export class StepFailed extends Error {
  /** Of the steps, from 0. */
  readonly place: number
  readonly done: readonly StepResult[]

  constructor(place: number, done: readonly StepResult[], cause: unknown) {
    super('A step failed.', { cause })
    this.name = 'StepFailed'
    this.place = place
    this.done = done
  }
}

/**
 * Does the steps of an automation for a record, in a transaction of its user.
 *
 * @param recordId - `null` for a run without a record
 * @returns `undefined` if the user does not see the record, or it does not meet the conditions
 * @throws {RunRefused} `automation.not_admin`; {StepFailed}
 */
export async function performSteps(
  tx: Transaction,
  automation: Automation,
  recordId: string | null,
): Promise<Performed | undefined> {
  const values = await readValues(tx, automation, recordId)
  if (!values) return undefined
  const done: StepResult[] = []
  const notices: Performed['notices'][number][] = []
  const calls: Performed['calls'][number][] = []
  for (const [place, step] of automation.steps.entries()) {
    try {
      const { result, request } = await performStep({ tx, automation, recordId, values }, step)
      done.push(result)
      if (result.kind === 'notify') notices.push(result)
      if (request) calls.push({ place, request })
    } catch (error) {
      throw new StepFailed(place, done, error)
    }
  }
  return { steps: done, notices, calls }
}

/**
 * Lists the records that meet the conditions of an automation, as far as its user sees them.
 *
 * @returns ids up to the limit, and how many there are beyond it, counted up to {@link COUNT_MAX}
 * @throws {RunRefused} `automation.not_admin`
 */
export async function listMatches(
  tx: Transaction,
  automation: Automation,
): Promise<{ readonly records: readonly string[]; readonly more: number }> {
  await requireAdmin(tx, automation)
  const [row] = await tx.query<{ records: readonly string[] | null; total: number }>(sql`
    with matching as materialized (
      select r.id from ${sql.identifier('public', automation.table)} r where ${conditionsOf(automation)} limit ${COUNT_MAX})
    select (select array_agg(l.id) from (select m.id from matching m order by m.id limit ${SCHEDULED_RECORDS_MAX}) l) as records,
           (select count(*)::integer from matching) as total`)
  const records = row?.records ?? []
  return { records, more: (row?.total ?? 0) - records.length }
}

async function requireAdmin(
  tx: Transaction,
  { timeZone, workspaceId }: Automation,
): Promise<{ readonly today: string; readonly now: string }> {
  const [rights] = await tx.query<{ today: string; now: string; isAdmin: boolean }>(sql`
    select (now() at time zone ${timeZone})::date::text as today, to_json(now()) #>> '{}' as now,
           coalesce(holdfast.role_in(${workspaceId}) >= 'admin', false) as "isAdmin"`)
  if (!rights?.isAdmin) throw new RunRefused('automation.not_admin', 'The user is no longer an admin of the workspace.')
  return rights
}

/** @returns `undefined` if there is nothing to do */
async function readValues(
  tx: Transaction,
  automation: Automation,
  recordId: string | null,
): Promise<RunValues | undefined> {
  const { table, steps } = automation
  const rights = await requireAdmin(tx, automation)
  if (recordId === null) {
    const [counted] = await tx.query<{ count: number }>(sql`
      select count(*)::integer as count from (
        select from ${sql.identifier('public', table)} r where ${conditionsOf(automation)} limit ${COUNT_MAX}) matching`)
    const count = counted?.count ?? 0
    if (count === 0 && automation.conditions !== null) return undefined
    return { ...rights, record: {}, names: {}, count }
  }
  const [found] = await tx.query<{ record: Record<string, string | null> }>(sql`
    select ${textsOf(sql`r.*`)} as record
      from ${sql.identifier('public', table)} r where r.id = ${recordId} and ${conditionsOf(automation)}`)
  if (!found) return undefined
  const names = await readLinkNames(tx, table, found.record, steps.flatMap(textsOfStep))
  return { ...rights, record: found.record, names }
}

function conditionsOf({ conditions }: Automation): SqlFragment {
  return conditions === null ? sql`true` : sql.trusted(conditions)
}
