import type { SyncStatus } from '@powersync/common'

/** What of the SDK's status is followed over time. */
export type TrackedStatus = Pick<SyncStatus, 'connected' | 'connecting'> & {
  readonly isDownloading: boolean
  readonly hasError: boolean
}

/** Since when the connection is as it is. Milliseconds since the epoch; `undefined`: it is not so. */
export interface StatusTrack {
  readonly notConnectedSince: number | undefined
  readonly connectingSince: number | undefined
  readonly downloadingSince: number | undefined
  /** Connected at least once since the database was opened. */
  readonly wasConnected: boolean
  /** An attempt to connect has failed since there was a connection. */
  readonly hasFailed: boolean
}

export function newStatusTrack(nowMs: number): StatusTrack {
  return {
    notConnectedSince: nowMs,
    connectingSince: undefined,
    downloadingSince: undefined,
    wasConnected: false,
    hasFailed: false,
  }
}

/** The track after another look at the status. */
export function trackStatus(track: StatusTrack, status: TrackedStatus, nowMs: number): StatusTrack {
  const { connected, connecting, isDownloading, hasError } = status
  return {
    notConnectedSince: connected ? undefined : earlier(track.notConnectedSince, nowMs),
    connectingSince: connecting ? earlier(track.connectingSince, nowMs) : undefined,
    downloadingSince: isDownloading ? earlier(track.downloadingSince, nowMs) : undefined,
    wasConnected: track.wasConnected || connected,
    hasFailed: !connected && (track.hasFailed || hasError),
  }
}

/** When something began that is so now. A clock that is set back begins it again. */
function earlier(sinceMs: number | undefined, nowMs: number): number {
  return Math.min(sinceMs ?? nowMs, nowMs)
}

/** How long something has lasted, in milliseconds; 0 when it is not so. */
export function lasted(sinceMs: number | undefined, nowMs: number): number {
  return sinceMs === undefined ? 0 : nowMs - sinceMs
}
