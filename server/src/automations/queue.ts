import type { AutomationSchedule, AutomationStep } from '@holdfast/protocol'
import { sql, type Pool, type Transaction } from '@holdfast/postgres'
import { type Claimed, type QueueTable, settleSql } from '@holdfast/queue'
import { parseAutomation } from '@holdfast/protocol'
import { CLAIMED_MS } from './limits.ts'

/** A change that an automation runs for. */
export interface AutomationEvent {
  readonly automationId: string
  readonly recordId: string | null
  /** The runs that led to it, as `automation/record`. */
  readonly chain: readonly string[]
  /** Above 0 for changes that were only counted. */
  readonly skipped: number
  /** Attempts including this one. */
  readonly attempts: number
  readonly cause: string
}

/** A workspace's events take turns with those of others. */
export const AUTOMATION_QUEUE: QueueTable = {
  table: ['holdfast', 'automation_events'],
  key: { name: 'id', type: 'bigint' },
  dueAt: 'due_at',
  fence: { name: 'claim', type: 'uuid', next: sql`gen_random_uuid()` },
  claimSets: sql`attempts = q.attempts + 1`,
  lease: CLAIMED_MS,
  lanes: [
    { name: 'workspace_id', type: 'uuid' },
    { name: 'automation_id', type: 'uuid' },
  ],
  columns: sql`q.automation_id as "automationId", q.record_id as "recordId", q.chain, q.skipped, q.attempts, q.cause`,
}

/** What a run needs of an automation. */
export interface Automation {
  readonly workspaceId: string
  readonly table: string
  /** Compiled by the database from the conditions of the automation. */
  readonly conditions: string | null
  readonly steps: readonly AutomationStep[]
  readonly timeZone: string
}

export interface StoredAutomation extends Automation {
  readonly id: string
  readonly isOn: boolean
  readonly version: number
  readonly runsAs: string
  /** Of one that starts by the clock. */
  readonly schedule: AutomationSchedule | undefined
}

/**
 * @param pool - connected as the project's role
 * @returns `undefined` if it is gone
 * @throws errors with a hint if its table or fields are gone
 */
export async function readAutomation(pool: Pool, id: string): Promise<StoredAutomation | undefined> {
  const [row] = await pool.query<Omit<StoredAutomation, 'steps' | 'schedule'> & { readonly config: unknown }>(sql`
    select a.id, a.workspace_id as "workspaceId", a.table_name as "table", a.config, a.is_on as "isOn", a.version, a.runs_as as "runsAs",
           a.time_zone as "timeZone", a.conditions
      from holdfast.read_automation(${id}) a`)
  if (!row) return undefined
  const { config, ...automation } = row
  const parsed = parseAutomation(config)
  const schedule = parsed?.when.kind === 'schedule' ? parsed.when : undefined
  return { ...automation, schedule, steps: parsed?.do ?? [] }
}

/** Ends an event that needs no run. @param pool - connected as the project's role */
export async function discard(pool: Pool, event: Claimed): Promise<void> {
  await pool.execute(settleSql(AUTOMATION_QUEUE, [event], 'delete'))
}

/** Ends changes that were only counted. @param pool - connected as the project's role */
export async function noteSkipped(pool: Pool, { id, fence }: Claimed): Promise<void> {
  await pool.execute(sql`select holdfast.note_skipped(${id}, ${fence})`)
}

/** Ends a run that failed and changed nothing. @param pool - connected as the project's role */
export async function noteFailure(
  pool: Pool,
  { id, fence }: Claimed,
  failure: {
    readonly reason: string
    readonly error: string
    readonly steps: readonly object[]
    readonly pauses: boolean
  },
): Promise<void> {
  const { reason, error, steps, pauses } = failure
  await pool.execute(
    sql`select holdfast.fail_automation(${id}, ${fence}, ${reason}, ${error}, ${JSON.stringify(steps)}::jsonb, ${pauses})`,
  )
}

/** Keeps the records that a schedule is about instead of its event, as its user. */
export async function expandSchedule(
  tx: Transaction,
  { id, fence }: Claimed,
  version: number,
  { records, more }: { readonly records: readonly string[]; readonly more: number },
): Promise<void> {
  await tx.execute(
    sql`select holdfast.expand_automation(${id}::bigint, ${fence}::uuid, ${version}::int, ${records}::uuid[], ${more}::int)`,
  )
}

/** Ends a run together with its effects, in their transaction and as its user. */
export async function settleRun(
  tx: Transaction,
  { id, fence }: Claimed,
  version: number,
  result: { readonly steps: readonly object[]; readonly notices: readonly object[]; readonly calls: readonly object[] },
): Promise<void> {
  await tx.execute(
    sql`select holdfast.settle_automation(${id}::bigint, ${fence}::uuid, ${version}::int, ${JSON.stringify(result)}::jsonb)`,
  )
}

/**
 * Keeps the records that are due now for automations.
 *
 * @param pool - connected as the project's role
 * @returns milliseconds until the next automation looks for due records; `undefined` without one
 */
export async function startDue(pool: Pool): Promise<number | undefined> {
  const [row] = await pool.query<{ nextMs: number | null }>(
    sql`select (extract(epoch from holdfast.start_due_automations() - clock_timestamp()) * 1000)::float8 as "nextMs"`,
  )
  return row?.nextMs ?? undefined
}

/** Sets the limits that options of the server set. @param pool - connected as the project's role */
export async function setLimits(pool: Pool, limits: Readonly<Record<string, number>>): Promise<void> {
  await pool.execute(sql`
    insert into holdfast.automation_settings as s (name, value)
      select one.key, one.value::integer from jsonb_each_text(${JSON.stringify(limits)}::jsonb) one
      on conflict (name) do update set value = excluded.value where s.value <> excluded.value`)
}

/** @param pool - connected as the project's role @returns whether any runs or notices remain */
export async function prune(pool: Pool): Promise<boolean> {
  const [row] = await pool.query<{ left: boolean }>(sql`select holdfast.prune_automations() as left`)
  return row?.left === true
}
