import { assert } from '@holdfast/foundation'
import { sql, type Pool } from '@holdfast/postgres'
import { parseLsn, type Lsn } from '@holdfast/replication'

/** "Tell me when you have passed this point": numbered per person and device. */
export interface WriteCheckpoint {
  readonly id: bigint
  /** Everything that committed before it must be in the checkpoint that carries the number. */
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

/** Makes the next write checkpoint at the present position of the write-ahead log. */
export async function createWriteCheckpoint(pool: Pool, userId: string, clientId: string): Promise<WriteCheckpoint> {
  const [row] = await pool.query<Row>(sql`
    insert into sync.write_checkpoints as w (user_id, client_id, id, lsn)
    values (${userId}, ${clientId}, 1, pg_current_wal_insert_lsn())
    on conflict (user_id, client_id) do update set id = w.id + 1, lsn = excluded.lsn
    returning id::text, lsn::text
  `)
  assert(row, 'an upsert returns its row')
  return fromRow(row)
}

/** The newest one of a device, which every stream opened later has to carry as well. */
export async function readWriteCheckpoint(
  pool: Pool,
  userId: string,
  clientId: string,
): Promise<WriteCheckpoint | undefined> {
  const [row] = await pool.query<Row>(sql`
    select id::text, lsn::text from sync.write_checkpoints where user_id = ${userId} and client_id = ${clientId}
  `)
  return row && fromRow(row)
}
