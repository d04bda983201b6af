import { type Claimed, pruneSql, type QueueTable, retrySql, settleSql } from '@holdfast/queue'
import { sql, type Pool } from '@holdfast/postgres'
import { PRUNE_ROWS, RECORDING_MS, TIMEOUT_MAX_MS } from './limits.ts'
import type { Outcome, WebhookRequest } from './send.ts'

/** A request claimed by this server. */
export interface QueuedRequest extends WebhookRequest {
  /** Number of attempts, including this one. */
  readonly attempt: number
}

/** The lease covers the request's timeout and recording its outcome. Receivers are groups; each table or role has one lane per receiver. */
export const WEBHOOK_QUEUE: QueueTable = {
  table: ['net', 'http_request_queue'],
  key: { name: 'id', type: 'bigint' },
  dueAt: 'due_at',
  lease: sql`make_interval(secs => (least(greatest(q.timeout_milliseconds, 0), ${TIMEOUT_MAX_MS}::int) + ${RECORDING_MS}::int) / 1000.0)`,
  lanes: [
    { name: 'receiver', type: 'text' },
    { name: 'source', type: 'text' },
  ],
  columns: sql`q.attempts as attempt, q.method, q.url, q.headers, q.body, q.timeout_milliseconds as "timeoutMs"`,
}

/** Returns whether the queue belongs to Holdfast rather than to the pg_net extension. */
export async function isOurs(pool: Pool): Promise<boolean> {
  const [row] = await pool.query<{ ours: boolean }>(
    sql`select to_regprocedure('net.holdfast_wake()') is not null as ours`,
  )
  return row?.ours === true
}

/**
 * Marks sources (tables or roles) with too many waiting requests or bytes, and unmarks the others. @returns the newly marked ones, whose calls are refused
 * from now on
 */
export async function measure(
  pool: Pool,
  limits: { readonly requests: number; readonly bytes: number },
): Promise<readonly string[]> {
  const rows = await pool.query<{ source: string }>(sql`
    with measured as (
      select q.source, count(*) as requests, sum(octet_length(q.url) + coalesce(pg_column_size(q.headers), 0) + coalesce(pg_column_size(q.body), 0)) as bytes
        from net.http_request_queue q group by q.source
    ), full_now as (
      select m.source,
             case when m.requests >= ${limits.requests}::int then format('%s wait to be sent, of at most %s', m.requests, ${limits.requests}::int)
                  else format('those that wait have %s bytes, of at most %s', m.bytes, ${limits.bytes}::bigint) end as reason
        from measured m where m.requests >= ${limits.requests}::int or m.bytes >= ${limits.bytes}::bigint
    ), gone as (
      delete from net.holdfast_full f where not exists (select from full_now n where n.source = f.source)
    )
    insert into net.holdfast_full (source, reason) select source, reason from full_now
    on conflict (source) do nothing returning source`)
  return rows.map(({ source }) => source)
}

/**
 * Records the outcome of an attempt, unless the request was cancelled or claimed again.
 *
 * @param retryMs - delay in ms until the next attempt; `undefined` after the last one
 */
export async function record(
  pool: Pool,
  request: Claimed,
  outcome: Outcome,
  retryMs: number | undefined,
): Promise<void> {
  const error = outcome.kind === 'failed' ? outcome.message : null
  const reason = error ?? `answered with ${outcome.kind === 'answered' ? outcome.status : ''}`
  const settle =
    retryMs === undefined
      ? settleSql(WEBHOOK_QUEUE, [request], 'delete')
      : retrySql(WEBHOOK_QUEUE, [request], retryMs, sql`last_error = ${reason}`)
  const answer = outcome.kind === 'answered' ? outcome : undefined
  await pool.execute(sql`
    with settled as (${settle})
    insert into net._http_response as r (id, status_code, content_type, headers, content, timed_out, error_msg, created)
    select id::bigint, ${answer?.status ?? null}::int, ${answer?.contentType ?? null}, ${answer ? JSON.stringify(answer.headers) : null}::jsonb,
           ${answer?.content ?? null}, ${outcome.kind === 'failed' && outcome.timedOut}::boolean, ${error}, now()
      from settled
    on conflict (id) do update
      set status_code = excluded.status_code, content_type = excluded.content_type, headers = excluded.headers, content = excluded.content,
          timed_out = excluded.timed_out, error_msg = excluded.error_msg, created = excluded.created`)
}

/** Deletes a batch of old responses. @returns whether responses remain to be deleted, now or later */
export async function prune(pool: Pool, hours: number): Promise<boolean> {
  const keep = sql`make_interval(hours => ${hours}::int)`
  const [answer] = await pool.query<{ left: boolean }>(sql`
    with old_responses as (${pruneSql(['net', '_http_response'], { key: 'id', at: 'created' }, keep, PRUNE_ROWS)}),
         old_hooks as (${pruneSql(['supabase_functions', 'hooks'], { key: 'id', at: 'created_at' }, keep, PRUNE_ROWS)})
    select exists (select from net._http_response) or exists (select from supabase_functions.hooks) as left`)
  return answer?.left === true
}
