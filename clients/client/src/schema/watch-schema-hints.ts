import type { CommonPowerSyncDatabase } from '@powersync/common'

/** Asking costs one request that is nearly always answered with 304. Milliseconds. */
export const ASK_EVERY_MS = 120_000

/** What came is looked at again at most this often, in milliseconds. */
const LOOK_EVERY_MS = 1_000

/**
 * Notices when it is worth asking for the schema: after connecting, when rows come from buckets of another kind than before or for a table that is
 * not known here (the server has new tables, columns or policies), when the page is looked at again, and from time to time while connected.
 */
export function watchSchemaHints(
  database: CommonPowerSyncDatabase,
  onHint: () => void,
  onProblem: (error: unknown) => void,
): Disposable {
  let wasConnected = false
  let lastSynced: number | undefined
  let lastKinds: string | undefined
  let isLooking = false
  let isDisposed = false
  let looked: ReturnType<typeof setTimeout> | undefined

  const stopStatus = database.registerListener({
    statusChanged: ({ connected, lastSyncedAt }) => {
      if (connected && !wasConnected) onHint()
      wasConnected = connected
      if (connected && lastSyncedAt?.getTime() !== lastSynced) {
        lastSynced = lastSyncedAt?.getTime()
        lookSoon()
      }
    },
  })
  const asking = setInterval(() => {
    if (wasConnected && globalThis.document?.visibilityState !== 'hidden') onHint()
  }, ASK_EVERY_MS)
  ;(asking as { unref?: () => void }).unref?.() // a Node process may end while a database is open
  const seen = (): void => {
    if (wasConnected && globalThis.document.visibilityState === 'visible') onHint()
  }
  globalThis.document?.addEventListener('visibilitychange', seen)

  return {
    [Symbol.dispose]() {
      isDisposed = true
      stopStatus()
      clearInterval(asking)
      clearTimeout(looked)
      globalThis.document?.removeEventListener('visibilitychange', seen)
    },
  }

  function lookSoon(): void {
    if (isLooking) return
    isLooking = true
    looked = setTimeout(() => {
      isLooking = false
      look().catch((error: unknown) => {
        if (!isDisposed && !database.closed) onProblem(error)
      })
    }, LOOK_EVERY_MS)
    ;(looked as { unref?: () => void }).unref?.()
  }

  async function look(): Promise<void> {
    const kinds = await readKinds(database)
    // The first time, too: what was asked for at the beginning may be older than what has come since.
    if (kinds !== lastKinds && !isDisposed) onHint()
    lastKinds = kinds
  }
}

/** What the rows on the device come from: bucket names up to their keys, and tables without a view. Only compared, never understood. */
async function readKinds(database: CommonPowerSyncDatabase): Promise<string> {
  const { kinds } = await database.get<{ kinds: string | null }>(`
    select group_concat(kind, ' ') as kinds from (
      select distinct substr(name, 1, instr(name || '[', '[') - 1) as kind from ps_buckets where name <> '$local'
      union
      select distinct 'unknown ' || type from ps_untyped
      order by kind
    )`)
  return kinds ?? ''
}
