import type { ReaderState } from './read/reader-progress.ts'

/** State of the replicator, and what prevents serving. */
export interface ReplicatorState {
  readonly phase: ReaderState
  /** Why the last attempt failed or was refused; kept until an attempt serves. */
  readonly failure: string | undefined
  /** Sessions whose open transactions delay the slot. */
  readonly waitsFor: string | undefined
  /** Whether table changes were missed and are not in the log yet. */
  readonly isMissing: boolean
  /** When this attempt started serving, by `performance.now()`. */
  readonly servedSinceMs: number | undefined
}

export type ReplicatorEvent =
  | { readonly kind: 'started' }
  | { readonly kind: 'stood by' }
  | { readonly kind: 'reading tables' }
  | { readonly kind: 'following' }
  | { readonly kind: 'served'; readonly nowMs: number }
  | { readonly kind: 'waiting'; readonly problem: string | undefined }
  | { readonly kind: 'changes missed' }
  | { readonly kind: 'missed changes read' }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'refused'; readonly reason: string }
  /** The attempt has ended for any reason. */
  | { readonly kind: 'ended' }
  | { readonly kind: 'stopped' }

export const STARTING: ReplicatorState = {
  phase: 'starting',
  failure: undefined,
  waitsFor: undefined,
  isMissing: false,
  servedSinceMs: undefined,
}

/** Applies an event. A stopped state never changes. */
export function transition(state: ReplicatorState, event: ReplicatorEvent): ReplicatorState {
  if (state.phase === 'stopped') return state
  switch (event.kind) {
    case 'started':
      return { ...state, phase: 'starting' }
    case 'stood by':
      return { ...state, phase: 'standing by', failure: undefined }
    case 'reading tables':
    case 'following':
      return { ...state, phase: event.kind }
    case 'served':
      return state.phase === 'following'
        ? { ...state, failure: undefined, servedSinceMs: state.servedSinceMs ?? event.nowMs }
        : state
    case 'waiting':
      return { ...state, waitsFor: event.problem }
    case 'changes missed':
      return { ...state, isMissing: true }
    case 'missed changes read':
      return state.isMissing ? { ...state, isMissing: false } : state
    case 'failed':
      return { ...state, phase: 'being repaired', failure: event.reason }
    case 'refused':
      return { ...state, phase: 'refused', failure: event.reason }
    case 'ended':
      return { ...state, servedSinceMs: undefined }
    case 'stopped':
      return { ...state, phase: 'stopped', servedSinceMs: undefined }
  }
}
