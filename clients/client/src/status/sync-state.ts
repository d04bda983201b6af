import type { LinkState } from '../link/link-state.ts'

/** All inputs of the sync state, at one time. */
export interface SyncFacts {
  readonly session: 'signed_out' | 'active' | 'second_factor' | 'expired'
  readonly connected: boolean
  readonly connecting: boolean
  /** Connected at least once since the database was opened. */
  readonly wasConnected: boolean
  readonly downloading: boolean
  readonly uploading: boolean
  /** 0 to 1 while downloading. */
  readonly downloadedFraction: number | undefined
  /** The first sync is complete. */
  readonly hasSynced: boolean
  readonly lastSyncedAt: Date | undefined
  /** Operations in the outbox. */
  readonly waiting: number
  /** Undecided rejected changes. */
  readonly attention: number
  /** Tables with rows missing for reasons other than a delay. */
  readonly incomplete: number
  /** Duration in ms; 0 if it does not apply. */
  readonly notConnectedMs: number
  readonly connectingMs: number
  readonly downloadingMs: number
  /** Code of a permanent refusal, such as `PSYNC_S2305`. */
  readonly blockedBy: string | undefined
  /** Whether the user wants to sync. */
  readonly isWanted: boolean
  /** A connection attempt has failed since the last connection. */
  readonly hasFailed: boolean
  /** The browser reports no network. */
  readonly isCutOff: boolean
  readonly link: LinkState
}

/** Sync state for display. */
export type SyncState =
  | { readonly kind: 'up_to_date'; readonly lastSyncedAt: Date | undefined }
  /** Everything sent to this device has arrived, but some readable rows are missing. */
  | { readonly kind: 'incomplete'; readonly tables: number }
  | { readonly kind: 'sending'; readonly waiting: number }
  | { readonly kind: 'receiving'; readonly fraction: number | undefined }
  | { readonly kind: 'waiting'; readonly waiting: number }
  | { readonly kind: 'offline'; readonly waiting: number }
  /** First connection in progress. */
  | { readonly kind: 'connecting'; readonly waiting: number }
  /** The connection is open but silent, and the server is being probed. */
  | { readonly kind: 'checking'; readonly waiting: number }
  /** The server did not respond to the probe. */
  | { readonly kind: 'no_answer'; readonly since: Date; readonly waiting: number }
  | { readonly kind: 'attention'; readonly attention: number }
  | { readonly kind: 'reconnecting' }
  | { readonly kind: 'sign_in_needed' }
  | { readonly kind: 'second_factor_needed' }
  | { readonly kind: 'blocked'; readonly code: string }

/** Shorter gaps are not displayed, to avoid flicker. Milliseconds. */
export const OFFLINE_AFTER_MS = 3_000
/** Shorter downloads are not displayed, to avoid flicker. Milliseconds. */
export const RECEIVING_AFTER_MS = 2_000

/** Derives the single state to display. Attention has priority, then required user action, then progress. */
export function deriveSyncState(facts: SyncFacts): SyncState {
  if (facts.attention > 0) return { kind: 'attention', attention: facts.attention }
  if (facts.blockedBy !== undefined) return { kind: 'blocked', code: facts.blockedBy }
  if (facts.session === 'second_factor') return { kind: 'second_factor_needed' }
  if (facts.session !== 'active') return { kind: 'sign_in_needed' }
  // A silent connection confirms the browser's report, even while it still counts as open or connecting.
  const isNoticed = facts.notConnectedMs > OFFLINE_AFTER_MS || facts.link.kind === 'silent'
  if (facts.isCutOff && isNoticed) return { kind: 'offline', waiting: facts.waiting }
  // Before the connection's own status, because a dead connection looks idle.
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

/** Returns the display text of a state. */
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

/** Stream refusals that a retry does not resolve. */
const BLOCKING = /PSYNC_S(?:2104|2105|2305)/

/** Extracts the code of a blocking refusal from an SDK error. */
export function blockingCode(message: string | undefined): string | undefined {
  return message === undefined ? undefined : BLOCKING.exec(message)?.[0]
}
