import { addUnplaced, dependenceOn, openRecordsOf, type DependencyRules } from '../queue/depends-on.ts'
import type { QueuedTransaction } from '../queue/queued-transaction.ts'
import type { RejectedChange } from './attention-item.ts'

/** The changes held by a rejected one, oldest first, by their fate if it is discarded. */
export interface HeldChanges {
  /** Sent, because they merely follow it. */
  readonly free: readonly QueuedTransaction[]
  /** Discarded, because they need a record that only it creates. */
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
