/**
 * How long checkpoints wait for the buckets of changed policies, in milliseconds: within it, all of a change shows at one checkpoint. What takes longer is
 * filled while everything else goes on. Small tables are waited for, large ones hardly.
 */
const SMALL_MS = 10_000
const LARGE_MS = 300
/** Tables of which devices have nothing yet: they come whole at a later checkpoint, and no device misses rows meanwhile. */
const NEW_MS = 500

/** Part of the time without a hold that is given back: after a minute, a change may be waited for as long as ever. */
const REGAINED = SMALL_MS / 60_000

/** How long checkpoints may still wait for tables that are being read. One change of the schema after another must not hold them for as long as that goes on. */
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
}

/** @param now - a clock that never goes back, in milliseconds */
export function createHoldBudget(now: () => number): HoldBudget {
  let leftMs = SMALL_MS
  let changedAt = now()
  let isHeld = false

  function settle(): void {
    const elapsed = now() - changedAt
    changedAt += elapsed
    leftMs = Math.min(SMALL_MS, Math.max(0, leftMs + (isHeld ? -elapsed : elapsed * REGAINED)))
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
  }
}
