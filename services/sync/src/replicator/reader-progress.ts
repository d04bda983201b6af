/** State of the change reader, for operators. */
export type ReaderState =
  | 'starting'
  /** Another process reads the changes; this one takes over when that is gone. */
  | 'standing by'
  /** Small tables are read at one snapshot, before changes stream. */
  | 'reading tables'
  | 'following'
  /** See `problem`; retried. */
  | 'being repaired'
  /** The database does not provide what sync needs to be exact; `problem` says what. */
  | 'refused'
  | 'stopped'

/** Tells how far behind the change reader is in time. */
export interface ReaderProgress {
  /** A transaction begins to arrive. */
  began(committedAtMs: number): void
  /** Everything that has arrived is in the log, but for the transaction that is still arriving, if there is one. */
  applied(isInside: boolean): void
  /** When the newest transaction that is in the log was committed; `undefined`: none since the process began. */
  readonly lastCommitMs: number | undefined
  /** When the oldest transaction was committed that has arrived and is not in the log. */
  readonly waitingSinceMs: number | undefined
}

export function createReaderProgress(): ReaderProgress {
  let newestMs: number | undefined
  let beforeNewestMs: number | undefined
  let lastCommitMs: number | undefined
  let waitingSinceMs: number | undefined
  return {
    began(committedAtMs) {
      beforeNewestMs = newestMs
      newestMs = committedAtMs
      waitingSinceMs ??= committedAtMs
    },
    applied(isInside) {
      lastCommitMs = isInside ? beforeNewestMs : newestMs
      waitingSinceMs = isInside ? newestMs : undefined
    },
    get lastCommitMs() {
      return lastCommitMs
    },
    get waitingSinceMs() {
      return waitingSinceMs
    },
  }
}
