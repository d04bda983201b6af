import { KEYS_HOLD_MS_MAX } from '../limits.ts'

/** Whether a session's keys are valid at the newest checkpoint. */
export interface KeyValidity {
  readonly isStale: boolean
  /** Transactions that may have changed the keys and that no evaluation is known to have seen. */
  readonly unseenTransactions: readonly number[]
}

const NO_TRANSACTIONS: readonly number[] = []

// Shared by all sessions.
const VALID: KeyValidity = { isStale: false, unseenTransactions: NO_TRANSACTIONS }
/** Keys that were never evaluated, or may be outdated because of the clock or a lost connection. */
export const STALE: KeyValidity = { isStale: true, unseenTransactions: NO_TRANSACTIONS }

/** Marks keys as possibly changed by something other than a transaction. */
export function invalidate(validity: KeyValidity): KeyValidity {
  if (validity.isStale) return validity
  return STALE
}

/** Marks keys as possibly changed by transactions. */
export function afterTransactions({ unseenTransactions }: KeyValidity, xids: readonly number[]): KeyValidity {
  return {
    isStale: true,
    unseenTransactions: unseenTransactions.length === 0 ? xids : [...unseenTransactions, ...xids],
  }
}

/** The state after an evaluation. @param unseen - transactions that concern the keys and that the evaluation has not seen */
export function afterEvaluation(unseen: readonly number[]): KeyValidity {
  return unseen.length === 0 ? VALID : { isStale: true, unseenTransactions: unseen }
}

/** Determines when keys must be evaluated again because of the clock. */
export class KeyTimer {
  readonly #onDue: () => void
  #timer: NodeJS.Timeout | undefined

  constructor(onDue: () => void) {
    this.#onDue = onDue
  }

  /** @param ms - how long the keys are valid; `undefined` if the clock does not affect them */
  set(ms: number | undefined): void {
    clearTimeout(this.#timer)
    if (ms === undefined) return
    this.#timer = setTimeout(this.#onDue, Math.min(Math.max(0, Math.ceil(ms)) + 1, KEYS_HOLD_MS_MAX))
    this.#timer.unref()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}
