import { sql, type Pool } from '@holdfast/postgres'
import { LANES_PER_LOOK, RECORDING_MS, TIMEOUT_MAX_MS } from './limits.ts'
import type { Outcome, WebhookRequest } from './send.ts'

/** A request that this server sends now. */
export interface Claimed extends WebhookRequest, Lane {
  readonly id: string
  /** How often it has been sent, this time included. */
  readonly attempt: number
}

/** What one table or role has for one receiver: lanes have turns. */
export interface Lane {
  readonly receiver: string
  readonly source: string
}

/** Some lanes that have requests, in the order of their names. */
export interface Lanes {
  readonly due: readonly Lane[]
  /** After which lane the next look begins; `undefined` at the end. */
  readonly next: Lane | undefined
}

/** Whether the queue is one that this server serves, not that of the extension itself. */
export async function isOurs(pool: Pool): Promise<boolean> {
  const [row] = await pool.query<{ ours: boolean }>(
    sql`select to_regprocedure('net.holdfast_wake()') is not null as ours`,
  )
  return row?.ours === true
}

/** Steps over the index from one lane to the next, so that one with many requests costs no more than one with a single one. */
export async function listLanes(pool: Pool, after: Lane | undefined): Promise<Lanes> {
  const rows = await pool.query<Lane & { due: boolean }>(sql`
    with recursive walk as (
      (select q.receiver, q.source, 1 as place from net.http_request_queue q
        where (q.receiver, q.source) > (${after?.receiver ?? ''}, ${after?.source ?? ''}) order by q.receiver, q.source limit 1)
      union all
      (select following.receiver, following.source, w.place + 1
         from walk w
        cross join lateral (
          select q.receiver, q.source from net.http_request_queue q
           where (q.receiver, q.source) > (w.receiver, w.source) order by q.receiver, q.source limit 1) following
        where w.place < ${LANES_PER_LOOK})
    )
    select w.receiver, w.source,
           exists (select from net.http_request_queue q
                    where q.receiver = w.receiver and q.source = w.source and q.due_at <= clock_timestamp()) as due
      from walk w order by w.place`)
  const due = rows.filter((row) => row.due).map(({ receiver, source }) => ({ receiver, source }))
  return { due, next: rows.length === LANES_PER_LOOK ? rows.at(-1) : undefined }
}

/**
 * Takes requests to send, each for as long as it may take and a moment more: if this server ends meanwhile, it, or another one, sends them again after that.
 *
 * @param wanted - lanes, and how many requests of each
 */
export async function claim(pool: Pool, wanted: ReadonlyMap<Lane, number>): Promise<readonly Claimed[]> {
  const lanes = [...wanted.keys()]
  return pool.query<Claimed>(sql`
    with chosen as (
      select q.id
        from unnest(${lanes.map(({ receiver }) => receiver)}::text[], ${lanes.map(({ source }) => source)}::text[],
                    ${[...wanted.values()]}::int[]) as w (receiver, source, most)
       cross join lateral (
         select one.id from net.http_request_queue one
          where one.receiver = w.receiver and one.source = w.source and one.due_at <= clock_timestamp()
          order by one.due_at, one.id limit w.most for update skip locked) q
    )
    update net.http_request_queue q
       set attempts = q.attempts + 1,
           due_at = clock_timestamp()
             + make_interval(secs => (least(greatest(q.timeout_milliseconds, 0), ${TIMEOUT_MAX_MS}::int) + ${RECORDING_MS}::int) / 1000.0)
      from chosen where q.id = chosen.id
    returning q.id::text, q.receiver, q.source, q.attempts as attempt, q.method, q.url, q.headers, q.body, q.timeout_milliseconds as "timeoutMs"`)
}

/** Writes down who has more waiting than it may, and forgets who has no more. @returns whose requests are refused from now on, and were not before */
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
