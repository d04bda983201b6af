/** Each status asks for an answer; so many intervals without a byte mean that the other side is gone. */
const SILENT_INTERVALS_MAX = 12

/** The life of one connection that reads a slot. */
export type StreamPhase =
  | { readonly kind: 'starting' }
  | {
      readonly kind: 'reading'
      /** Whether the socket is paused, so that nothing can arrive. */
      readonly isPaused: boolean
      /** Intervals since the last byte. */
      readonly silentIntervals: number
      /** What Postgres said before it ends the stream. */
      readonly serverError: Error | undefined
    }
  | { readonly kind: 'closed' }

export type StreamEvent =
  | { readonly kind: 'started' }
  | { readonly kind: 'server error'; readonly error: Error }
  /** The connection or the stream has ended. */
  | { readonly kind: 'lost'; readonly cause: Error }
  | { readonly kind: 'bytes arrived' }
  | { readonly kind: 'paused' }
  | { readonly kind: 'resumed' }
  /** A status is due. */
  | { readonly kind: 'interval elapsed' }
  | { readonly kind: 'closed' }

/** What to do after an event, in this order. */
export type StreamEffect =
  | { readonly kind: 'resolve start' }
  | { readonly kind: 'send status'; readonly wantsReply: boolean }
  | { readonly kind: 'stop timers' }
  | { readonly kind: 'reject start'; readonly cause: Error }
  | { readonly kind: 'end with error'; readonly cause: Error }

interface Transition {
  readonly phase: StreamPhase
  readonly effects: readonly StreamEffect[]
}

const NONE: readonly StreamEffect[] = []

export const STARTING: StreamPhase = { kind: 'starting' }
const STARTED: StreamPhase = { kind: 'reading', isPaused: false, silentIntervals: 0, serverError: undefined }
const CLOSED: StreamPhase = { kind: 'closed' }

/** Applies an event. Called per chunk of the socket at most, not per message. A closed stream never changes again. */
export function transition(phase: StreamPhase, event: StreamEvent): Transition {
  switch (phase.kind) {
    case 'starting':
      return fromStarting(phase, event)
    case 'reading':
      return fromReading(phase, event)
    case 'closed':
      return { phase, effects: NONE }
  }
}

function fromStarting(phase: StreamPhase, event: StreamEvent): Transition {
  switch (event.kind) {
    case 'started':
      return { phase: STARTED, effects: [{ kind: 'resolve start' }] }
    case 'server error':
      return rejectStart(event.error)
    case 'lost':
      return rejectStart(event.cause)
    case 'closed':
      return { phase: CLOSED, effects: [{ kind: 'stop timers' }] }
    case 'bytes arrived':
    case 'paused':
    case 'resumed':
    case 'interval elapsed':
      return { phase, effects: NONE }
  }
}

function fromReading(phase: StreamPhase & { readonly kind: 'reading' }, event: StreamEvent): Transition {
  switch (event.kind) {
    case 'started':
      return { phase, effects: NONE }
    case 'server error':
      return { phase: { ...phase, serverError: event.error }, effects: NONE }
    case 'lost':
      return endWithError(phase.serverError ?? event.cause)
    case 'bytes arrived':
      return { phase: phase.silentIntervals === 0 ? phase : { ...phase, silentIntervals: 0 }, effects: NONE }
    case 'paused':
    case 'resumed':
      return { phase: { ...phase, isPaused: event.kind === 'paused' }, effects: NONE }
    case 'interval elapsed': {
      const silentIntervals = phase.isPaused ? phase.silentIntervals : phase.silentIntervals + 1
      if (silentIntervals > SILENT_INTERVALS_MAX)
        return endWithError(new Error('nothing came from Postgres for two minutes'))
      return { phase: { ...phase, silentIntervals }, effects: [{ kind: 'send status', wantsReply: true }] }
    }
    case 'closed':
      return { phase: CLOSED, effects: [{ kind: 'send status', wantsReply: false }, { kind: 'stop timers' }] }
  }
}

function rejectStart(cause: Error): Transition {
  return { phase: CLOSED, effects: [{ kind: 'stop timers' }, { kind: 'reject start', cause }] }
}

function endWithError(cause: Error): Transition {
  return { phase: CLOSED, effects: [{ kind: 'stop timers' }, { kind: 'end with error', cause }] }
}
