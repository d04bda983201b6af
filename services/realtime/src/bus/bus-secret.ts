import { sql, type Pool } from '@holdfast/postgres'

/** Reads the key that the servers of a database share, which the first one creates. @param proposed - 32 random bytes */
export async function readBusSecret(pool: Pool, proposed: Buffer): Promise<Buffer> {
  await pool.execute(sql`insert into realtime.bus_key (key) values (${proposed}) on conflict do nothing`)
  const [row] = await pool.query<{ key: Buffer }>(sql`select key from realtime.bus_key`)
  if (!row) throw new Error('realtime.bus_key is empty')
  return row.key
}
