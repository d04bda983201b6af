import type { CommonPowerSyncDatabase } from '@powersync/common'
import type { IncompleteTable } from '@holdfast/protocol'
import type { LinkState } from '../link/link-state.ts'
import type { SessionState } from '../session/session-state.ts'
import { liveQuery } from '../reads/live-query.ts'
import { createValue, type Value } from '../value.ts'
import { lasted, newStatusTrack, trackStatus, type TrackedStatus } from './status-track.ts'
import { blockingCode, deriveSyncState, type SyncFacts, type SyncState } from './sync-state.ts'

/** Throttle in ms for counts, and interval for durations. */
const COUNT_THROTTLE_MS = 100
const CLOCK_TICK_MS = 1_000

const COUNT_SQL = `select (select count(*) from ps_crud) as waiting,
       (select count(*) from hf_local_attention where state = 'open')
         + (select count(*) from hf_local_files where state = 'refused') as attention`

export interface SyncStateWatch extends Disposable {
  readonly state: Value<SyncState>
}

/** Keeps the sync state of an open database current. */
export function watchSyncState(
  database: CommonPowerSyncDatabase,
  values: {
    readonly session: Value<SessionState>
    readonly link: Value<LinkState>
    readonly incomplete: Value<readonly IncompleteTable[]>
  },
  isWanted: () => boolean,
  now: () => number,
): SyncStateWatch {
  const { session, link, incomplete } = values
  let track = newStatusTrack(now())
  let counts = { waiting: 0, attention: 0 }
  const state = createValue<SyncState>(deriveSyncState(readFacts()))

  const stopStatus = database.registerListener({ statusChanged: refresh })
  const stopSession = session.subscribe(refresh)
  const stopLink = link.subscribe(refresh)
  const stopIncomplete = incomplete.subscribe(refresh)
  const ticking = setInterval(refresh, CLOCK_TICK_MS)
  ;(ticking as { unref?: () => void }).unref?.() // a Node process may exit while a database is open
  const counting = liveQuery<typeof counts>(database, COUNT_SQL, [], { throttleMs: COUNT_THROTTLE_MS })
  const stopCounting = counting.subscribe(() => {
    const [row] = counting.get().rows
    if (row) counts = row
    refresh()
  })

  return {
    state,
    [Symbol.dispose]() {
      stopCounting()
      stopStatus()
      stopSession()
      stopLink()
      stopIncomplete()
      clearInterval(ticking)
    },
  }

  function refresh(): void {
    const next = deriveSyncState(readFacts())
    if (JSON.stringify(next) !== JSON.stringify(state.get())) state.set(next)
  }

  function readFacts(): SyncFacts {
    const status = database.currentStatus
    const nowMs = now()
    track = trackStatus(track, trackedOf(status), nowMs)
    const { kind } = session.get()
    return {
      session: kind === 'booting' ? 'active' : kind,
      ...statusFacts(status),
      waiting: counts.waiting,
      attention: counts.attention,
      incomplete: incomplete.get().length,
      wasConnected: track.wasConnected,
      hasFailed: track.hasFailed,
      notConnectedMs: lasted(track.notConnectedSince, nowMs),
      connectingMs: lasted(track.connectingSince, nowMs),
      downloadingMs: lasted(track.downloadingSince, nowMs),
      isWanted: isWanted(),
      isCutOff: globalThis.navigator?.onLine === false,
      link: link.get(),
    }
  }
}

type Status = CommonPowerSyncDatabase['currentStatus']

function trackedOf({ connected, connecting, downloading, downloadError }: Status): TrackedStatus {
  return { connected, connecting, isDownloading: downloading, hasError: downloadError !== undefined }
}

/** Extracts the current facts from the SDK's status. */
function statusFacts(
  status: Status,
): Pick<
  SyncFacts,
  | 'connected'
  | 'connecting'
  | 'downloading'
  | 'uploading'
  | 'downloadedFraction'
  | 'hasSynced'
  | 'lastSyncedAt'
  | 'blockedBy'
> {
  return {
    connected: status.connected,
    connecting: status.connecting,
    downloading: status.downloading,
    uploading: status.uploading,
    downloadedFraction: status.downloadProgress?.downloadedFraction,
    hasSynced: status.hasSynced === true,
    lastSyncedAt: status.lastSyncedAt,
    blockedBy: blockingCode(status.downloadError?.message),
  }
}
