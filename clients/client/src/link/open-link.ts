import type { CommonPowerSyncDatabase } from '@powersync/common'
import { hearStreamBytes } from './stream-bytes.ts'
import { watchLink, type Link, type LinkOptions } from './watch-link.ts'

export interface OpenLinkOptions extends Pick<LinkOptions, 'isWanted' | 'restartStream' | 'onBack' | 'now'> {
  readonly url: string
  readonly userId: string
  readonly fetch: typeof globalThis.fetch
}

/** Monitors the connection of an open database: its stream, its uploads, and `/health` if both are inconclusive. */
export function openLink(database: CommonPowerSyncDatabase, options: OpenLinkOptions): Link {
  const { url, userId, fetch } = options
  const link = watchLink({
    ...options,
    probe: async (signal) => {
      const response = await fetch(`${url}/health`, { cache: 'no-store', signal })
      // A captive portal's page is no sign of life, but any health report is.
      const report: unknown = await response.json()
      if (typeof report !== 'object' || report === null || !('ok' in report)) throw new Error('not the server')
    },
    stream: () => {
      const { connected, connecting } = database.currentStatus
      return connected ? 'open' : connecting ? 'opening' : 'closed'
    },
    isWatched: () => globalThis.document === undefined || document.visibilityState === 'visible',
  })
  let before = progressOf(database)
  const stopStatus = database.registerListener({
    statusChanged: () => {
      const after = progressOf(database)
      if (after !== before && database.currentStatus.connected) link.heard('stream')
      before = after
    },
  })
  const bytes = hearStreamBytes(userId, () => link.heard('stream'))
  globalThis.document?.addEventListener('visibilitychange', link.look)
  return {
    ...link,
    [Symbol.dispose]() {
      stopStatus()
      bytes[Symbol.dispose]()
      globalThis.document?.removeEventListener('visibilitychange', link.look)
      link[Symbol.dispose]()
    },
  }
}

/** SDK status that only the server can change. */
function progressOf({ currentStatus: status }: CommonPowerSyncDatabase): string {
  return [status.connected, status.lastSyncedAt?.getTime(), status.downloadProgress?.downloadedOperations].join()
}
