import { sql, type Pool } from '@holdfast/postgres'
import { type Claimed, type QueueTable, retrySql } from '@holdfast/queue'
import { CALL_LEASE_MS } from './limits.ts'

/** What a call does, as the run rendered it. */
export type CallRequest =
  | { readonly kind: 'mail'; readonly to: readonly string[]; readonly subject: string; readonly text: string }
  | { readonly kind: 'webhook'; readonly url: string; readonly header?: string; readonly body: object }
  | { readonly kind: 'function'; readonly name: string; readonly body: object }

/** A mail, webhook or function of a run, made after its transaction. */
export interface AutomationCall {
  readonly runsAs: string
  readonly request: CallRequest
  /** Ids of the messages of a mail, once they are queued. */
  readonly messages: readonly string[] | null
  /** Including this one. */
  readonly attempts: number
  /** When the call was made, or repeated by a user. */
  readonly createdAt: string
  /** Since then. */
  readonly ageMs: number
}

/** What a call is about besides its request. */
export interface CallSubject {
  readonly automation: string
  readonly workspace: string
  readonly workspaceId: string
  readonly language: string
  readonly table: string
  readonly recordId: string | null
  /** Whether the automation is on. */
  readonly isOn: boolean
  /** `whsec_` and base64. */
  readonly signing: string
  readonly headers: readonly { readonly name: string; readonly origin: string; readonly value: string }[]
}

/** What a step of a run says about its call. */
export interface CallOutcome {
  readonly state: 'waiting' | 'done' | 'failed'
  readonly attempts: number
  /** Status of the answer. */
  readonly status?: number | null
  /** Start of the answer. */
  readonly answer?: string | null
  /** Code of why it failed. */
  readonly reason?: string | null
  readonly error?: string | null
  /** Mails that were sent. */
  readonly sent?: number
}

/** A workspace's calls take turns with those of others. Calls of a run are made in the order of its steps; one that failed waits for a user. */
export const CALL_QUEUE: QueueTable = {
  table: ['holdfast', 'automation_calls'],
  key: { name: 'id', type: 'uuid' },
  dueAt: 'due_at',
  fence: { name: 'claim', type: 'uuid', next: sql`gen_random_uuid()` },
  claimSets: sql`attempts = q.attempts + 1`,
  lease: CALL_LEASE_MS,
  isWaiting: sql`not exists (select from holdfast.automation_calls e where e.run_id = q.run_id and e.place < q.place and e.due_at is not null)`,
  lanes: [
    { name: 'workspace_id', type: 'uuid' },
    { name: 'automation_id', type: 'uuid' },
  ],
  columns: sql`q.runs_as as "runsAs", q.request, q.messages, q.attempts, q.created_at::text as "createdAt",
    (extract(epoch from clock_timestamp() - q.created_at) * 1000)::float8 as "ageMs"`,
}

/** @param pool - connected as the project's role */
export async function readSubject(pool: Pool, { id }: Claimed): Promise<CallSubject | undefined> {
  const [row] = await pool.query<CallSubject>(sql`
    select c.automation, c.workspace, c.workspace_id as "workspaceId", c.language, c.table_name as "table", c.record_id as "recordId",
           c.is_on as "isOn", c.signing, c.headers
      from holdfast.read_automation_call(${id}::uuid) c`)
  return row
}

/** Counts what a workspace sends today. @returns whether it may */
export async function mayUse(
  pool: Pool,
  workspaceId: string,
  kind: 'mails' | 'other mails' | 'calls',
  count: number,
): Promise<boolean> {
  const [row] = await pool.query<{ may: boolean }>(
    sql`select holdfast.use_automation_limit(${workspaceId}::uuid, ${kind}, ${count}::int) as may`,
  )
  return row?.may === true
}

/** Lists the addresses of the recipients of a mail; those of no member only for an owner. */
export async function listRecipients(
  pool: Pool,
  workspaceId: string,
  runsAs: string,
  to: readonly string[],
): Promise<readonly { readonly userId: string | null; readonly email: string }[]> {
  return pool.query(sql`
    select r.user_id as "userId", r.email from holdfast.mail_recipients(${workspaceId}::uuid, ${runsAs}::uuid, ${JSON.stringify(to)}::jsonb) r`)
}

/** Notes an attempt in the run. The last one ends the call. @param pool - connected as the project's role */
export async function noteOutcome(
  pool: Pool,
  { id, fence }: Claimed,
  outcome: CallOutcome,
  ends: boolean,
): Promise<void> {
  await pool.execute(
    sql`select holdfast.note_automation_call(${id}::uuid, ${fence}::uuid, ${JSON.stringify(outcome)}::jsonb, ${ends})`,
  )
}

/** Lets a call be tried again. @param messages - of a mail that was queued */
export async function retryCall(
  pool: Pool,
  call: Claimed,
  afterMs: number,
  messages?: readonly string[],
): Promise<void> {
  // Without its claim, the lease of the attempt that ends is not extended any more.
  const also = messages ? sql`claim = null, messages = ${messages}::uuid[]` : sql`claim = null`
  await pool.execute(retrySql(CALL_QUEUE, [call], afterMs, also))
}
