import type { AttentionVerdict } from '../queue/attention-verdict.ts'
import type { RejectedChange } from './attention-item.ts'

/** Changes that were refused for the same reason, oldest first: one decision may do for all. */
export interface ReasonGroup {
  /** The same for as long as there is a change of the group. */
  readonly key: string
  /** At least one. */
  readonly changes: readonly RejectedChange[]
}

/** Groups refused changes by table, kind of change and reason; a group stands where its oldest change does. */
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

/** What of a verdict is the same for every record: names of rules, not values. */
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
      // A rule that has a name says it in other words for each value; one without a name is its message.
      return [verdict.status, sqlstate, constraint ?? policies ?? column ?? message]
    }
    default:
      return verdict satisfies never
  }
}
