import { KEYS_HOLD_MS_MAX } from '../limits.ts'

/** Whether the keys of a session hold at the newest checkpoint. */
export interface KeyValidity {
  readonly isStale: boolean
  /** Transactions that may have changed the keys and that no evaluation is known to have seen. */
  readonly unseenTransactions: readonly number[]
}

const NO_TRANSACTIONS: readonly number[] = []

// Shared by all sessions.
const VALID: KeyValidity = { isStale: false, unseenTransactions: NO_TRANSACTIONS }
/** Keys that were never evaluated, or that the clock or a lost connection has made doubtful. */
export const STALE: KeyValidity = { isStale: true, unseenTransactions: NO_TRANSACTIONS }

/** Something other than a transaction may have changed the keys. */
export function invalidate(validity: KeyValidity): KeyValidity {
  if (validity.isStale) return validity
  return STALE
}

/** Transactions have changed what the keys depend on. */
export function afterTransactions({ unseenTransactions }: KeyValidity, xids: readonly number[]): KeyValidity {
  return {
    isStale: true,
    unseenTransactions: unseenTransactions.length === 0 ? xids : [...unseenTransactions, ...xids],
  }
}

/** The keys were evaluated. @param unseen - of the transactions that concern them, those that the evaluation has not seen */
export function afterEvaluation(unseen: readonly number[]): KeyValidity {
  return unseen.length === 0 ? VALID : { isStale: true, unseenTransactions: unseen }
}

/** Tells when keys have to be evaluated again because of the clock. */
export class KeyTimer {
  readonly #onDue: () => void
  #timer: NodeJS.Timeout | undefined

  constructor(onDue: () => void) {
    this.#onDue = onDue
  }

  /** @param ms - until then the keys hold; `undefined`: the clock does not change them */
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
