import type { CommonPowerSyncDatabase } from '@powersync/common'

/** Interval in ms; a request is almost always answered with 304. */
export const ASK_EVERY_MS = 120_000

/** Throttle in ms for examining received data. */
const LOOK_EVERY_MS = 1_000

/**
 * Detects when the schema may have changed: after connecting, when rows arrive from a new kind of bucket or for an unknown table (new tables, columns or
 * policies), when the page becomes visible, and periodically while connected.
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
  ;(asking as { unref?: () => void }).unref?.() // a Node process may exit while a database is open
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
    // Also the first time: the initial response may be older than the received data.
    if (kinds !== lastKinds && !isDisposed) onHint()
    lastKinds = kinds
  }
}

/** Reads the origins of local rows: bucket names up to their keys, and tables without a view. Used only for comparison. */
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
