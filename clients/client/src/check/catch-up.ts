import type { CommonPowerSyncDatabase } from '@powersync/common'
import { pause, type CheckServer } from './check-server.ts'
import { CheckUnavailable } from './device-check.ts'

const POLL_MS = 100
/** Timeout in ms without progress. */
const SILENCE_MS = 30_000

/**
 * Waits until everything committed on the server by now is in the local tables, using a write checkpoint as after an upload.
 *
 * @throws {CheckUnavailable} if it does not arrive
 */
export async function catchUp(
  database: CommonPowerSyncDatabase,
  server: CheckServer,
  signal: AbortSignal | undefined,
): Promise<void> {
  const target = await server.writeCheckpoint(await database.getClientId())
  let last = ''
  for (let silentMs = 0; ; silentMs += POLL_MS) {
    const { applied, unsent } = await progressOf(database)
    if (BigInt(applied) >= target) return
    const { connected, lastSyncedAt, downloadProgress } = database.currentStatus
    const progress = JSON.stringify([
      applied,
      unsent,
      connected,
      lastSyncedAt?.getTime(),
      downloadProgress?.downloadedOperations,
    ])
    if (progress !== last) silentMs = 0
    last = progress
    if (silentMs >= SILENCE_MS) throw unavailable(unsent)
    await pause(POLL_MS, signal)
  }
}

function unavailable(unsent: number): CheckUnavailable {
  return unsent > 0
    ? new CheckUnavailable(
        'unsent',
        `${unsent} changes are waiting to be sent; until then the device receives nothing.`,
      )
    : new CheckUnavailable('behind', 'The server’s changes do not arrive on this device.')
}

/** The SDK does not expose the applied write checkpoint; its extension stores it in `ps_kv`. */
async function progressOf(
  database: CommonPowerSyncDatabase,
): Promise<{ readonly applied: string; readonly unsent: number }> {
  return database.get(
    `select coalesce((select cast(value as text) from ps_kv where key = 'last_applied_checkpoint_request_id'), '0') as applied,
            (select count(*) from ps_crud) as unsent`,
  )
}
