import type { LinkState } from '../link/link-state.ts'

/** Everything the sync chip is derived from. Counts and durations at one moment. */
export interface SyncFacts {
  readonly session: 'signed_out' | 'active' | 'second_factor' | 'expired'
  readonly connected: boolean
  readonly connecting: boolean
  /** Connected at least once since the database was opened. */
  readonly wasConnected: boolean
  readonly downloading: boolean
  readonly uploading: boolean
  /** 0 to 1, while downloading. */
  readonly downloadedFraction: number | undefined
  /** A complete first sync is here. */
  readonly hasSynced: boolean
  readonly lastSyncedAt: Date | undefined
  /** Operations in the outbox. */
  readonly waiting: number
  /** Undecided rejected changes. */
  readonly attention: number
  /** Tables of which rows are missing on this device for another reason than time. */
  readonly incomplete: number
  /** How long it has been so, in milliseconds; 0 when it is not. */
  readonly notConnectedMs: number
  readonly connectingMs: number
  readonly downloadingMs: number
  /** Code of a refusal that waiting does not heal, such as `PSYNC_S2305`. */
  readonly blockedBy: string | undefined
  /** The person wants to sync: it was not disconnected. */
  readonly isWanted: boolean
  /** An attempt to connect has failed since there was a connection. */
  readonly hasFailed: boolean
  /** The browser says that there is no network at all. */
  readonly isCutOff: boolean
  readonly link: LinkState
}

/** What the chip shows; each form has what its words need. */
export type SyncState =
  | { readonly kind: 'up_to_date'; readonly lastSyncedAt: Date | undefined }
  /** All that this device is given is here, and that is not all that the person may read. */
  | { readonly kind: 'incomplete'; readonly tables: number }
  | { readonly kind: 'sending'; readonly waiting: number }
  | { readonly kind: 'receiving'; readonly fraction: number | undefined }
  | { readonly kind: 'waiting'; readonly waiting: number }
  | { readonly kind: 'offline'; readonly waiting: number }
  /** The first connection is being made. */
  | { readonly kind: 'connecting'; readonly waiting: number }
  /** The connection is open, nothing came for a while, and the server is being asked. */
  | { readonly kind: 'checking'; readonly waiting: number }
  /** It was asked and did not answer. */
  | { readonly kind: 'no_answer'; readonly since: Date; readonly waiting: number }
  | { readonly kind: 'attention'; readonly attention: number }
  | { readonly kind: 'reconnecting' }
  | { readonly kind: 'sign_in_needed' }
  | { readonly kind: 'second_factor_needed' }
  | { readonly kind: 'blocked'; readonly code: string }

/** Shorter gaps are not shown: they would only flicker. Milliseconds. */
export const OFFLINE_AFTER_MS = 3_000
/** A download shorter than this is not shown, in milliseconds: it would only flicker. */
export const RECEIVING_AFTER_MS = 2_000

/** The one thing to say about sync now. Attention wins over all, then what a person has to do, then what goes on. */
export function deriveSyncState(facts: SyncFacts): SyncState {
  if (facts.attention > 0) return { kind: 'attention', attention: facts.attention }
  if (facts.blockedBy !== undefined) return { kind: 'blocked', code: facts.blockedBy }
  if (facts.session === 'second_factor') return { kind: 'second_factor_needed' }
  if (facts.session !== 'active') return { kind: 'sign_in_needed' }
  // A silent link confirms what the browser says, also while the connection still passes for open or is being made.
  const isNoticed = facts.notConnectedMs > OFFLINE_AFTER_MS || facts.link.kind === 'silent'
  if (facts.isCutOff && isNoticed) return { kind: 'offline', waiting: facts.waiting }
  // Before what the connection says of itself: one that passes nothing looks like one on which nothing happens.
  if (facts.link.kind === 'silent') {
    return { kind: 'no_answer', since: new Date(facts.link.sinceMs), waiting: facts.waiting }
  }
  if (facts.link.kind === 'checking') return { kind: 'checking', waiting: facts.waiting }
  return facts.connected ? whileConnected(facts) : whileNotConnected(facts)
}

function whileConnected(facts: SyncFacts): SyncState {
  if (facts.waiting > 0) return { kind: 'sending', waiting: facts.waiting }
  if (facts.downloading && (!facts.hasSynced || facts.downloadingMs > RECEIVING_AFTER_MS)) {
    return { kind: 'receiving', fraction: facts.downloadedFraction }
  }
  if (!facts.hasSynced) return { kind: 'receiving', fraction: undefined }
  return upToDate(facts)
}

function upToDate({ incomplete, lastSyncedAt }: SyncFacts): SyncState {
  return incomplete > 0 ? { kind: 'incomplete', tables: incomplete } : { kind: 'up_to_date', lastSyncedAt }
}

function whileNotConnected(facts: SyncFacts): SyncState {
  if (facts.connecting && facts.wasConnected && facts.connectingMs > OFFLINE_AFTER_MS) return { kind: 'reconnecting' }
  if (facts.notConnectedMs > OFFLINE_AFTER_MS) {
    const isFirst = facts.isWanted && !facts.wasConnected && !facts.hasFailed
    return { kind: isFirst ? 'connecting' : 'offline', waiting: facts.waiting }
  }
  if (facts.waiting > 0) return { kind: 'waiting', waiting: facts.waiting }
  return facts.hasSynced ? upToDate(facts) : { kind: 'receiving', fraction: undefined }
}

/** The chip's words. */
export function describeSyncState(state: SyncState): string {
  switch (state.kind) {
    case 'up_to_date':
      return 'Up to date'
    case 'incomplete':
      return state.tables === 1 ? '1 table is not complete' : `${state.tables} tables are not complete`
    case 'sending':
      return `Sending ${state.waiting}`
    case 'receiving':
      return state.fraction === undefined ? 'Receiving' : `Receiving ${Math.floor(state.fraction * 100)} %`
    case 'waiting':
      return `${state.waiting} waiting`
    case 'offline':
      return state.waiting > 0 ? `Offline · ${state.waiting} waiting` : 'Offline'
    case 'connecting':
      return 'Connecting'
    case 'checking':
      return 'Checking…'
    case 'no_answer':
      return `No answer since ${clock(state.since)}`
    case 'attention':
      return state.attention === 1 ? '1 needs attention' : `${state.attention} need attention`
    case 'reconnecting':
      return 'Reconnecting'
    case 'sign_in_needed':
      return 'Sign in to sync'
    case 'second_factor_needed':
      return 'Confirm to sync'
    case 'blocked':
      return 'Sync stopped'
    default:
      return state satisfies never
  }
}

function clock(at: Date): string {
  return at.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
}

/** Refusals of the stream that a retry does not heal. */
const BLOCKING = /PSYNC_S(?:2104|2105|2305)/

/** The code of a blocking refusal in what the SDK reports, or `undefined`. */
export function blockingCode(message: string | undefined): string | undefined {
  return message === undefined ? undefined : BLOCKING.exec(message)?.[0]
}
