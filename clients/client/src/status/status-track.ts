import type { SyncStatus } from '@powersync/common'

/** Part of the SDK's status tracked over time. */
export type TrackedStatus = Pick<SyncStatus, 'connected' | 'connecting'> & {
  readonly isDownloading: boolean
  readonly hasError: boolean
}

/** Start times of the connection's states in ms since the epoch; `undefined` for states that do not apply. */
export interface StatusTrack {
  readonly notConnectedSince: number | undefined
  readonly connectingSince: number | undefined
  readonly downloadingSince: number | undefined
  /** Connected at least once since the database was opened. */
  readonly wasConnected: boolean
  /** A connection attempt has failed since the last connection. */
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

/** Updates the track with a new status. */
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

/** Returns the start time of a current state. Restarts it if the clock was set back. */
function earlier(sinceMs: number | undefined, nowMs: number): number {
  return Math.min(sinceMs ?? nowMs, nowMs)
}

/** Duration of a state in ms; 0 if it does not apply. */
export function lasted(sinceMs: number | undefined, nowMs: number): number {
  return sinceMs === undefined ? 0 : nowMs - sinceMs
}
