import { sql, type Pool } from '@holdfast/postgres'
import { RECEIVERS_PER_LOOK, RECORDING_MS, TIMEOUT_MAX_MS } from './limits.ts'
import type { Outcome, WebhookRequest } from './send.ts'

/** A request that this server sends now. */
export interface Claimed extends WebhookRequest {
  readonly id: string
  readonly receiver: string
  /** How often it has been sent, this time included. */
  readonly attempt: number
}

/** Some receivers that have requests, in the order of their names. */
export interface Receivers {
  readonly due: readonly string[]
  /** Where the next look begins; `undefined` at the end. */
  readonly next: string | undefined
}

/** Whether the queue is one that this server serves, not that of the extension itself. */
export async function isOurs(pool: Pool): Promise<boolean> {
  const [row] = await pool.query<{ ours: boolean }>(
    sql`select to_regprocedure('net.holdfast_wake()') is not null as ours`,
  )
  return row?.ours === true
}

/** Steps over the index from one receiver to the next, so that one with many requests costs no more than one with a single one. */
export async function listReceivers(pool: Pool, after: string): Promise<Receivers> {
  const rows = await pool.query<{ receiver: string; due: boolean }>(sql`
    with recursive walk as (
      (select q.receiver, 1 as place from net.http_request_queue q where q.receiver > ${after} order by q.receiver limit 1)
      union all
      select (select q.receiver from net.http_request_queue q where q.receiver > w.receiver order by q.receiver limit 1), w.place + 1
        from walk w where w.receiver is not null and w.place < ${RECEIVERS_PER_LOOK}
    )
    select w.receiver,
           exists (select from net.http_request_queue q where q.receiver = w.receiver and q.due_at <= clock_timestamp()) as due
      from walk w where w.receiver is not null order by w.place`)
  const due = rows.filter((row) => row.due).map(({ receiver }) => receiver)
  return { due, next: rows.length === RECEIVERS_PER_LOOK ? rows.at(-1)?.receiver : undefined }
}

/**
 * Takes requests to send, each for as long as it may take and a moment more: if this server ends meanwhile, it, or another one, sends them again after that.
 *
 * @param wanted - receivers, and how many requests of each
 */
export async function claim(pool: Pool, wanted: ReadonlyMap<string, number>): Promise<readonly Claimed[]> {
  return pool.query<Claimed>(sql`
    with chosen as (
      select q.id
        from unnest(${[...wanted.keys()]}::text[], ${[...wanted.values()]}::int[]) as w (receiver, most)
       cross join lateral (
         select one.id from net.http_request_queue one
          where one.receiver = w.receiver and one.due_at <= clock_timestamp()
          order by one.due_at, one.id limit w.most for update skip locked) q
    )
    update net.http_request_queue q
       set attempts = q.attempts + 1,
           due_at = clock_timestamp()
             + make_interval(secs => (least(greatest(q.timeout_milliseconds, 0), ${TIMEOUT_MAX_MS}::int) + ${RECORDING_MS}::int) / 1000.0)
      from chosen where q.id = chosen.id
    returning q.id::text, q.receiver, q.attempts as attempt, q.method, q.url, q.headers, q.body, q.timeout_milliseconds as "timeoutMs"`)
}

/** Milliseconds until the next request may be sent; `undefined` when none waits for its time. */
export async function nextDueMs(pool: Pool): Promise<number | undefined> {
  const [row] = await pool.query<{ ms: number | null }>(sql`
    select (extract(epoch from min(q.due_at) - clock_timestamp()) * 1000)::float8 as ms
      from net.http_request_queue q where q.due_at > clock_timestamp()`)
  return row?.ms ?? undefined
}

/**
 * Writes down what came of an attempt, unless the request was cancelled or sent again meanwhile.
 *
 * @param retryMs - after how many milliseconds it is sent again; `undefined` when this was the last time
 */
export async function record(
  pool: Pool,
  { id, attempt }: Claimed,
  outcome: Outcome,
  retryMs: number | undefined,
): Promise<void> {
  const error = outcome.kind === 'failed' ? outcome.message : null
  const settle =
    retryMs === undefined
      ? sql`delete from net.http_request_queue where id = ${id}::bigint and attempts = ${attempt} returning id`
      : sql`update net.http_request_queue
               set due_at = clock_timestamp() + make_interval(secs => ${retryMs}::float8 / 1000),
                   last_error = ${error ?? `answered with ${outcome.kind === 'answered' ? outcome.status : ''}`}
             where id = ${id}::bigint and attempts = ${attempt} returning id`
  const answer = outcome.kind === 'answered' ? outcome : undefined
  await pool.execute(sql`
    with settled as (${settle})
    insert into net._http_response as r (id, status_code, content_type, headers, content, timed_out, error_msg, created)
    select id, ${answer?.status ?? null}::int, ${answer?.contentType ?? null}, ${answer ? JSON.stringify(answer.headers) : null}::jsonb,
           ${answer?.content ?? null}, ${outcome.kind === 'failed' && outcome.timedOut}::boolean, ${error}, now()
      from settled
    on conflict (id) do update
      set status_code = excluded.status_code, content_type = excluded.content_type, headers = excluded.headers, content = excluded.content,
          timed_out = excluded.timed_out, error_msg = excluded.error_msg, created = excluded.created`)
}

/** Deletes some of what is older than it is kept. @returns whether anything is left to delete, now or later */
export async function prune(pool: Pool, hours: number, rows: number): Promise<boolean> {
  const [answer] = await pool.query<{ left: boolean }>(sql`
    with old_responses as (
      delete from net._http_response where id in (
        select id from net._http_response where created < now() - make_interval(hours => ${hours}::int) order by created limit ${rows})
    ), old_hooks as (
      delete from supabase_functions.hooks where id in (
        select id from supabase_functions.hooks where created_at < now() - make_interval(hours => ${hours}::int) order by created_at limit ${rows})
    )
    select exists (select from net._http_response) or exists (select from supabase_functions.hooks) as left`)
  return answer?.left === true
}
