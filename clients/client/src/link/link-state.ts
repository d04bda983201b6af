/** State of the connection, by evidence. */
export type LinkState =
  | { readonly kind: 'alive' }
  /** Nothing was received for a while, and the server was probed. */
  | { readonly kind: 'checking' }
  /** The server does not respond. Time of the last byte received, or of the first attempt, in ms since the epoch. */
  | { readonly kind: 'silent'; readonly sinceMs: number }

/** Silence in ms that is considered normal. With the two below, a dead connection is detected within 15 s. */
export const QUIET_MS = 9_000
/** A longer probe, in ms, is shown to the user. */
export const CHECKING_AFTER_MS = 2_000
/** A longer probe, in ms, means that the server does not respond. */
export const SILENT_AFTER_MS = 5_000
/** The same before the first byte: a first connection may be slow. Milliseconds. */
export const FIRST_ANSWER_MS = 15_000
/** An unanswered upload this old, in ms, triggers a probe. */
export const UNANSWERED_MS = 3_000
/** Delay in ms between probes. */
export const PROBE_AGAIN_MS = 3_000
/** Timeout in ms of a silent stream: the server sends a keepalive every 20 s. */
export const STREAM_SILENT_MS = 27_000

/** Durations at one time, in ms. */
export interface LinkFacts {
  /** A response is expected: a stream is open or opening, or an upload is in progress. */
  readonly isExpecting: boolean
  /** The page is visible. */
  readonly isWatched: boolean
  /** Something was received since the database was opened. */
  readonly hasHeard: boolean
  /** Since the last byte received, or since the first attempt. */
  readonly quietMs: number
  /** Age of the running probe. */
  readonly probeMs: number | undefined
  /** Since the last probe ended; infinite if there was none. */
  readonly sinceProbeMs: number
  /** Age of the oldest unanswered upload; 0 if none. */
  readonly unansweredMs: number
}

/** Whether to probe the server. */
export function needsProbe(facts: LinkFacts): boolean {
  if (facts.probeMs !== undefined || facts.sinceProbeMs < PROBE_AGAIN_MS) return false
  if (facts.unansweredMs >= UNANSWERED_MS && facts.quietMs >= UNANSWERED_MS) return true
  return facts.isExpecting && facts.isWatched && facts.quietMs >= QUIET_MS
}

/** Evaluates a running probe. `silent` lasts until something is received. */
export function judgeLink(before: LinkState['kind'], { probeMs, hasHeard }: LinkFacts): LinkState['kind'] {
  if (before === 'silent' || probeMs === undefined) return before
  if (probeMs >= (hasHeard ? SILENT_AFTER_MS : FIRST_ANSWER_MS)) return 'silent'
  return hasHeard && probeMs >= CHECKING_AFTER_MS ? 'checking' : before
}

/** Minimum rate in bytes per ms: 4 KB/s. */
const SLOWEST_BYTES_A_MS = 4
const UPLOAD_SILENCE_MS = 15_000
const UPLOAD_TOTAL_MS = 60_000

export interface UploadFacts {
  readonly bytes: number
  readonly ageMs: number
  /** Since the last byte received, or since the upload started if later. */
  readonly quietMs: number
}

/** Returns why an upload should be aborted and retried, if so. Allows a body the time of a slow connection. */
export function uploadTimeout({ bytes, ageMs, quietMs }: UploadFacts): string | undefined {
  const sendingMs = bytes / SLOWEST_BYTES_A_MS
  if (quietMs >= UPLOAD_SILENCE_MS + sendingMs) return `The server has been silent for ${seconds(quietMs)}.`
  if (ageMs >= UPLOAD_TOTAL_MS + sendingMs) return `The upload has had no response for ${seconds(ageMs)}.`
  return undefined
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`
}
