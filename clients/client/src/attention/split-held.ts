import { addUnplaced, dependenceOn, openRecordsOf, type DependencyRules } from '../queue/depends-on.ts'
import type { QueuedTransaction } from '../queue/queued-transaction.ts'
import type { RejectedChange } from './attention-item.ts'

/** The changes that wait for a refused one, oldest first, by what becomes of them when it is given up. */
export interface HeldChanges {
  /** They are sent: they only come after it. */
  readonly free: readonly QueuedTransaction[]
  /** They go with it: they need a record that is not there without it. */
  readonly needing: readonly QueuedTransaction[]
}

export function splitHeld(
  item: RejectedChange,
  waiting: readonly QueuedTransaction[],
  rules: DependencyRules,
): HeldChanges {
  const open = openRecordsOf([{ operations: item.operations, verdict: item.verdict }])
  const free: QueuedTransaction[] = []
  const needing: QueuedTransaction[] = []
  for (const transaction of waiting) {
    if (dependenceOn(transaction.operations, open, rules) === 'record') {
      needing.push(transaction)
      addUnplaced(open, transaction)
    } else {
      free.push(transaction)
    }
  }
  return { free, needing }
}
