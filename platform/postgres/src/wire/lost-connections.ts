import type { Client, ClientBase } from 'pg'
import { socketOf } from './take-over.ts'

/** What the driver's client has beside its declared members. */
interface DriverClient {
  readonly host: string
  readonly port: number
  /** Of the backend; known once it is connected. */
  readonly processID: number | null
}

/** The open connections of this process by the address of their server: whoever finds out that a server is gone knows none of those who connected to it. */
const openByServer = new Map<string, Set<ClientBase>>()

/** Remembers a connection that has just been made, until it ends. */
export function rememberConnection(client: ClientBase): void {
  const server = serverOf(client)
  const open = openByServer.get(server) ?? new Set()
  openByServer.set(server, open.add(client))
  socketOf(client).once('close', () => open.delete(client))
}

/**
 * Cuts the connections to the address of `probe` of which the server that is there now knows nothing: after a failover, or when its machine has died, the one
 * before says no word, and a statement would wait for its answer until TCP gives up after many minutes. Whoever uses such a connection sees it end.
 *
 * @param probe - has connected after the connections that are looked at
 * @returns how many were cut
 */
export async function cutLostConnections(probe: Client): Promise<number> {
  const before = [...(openByServer.get(serverOf(probe)) ?? [])]
  if (before.length === 0) return 0
  const { rows } = await probe.query<{ pid: number }>('select pid from pg_catalog.pg_stat_activity')
  const pids = new Set(rows.map(({ pid }) => pid))
  // Behind a pooler the numbers are its own, and tell nothing.
  if (!pids.has(pidOf(probe))) return 0
  const lost = before.filter((client) => !pids.has(pidOf(client)))
  for (const client of lost) socketOf(client).destroy()
  return lost.length
}

function driverClient(client: ClientBase): DriverClient {
  return client as unknown as DriverClient
}

function serverOf(client: ClientBase): string {
  const { host, port } = driverClient(client)
  return `${host}:${port}`
}

function pidOf(client: ClientBase): number {
  return driverClient(client).processID ?? 0
}
