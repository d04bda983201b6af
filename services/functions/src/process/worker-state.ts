/** Why a process ended or is to end. The last four are reasons in `beforeunload`. */
export type EndReason = 'crash' | 'memory' | 'cpu' | 'disk' | 'wall_clock' | 'early_drop' | 'termination'

/** The life of a process that serves a function. */
export interface WorkerState {
  /** Whether its function serves. A process that still waits for its function is `pending`. */
  readonly boot: 'pending' | 'serving' | 'failed'
  readonly end: End
  /** Whether promises passed to `EdgeRuntime.waitUntil` are pending. */
  readonly isBusy: boolean
}

type End =
  | { readonly kind: 'none' }
  /** The function was told that it is to end, and may take a moment for it. */
  | { readonly kind: 'unloading' }
  | { readonly kind: 'killed'; readonly reason: EndReason }
  | { readonly kind: 'ended'; readonly reason: EndReason }

export type WorkerEvent =
  | { readonly kind: 'serves' }
  | ({ readonly kind: 'boot failed' } & BootFailureCause)
  | { readonly kind: 'busy' }
  | { readonly kind: 'idle' }
  | { readonly kind: 'unload requested'; readonly reason: EndReason }
  | { readonly kind: 'kill requested'; readonly reason: EndReason }
  /** `reason`: why, if nobody asked for it. */
  | { readonly kind: 'exited'; readonly reason: EndReason }

interface BootFailureCause {
  readonly message: string
  /** Whether the function's own code threw, as opposed to a loading error. */
  readonly isThrown: boolean
}

/** What to do after an event, in this order. */
export type WorkerEffect =
  | { readonly kind: 'resolve boot' }
  | ({ readonly kind: 'reject boot' } & BootFailureCause)
  /** Tells the function that it is to end, and requests a kill a moment later. */
  | { readonly kind: 'announce end'; readonly reason: EndReason }
  | { readonly kind: 'kill' }
  | { readonly kind: 'release everything'; readonly reason: EndReason }

interface Transition {
  readonly state: WorkerState
  readonly effects: readonly WorkerEffect[]
}

export const STARTED: WorkerState = { boot: 'pending', end: { kind: 'none' }, isBusy: false }

/** The first outcome of a boot and the first reason for a kill count; a process that has ended never changes again. */
export function transition(state: WorkerState, event: WorkerEvent): Transition {
  const unchanged: Transition = { state, effects: [] }
  if (state.end.kind === 'ended') return unchanged
  switch (event.kind) {
    case 'serves':
      return state.boot === 'pending'
        ? { state: { ...state, boot: 'serving' }, effects: [{ kind: 'resolve boot' }] }
        : unchanged
    case 'boot failed':
      return state.boot === 'pending' ? failBoot(state, event) : unchanged
    case 'busy':
    case 'idle':
      return { state: { ...state, isBusy: event.kind === 'busy' }, effects: [] }
    case 'unload requested':
      return state.end.kind === 'none'
        ? { state: { ...state, end: { kind: 'unloading' } }, effects: [{ kind: 'announce end', reason: event.reason }] }
        : unchanged
    case 'kill requested':
      return state.end.kind === 'killed'
        ? unchanged
        : { state: { ...state, end: { kind: 'killed', reason: event.reason } }, effects: [{ kind: 'kill' }] }
    case 'exited':
      return exit(state, state.end.kind === 'killed' ? state.end.reason : event.reason)
  }
}

function failBoot(state: WorkerState, { message, isThrown }: BootFailureCause): Transition {
  return { state: { ...state, boot: 'failed' }, effects: [{ kind: 'reject boot', message, isThrown }] }
}

function exit(state: WorkerState, reason: EndReason): Transition {
  const failed: Transition =
    state.boot === 'pending'
      ? failBoot(state, { message: `its process ended (${reason})`, isThrown: true })
      : { state, effects: [] }
  return {
    state: { ...failed.state, end: { kind: 'ended', reason } },
    effects: [{ kind: 'release everything', reason }, ...failed.effects],
  }
}
