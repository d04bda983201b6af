/**
 * How long checkpoints wait for the buckets of changed policies, in milliseconds: within it, all of a change shows at one checkpoint. What takes longer is
 * filled while everything else goes on. Small tables are waited for, large ones hardly.
 */
const SMALL_MS = 10_000
const LARGE_MS = 300
/** Tables of which devices have nothing yet: they come whole at a later checkpoint, and no device misses rows meanwhile. */
const NEW_MS = 500

/** What a process has at least that goes on where another one was killed: small tables are read within it, so that devices do not lose their rows for a moment. */
const START_MS = 8_000

/** Part of the time without a hold that is given back: after a minute, a change may be waited for as long as ever. */
const REGAINED = SMALL_MS / 60_000

/** Budget state left by a process for its successor. */
export interface NotedHold {
  /** Remaining time then, in ms. */
  readonly leftMs: number
  /** Maximum time in ms for checkpoints to wait from then on; 0 for none. */
  readonly holdMs: number
  /** How long ago that was. */
  readonly agoMs: number
}

/**
 * How long checkpoints may still wait for tables that are being read. Neither one change of the schema after another nor one kill after another must hold them for
 * as long as that goes on.
 */
export interface HoldBudget {
  /**
   * Checkpoints wait from now on.
   *
   * @param areNew - whether devices have nothing of the tables to be read
   * @param isLarge - whether they are large
   * @returns for how long at most, in milliseconds
   */
  begin(tables: { readonly areNew: boolean; readonly isLarge: boolean }): number
  /** They wait no longer. Without a {@link HoldBudget.begin} before it nothing happens. */
  end(): void
  /** Remaining time in ms. */
  readonly leftMs: number
}

/**
 * @param now - a clock that never goes back, in milliseconds
 * @param noted - by the process before this one. It may have been killed: checkpoints count as held for as long as they were to be, at most
 */
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
