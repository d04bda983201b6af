/**
 * Maximum time in ms that checkpoints wait for the buckets of changed policies. Within it, a change becomes visible at one checkpoint; slower tables are filled
 * in the background. Checkpoints wait for small tables, but hardly for large ones.
 */
const SMALL_MS = 10_000
const LARGE_MS = 300
/** For tables that devices do not have yet: they can appear at a later checkpoint without any device losing rows. */
const NEW_MS = 500

/** Minimum budget in ms of a process that follows a killed one: enough to read small tables, so that devices do not briefly lose their rows. */
const START_MS = 7_000

/** Budget regained per ms without a hold. After a minute the budget is full again. */
const REGAINED = SMALL_MS / 60_000

/** Budget state left by a process for its successor. */
export interface NotedHold {
  /** Remaining time then, in ms. */
  readonly leftMs: number
  /** Maximum time in ms that checkpoints wait from then on; 0 for none. */
  readonly holdMs: number
  /** How long ago that was. */
  readonly agoMs: number
}

/**
 * Limits how long checkpoints wait for tables that are being read, so that repeated schema changes or crashes cannot hold them indefinitely.
 */
export interface HoldBudget {
  /**
   * Starts holding checkpoints.
   *
   * @param areNew - whether devices have nothing of the tables to be read
   * @param isLarge - whether they are large
   * @returns the maximum duration in ms
   */
  begin(tables: { readonly areNew: boolean; readonly isLarge: boolean }): number
  /** Ends the hold. Does nothing without a preceding {@link HoldBudget.begin}. */
  end(): void
  /** Remaining time in ms. */
  readonly leftMs: number
}

/** @param now - a monotonic clock in ms @param noted - by the previous process. If it was killed, its hold counts with its maximum duration */
export function createHoldBudget(now: () => number, noted?: NotedHold): HoldBudget {
  let leftMs = noted ? Math.max(START_MS, leftOf(noted)) : SMALL_MS
  let changedAt = now()
  let isHeld = false

  function settle(): void {
    const elapsed = now() - changedAt
    changedAt += elapsed
    leftMs = within(leftMs + (isHeld ? -elapsed : elapsed * REGAINED))
  }

  return {
    begin({ areNew, isLarge }) {
      settle()
      isHeld = true
      return isLarge ? LARGE_MS : Math.max(LARGE_MS, Math.min(leftMs, areNew ? NEW_MS : SMALL_MS))
    },
    end() {
      settle()
      isHeld = false
    },
    get leftMs() {
      settle()
      return leftMs
    },
  }
}

function leftOf({ leftMs, holdMs, agoMs }: NotedHold): number {
  const heldMs = Math.min(holdMs, agoMs)
  return within(within(leftMs - heldMs) + (agoMs - heldMs) * REGAINED)
}

function within(ms: number): number {
  return Math.min(SMALL_MS, Math.max(0, ms))
}
