import type { Client, ClientBase } from 'pg'
import { socketOf } from './take-over.ts'

/** Undeclared members of the driver's client. */
interface DriverClient {
  readonly host: string
  readonly port: number
  /** Backend PID; known once connected. */
  readonly processID: number | null
}

/** Open connections of this process by server address, because the code that detects a lost server does not know the other connections. */
const openByServer = new Map<string, Set<ClientBase>>()

/** Registers a new connection until it ends. */
export function rememberConnection(client: ClientBase): void {
  const server = serverOf(client)
  const open = openByServer.get(server) ?? new Set()
  openByServer.set(server, open.add(client))
  socketOf(client).once('close', () => open.delete(client))
}

/**
 * Disconnects connections to the address of `probe` that the current server does not know: after a failover or machine crash the previous server is silent, and
 * statements would wait minutes for TCP to give up.
 *
 * @param probe - connected after the connections to check
 * @returns the number of disconnected ones
 */
export async function cutLostConnections(probe: Client): Promise<number> {
  const before = [...(openByServer.get(serverOf(probe)) ?? [])]
  if (before.length === 0) return 0
  const { rows } = await probe.query<{ pid: number }>('select pid from pg_catalog.pg_stat_activity')
  const pids = new Set(rows.map(({ pid }) => pid))
  // Behind a pooler the PIDs are meaningless.
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
