/** Whether the consumer is owed a `progress` event. */
export type ProgressReport =
  | 'none'
  /** The consumer has asked for one: the next keepalive brings it, even without news. */
  | 'requested'
  /** A keepalive came inside a transaction: the commit brings it. */
  | 'deferred'

export type ProgressEvent =
  | 'requested'
  | 'keepalive'
  /** With a position that was not reported. */
  | 'keepalive with news'
  | 'keepalive in transaction'
  | 'commit'

interface Transition {
  readonly report: ProgressReport
  /** Whether to emit the event now. */
  readonly isDue: boolean
}

// Each commit is an event: the transitions are shared, so that it allocates nothing.
const NOTHING: Transition = { report: 'none', isDue: false }
const REQUESTED: Transition = { report: 'requested', isDue: false }
const DEFERRED: Transition = { report: 'deferred', isDue: false }
const DUE: Transition = { report: 'none', isDue: true }

/** Postgres repeats its keepalives: one without news is reported only when it was asked for, and none inside a transaction. */
export function transition(report: ProgressReport, event: ProgressEvent): Transition {
  switch (event) {
    case 'requested':
      return report === 'deferred' ? DEFERRED : REQUESTED
    case 'keepalive':
      return report === 'none' ? NOTHING : DUE
    case 'keepalive with news':
      return DUE
    case 'keepalive in transaction':
      return DEFERRED
    case 'commit':
      if (report === 'deferred') return DUE
      return report === 'requested' ? REQUESTED : NOTHING
  }
}
