import { sql, type Pool } from '@holdfast/postgres'
import type { Device } from '../checkpoints/write-checkpoints.ts'
import { endedByOperator, type Connections } from '../stream/connections.ts'

/** What operators do to a connected device: end its stream, or have it download its rows again. */
export type DeviceAction = 'end' | 'resync'

/** Time in seconds for the server that has the stream. Later a request no longer means the stream that the operator saw. */
const ASKED_S = 60

/** Devices that this process cannot see are connected if they were recorded this recently. Longer than the interval of the records. */
export const ELSEWHERE_CONNECTED = sql`interval '12 minutes'`

/** Does it to the streams of this server. @returns whether the device has one here */
export function act(connections: Connections, { userId, clientId }: Device, action: DeviceAction): boolean {
  const open = [...connections.of(userId, clientId)]
  for (const connection of open) {
    if (action === 'end') connections.expire(connection, endedByOperator)
    else connection.session.resync()
  }
  return open.length > 0
}

/**
 * Writes down what the server that has the device's stream is asked to do. The caller notifies it.
 *
 * @param node - this server
 * @returns whether another server has recorded the device as connected
 */
export async function askElsewhere(
  pool: Pool,
  { userId, clientId }: Device,
  action: DeviceAction,
  node: string,
): Promise<boolean> {
  const rows = await pool.query(sql`
    update sync.devices set asked = ${action}, asked_at = now()
     where user_id = ${userId} and client_id = ${clientId} and ended_at is null and node <> ${node} and seen_at > now() - ${ELSEWHERE_CONNECTED}
    returning 1`)
  return rows.length > 0
}

/** Takes what operators ask of devices, each once. */
export async function takeAsked(
  pool: Pool,
  devices: readonly Device[],
): Promise<readonly (Device & { readonly action: DeviceAction })[]> {
  const rows = await pool.query<{ user_id: string; client_id: string; asked: DeviceAction }>(sql`
    with asked as (
      select d.user_id, d.client_id, d.asked
        from unnest(${devices.map(({ userId }) => userId)}::text[], ${devices.map(({ clientId }) => clientId)}::text[]) w (user_id, client_id)
        join sync.devices d using (user_id, client_id)
       where d.asked is not null and d.asked_at > now() - make_interval(secs => ${ASKED_S})
         for update of d
    )
    update sync.devices d set asked = null, asked_at = null
      from asked where d.user_id = asked.user_id and d.client_id = asked.client_id
    returning asked.user_id, asked.client_id, asked.asked`)
  return rows.map((row) => ({ userId: row.user_id, clientId: row.client_id, action: row.asked }))
}
