/** State of the change reader, for operators. */
export type ReaderState =
  | 'starting'
  /** Another process reads the changes; this one takes over when that one ends. */
  | 'standing by'
  /** Small tables are read at one snapshot, before changes stream. */
  | 'reading tables'
  | 'following'
  /** See `problem`; retried. */
  | 'being repaired'
  /** The database does not meet the prerequisites of sync; see `problem`. */
  | 'refused'
  | 'stopped'

/** Measures the lag of the change reader. */
export interface ReaderProgress {
  /** Called when a transaction starts to arrive. */
  began(committedAtMs: number): void
  /** Called when all received transactions are in the log, except one that is still arriving (`isInside`). */
  applied(isInside: boolean): void
  /** Commit time of the newest transaction in the log; `undefined` if none since the process started. */
  readonly lastCommitMs: number | undefined
  /** Commit time of the oldest received transaction that is not in the log. */
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
