import { assert } from '@holdfast/foundation'
import { sql, type Pool, type SqlFragment } from '@holdfast/postgres'
import { DEVICES_PER_PERSON_MAX, STALE_DELETED_MAX, WRITE_CHECKPOINT_DAYS } from '../limits.ts'
import { parseLsn, type Lsn } from '@holdfast/replication'

/** A device's request to be told when the server has passed a point, numbered per user and device. */
export interface WriteCheckpoint {
  readonly id: bigint
  /** The checkpoint with this number must contain everything committed before this position. */
  readonly lsn: Lsn
}

interface Row {
  readonly id: string
  readonly lsn: string
}

function fromRow(row: Row): WriteCheckpoint {
  const lsn = parseLsn(row.lsn)
  assert(lsn !== undefined, 'Postgres prints positions that parse')
  return { id: BigInt(row.id), lsn }
}

/**
 * Creates the next write checkpoint at the current position of the write-ahead log. A device's first one also deletes the least recently used ones of the
 * user's devices beyond a limit, and some old ones of any user.
 */
export function createWriteCheckpoint(pool: Pool, { userId, clientId }: Device): Promise<WriteCheckpoint> {
  return store(
    pool,
    userId,
    sql`
    insert into sync.write_checkpoints as w (user_id, client_id, id, lsn)
    values (${userId}, ${clientId}, nextval('sync.write_checkpoint_ids'), pg_current_wal_insert_lsn())
    on conflict (user_id, client_id) do update set id = greatest(w.id + 1, excluded.id), lsn = excluded.lsn, at = now()
  `,
  )
}

/**
 * Creates the write checkpoint that a device has numbered itself, at the current position of the write-ahead log. The device's newest number only confirms it, so
 * that a request may be repeated. A number below the newest one, or below the floor, is answered with a new one above them: the device may have written since, and
 * the newest one may not contain it.
 */
export function requestWriteCheckpoint(
  pool: Pool,
  { userId, clientId }: Device,
  number: bigint,
): Promise<WriteCheckpoint> {
  const floor = sql`coalesce((select write_checkpoint_floor from sync.state), 0)`
  const asked = sql`${String(number)}::bigint`
  return store(
    pool,
    userId,
    sql`
    insert into sync.write_checkpoints as w (user_id, client_id, id, lsn)
    values (${userId}, ${clientId}, greatest(${asked}, ${floor} + 1), pg_current_wal_insert_lsn())
    on conflict (user_id, client_id) do update set
      id = case when ${asked} >= greatest(w.id, ${floor} + 1) then ${asked} else greatest(w.id, ${floor}) + 1 end,
      lsn = case when ${asked} = w.id and w.id > ${floor} then w.lsn else excluded.lsn end,
      at = now()
  `,
  )
}

async function store(pool: Pool, userId: string, upsert: SqlFragment): Promise<WriteCheckpoint> {
  const [row] = await pool.query<Row & { readonly is_new: boolean }>(
    sql`${upsert} returning id::text, lsn::text, xmax = 0 as is_new`,
  )
  assert(row, 'an upsert returns its row')
  if (row.is_new) await deleteStale(pool, userId)
  return fromRow(row)
}

async function deleteStale(pool: Pool, userId: string): Promise<void> {
  await pool.execute(sql`
    delete from sync.write_checkpoints w
     where w.user_id = ${userId} and w.client_id in (
             select own.client_id from sync.write_checkpoints own
              where own.user_id = ${userId} order by own.at desc, own.id desc offset ${DEVICES_PER_PERSON_MAX})
        or (w.user_id, w.client_id) in (
             select old.user_id, old.client_id from sync.write_checkpoints old
              where old.at < now() - make_interval(days => ${WRITE_CHECKPOINT_DAYS})
              order by old.at limit ${STALE_DELETED_MAX} for update skip locked)`)
}

export interface Device {
  readonly userId: string
  readonly clientId: string
}

/**
 * Reads the newest write checkpoint of each device, in order. Every stream opened later must send it. A device below the floor gets the floor, which answers
 * all numbers from before the server's start (`raiseWriteCheckpointFloor`).
 */
export async function readWriteCheckpoints(
  pool: Pool,
  devices: readonly Device[],
): Promise<readonly (WriteCheckpoint | undefined)[]> {
  const rows = await pool.query<Row & { readonly device: number }>(sql`
    select d.device::int, greatest(w.id, s.write_checkpoint_floor)::text as id,
           (case when w.id > s.write_checkpoint_floor then w.lsn else s.write_checkpoint_floor_lsn end)::text as lsn
      from unnest(${devices.map(({ userId }) => userId)}::text[], ${devices.map(({ clientId }) => clientId)}::text[])
           with ordinality d (user_id, client_id, device)
     cross join sync.state s
      left join sync.write_checkpoints w on w.user_id = d.user_id and w.client_id = d.client_id
     where s.write_checkpoint_floor is not null
  `)
  const found: (WriteCheckpoint | undefined)[] = devices.map(() => undefined)
  for (const { device, ...row } of rows) found[device - 1] = fromRow(row)
  return found
}
