import type { AttentionVerdict } from '../queue/attention-verdict.ts'
import type { RejectedChange } from './attention-item.ts'

/** Changes rejected for the same reason, oldest first, which one decision may resolve. */
export interface ReasonGroup {
  /** Stable while the group has changes. */
  readonly key: string
  /** At least one. */
  readonly changes: readonly RejectedChange[]
}

/** Groups rejected changes by table, operation and reason, ordered by their oldest change. */
export function groupByReason(changes: readonly RejectedChange[]): readonly ReasonGroup[] {
  const groups = new Map<string, RejectedChange[]>()
  for (const change of changes) {
    const key = JSON.stringify([change.table, change.op, ...reasonOf(change.verdict)])
    const group = groups.get(key)
    if (group) group.push(change)
    else groups.set(key, [change])
  }
  return [...groups].map(([key, own]) => ({ key, changes: own }))
}

/** Returns the part of a verdict shared by all records: rule names, not values. */
function reasonOf(verdict: AttentionVerdict): readonly unknown[] {
  switch (verdict.status) {
    case 'no_row':
      return [verdict.status]
    case 'conflict':
      return [verdict.status, Object.keys(verdict.current).toSorted()]
    case 'unexpected':
      return [verdict.status, verdict.httpStatus, verdict.code]
    case 'error': {
      const { sqlstate, constraint, policies, column, message } = verdict
      // A named rule phrases its message per value; an unnamed one is identified by its message.
      return [verdict.status, sqlstate, constraint ?? policies ?? column ?? message]
    }
    default:
      return verdict satisfies never
  }
}
