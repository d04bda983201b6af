import { backoffMs, delay } from '@holdfast/foundation'
import type { TablePlan } from '@holdfast/policy'

/** Definitions of one table that are filled together. */
export interface Job {
  readonly table: TablePlan
  readonly definitions: ReadonlySet<number>
  readonly filledTo: readonly string[] | null
}

export interface FillProgress {
  readonly table: string
  /** Rows read so far by this process. */
  readonly rows: number
  /** Start of reading the table, by `performance.now()`. */
  readonly sinceMs: number
}

/** Progress of a job. */
export interface Turn {
  readonly job: Job
  /** Key of the last row in the log. */
  after: readonly string[] | null
  /** Transactions that were writing to the table at the job's first turn and have not ended; `undefined` before that. */
  writers: ReadonlySet<string> | undefined
  /** Failures since the last success. */
  failures: number
  /** Earliest next attempt, in ms of `performance.now()`. */
  notBefore: number
  progress: FillProgress | undefined
}

/** Round robin over jobs for reading chunks, skipping those that cannot be read now. */
export interface Turns {
  /** Waits until a job can be tried. Returns `undefined` when all are done. */
  next(signal: AbortSignal): Promise<Turn | undefined>
  /** @param last - key of the last row in the log; `undefined` if the job is done */
  succeeded(turn: Turn, last: readonly string[] | undefined): void
  /** @param retryMs - maximum delay before the next attempt */
  failed(turn: Turn, retryMs: number): void
}

export function createTurns(jobs: readonly Job[]): Turns {
  let open = jobs.map((job): Turn => ({
    job,
    after: job.filledTo,
    writers: undefined,
    failures: 0,
    notBefore: 0,
    progress: undefined,
  }))
  /** Failing and other jobs alternate, so failing ones take at most half of the time. */
  let hasFailed = false
  return {
    async next(signal) {
      while (open.length > 0) {
        signal.throwIfAborted()
        const now = performance.now()
        const due = open.filter((turn) => turn.notBefore <= now)
        const found = (hasFailed ? due.find((turn) => turn.failures === 0) : undefined) ?? due[0]
        if (found) return found
        await delay(Math.min(...open.map((turn) => turn.notBefore)) - now, signal)
      }
      return undefined
    },
    succeeded(turn, last) {
      hasFailed = false
      turn.failures = 0
      if (last === undefined) open = open.filter((one) => one !== turn)
      else turn.after = last
    },
    failed(turn, retryMs) {
      hasFailed = true
      turn.notBefore = performance.now() + backoffMs(turn.failures++, 20, retryMs)
    },
  }
}
