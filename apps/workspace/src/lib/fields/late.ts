import { finishedStatesOf } from '@holdfast/protocol'
import { momentOf } from './dates.ts'
import type { Field, FieldValue } from './field.ts'

/** The clock of the workspace: its day, `YYYY-MM-DD`, and the time in ms since the epoch. */
export interface Clock {
  readonly today: string
  readonly now: number
}

/**
 * Returns a function that detects late records: not finished, and due at a time that has passed, or on a day that is over.
 *
 * @returns the name of the due field, or `undefined`
 */
export function latenessOf(
  fields: readonly Field[],
  clock: Clock,
): (row: Readonly<Record<string, FieldValue>>) => string | undefined {
  const due = fields.find(({ use }) => use === 'due')
  const state = fields.find(({ use }) => use === 'state')
  const finished = state ? finishedStatesOf(state.column) : []
  return (row) => {
    if (!due || !isOver(due, row[due.name] ?? null, clock)) return undefined
    // Options made in the app keep the capitals that users give them.
    return state && finished.includes(String(row[state.name]).toLowerCase()) ? undefined : due.name
  }
}

function isOver({ kind }: Field, value: FieldValue, { today, now }: Clock): boolean {
  if (value === null || value === '') return false
  if (kind === 'date') return String(value) < today
  const at = momentOf(String(value))
  return at !== undefined && at.getTime() < now
}
