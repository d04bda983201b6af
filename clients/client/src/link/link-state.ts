/** The state of the line to the server, by evidence. */
export type LinkState =
  | { readonly kind: 'alive' }
  /** Nothing came for a while, and the server has been asked. */
  | { readonly kind: 'checking' }
  /** The server was asked and did not answer. Milliseconds since the epoch: the last byte from it, or the first attempt when there was none. */
  | { readonly kind: 'silent'; readonly sinceMs: number }

/** Silence that is taken for nothing yet, in milliseconds. With the two below, a dead line is noticed within 15 s. */
export const QUIET_MS = 9_000
/** A probe that takes longer is shown, in milliseconds. */
export const CHECKING_AFTER_MS = 2_000
/** A probe that takes longer means that the server does not answer, in milliseconds. */
export const SILENT_AFTER_MS = 5_000
/** The same before anything was ever heard: a first connection may be slow. Milliseconds. */
export const FIRST_ANSWER_MS = 15_000
/** An upload without an answer for this long is a reason to ask, in milliseconds. */
export const UNANSWERED_MS = 3_000
/** Between the end of a probe and the next, in milliseconds. */
export const PROBE_AGAIN_MS = 3_000
/** The server sends something on a stream every 20 s; a stream that is silent for longer is dead. Milliseconds. */
export const STREAM_SILENT_MS = 27_000

/** Durations at one moment, in milliseconds. */
export interface LinkFacts {
  /** Something is asked of the server: a stream is open or being opened, or an upload is under way. */
  readonly isExpecting: boolean
  /** A person looks at the page. */
  readonly isWatched: boolean
  /** Something has been heard since the database was opened. */
  readonly hasHeard: boolean
  /** Since the last byte from the server, or since the first attempt. */
  readonly quietMs: number
  /** Age of the probe under way. */
  readonly probeMs: number | undefined
  /** Since the last probe ended; infinite when there was none. */
  readonly sinceProbeMs: number
  /** Age of the oldest upload without an answer; 0 when there is none. */
  readonly unansweredMs: number
}

/** Whether the server has to be asked whether it is there. */
export function needsProbe(facts: LinkFacts): boolean {
  if (facts.probeMs !== undefined || facts.sinceProbeMs < PROBE_AGAIN_MS) return false
  if (facts.unansweredMs >= UNANSWERED_MS && facts.quietMs >= UNANSWERED_MS) return true
  return facts.isExpecting && facts.isWatched && facts.quietMs >= QUIET_MS
}

/** What a probe that is still under way says. What was silent stays so until something is heard. */
export function judgeLink(before: LinkState['kind'], { probeMs, hasHeard }: LinkFacts): LinkState['kind'] {
  if (before === 'silent' || probeMs === undefined) return before
  if (probeMs >= (hasHeard ? SILENT_AFTER_MS : FIRST_ANSWER_MS)) return 'silent'
  return hasHeard && probeMs >= CHECKING_AFTER_MS ? 'checking' : before
}

/** Slower lines are not waited for, in bytes a millisecond: 4 KB/s. */
const SLOWEST_BYTES_A_MS = 4
const UPLOAD_SILENCE_MS = 15_000
const UPLOAD_TOTAL_MS = 60_000

export interface UploadFacts {
  readonly bytes: number
  readonly ageMs: number
  /** Since the last byte from the server, or since the upload began if that is later. */
  readonly quietMs: number
}

/** Why an upload is given up and repeated, if it is. Its body may take as long as a slow line needs. */
export function uploadTimeout({ bytes, ageMs, quietMs }: UploadFacts): string | undefined {
  const sendingMs = bytes / SLOWEST_BYTES_A_MS
  if (quietMs >= UPLOAD_SILENCE_MS + sendingMs) return `The server has been silent for ${seconds(quietMs)}.`
  if (ageMs >= UPLOAD_TOTAL_MS + sendingMs) return `The upload has had no answer for ${seconds(ageMs)}.`
  return undefined
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`
}
