import { FINISHED_STATES } from '@holdfast/protocol'
import { momentOf } from './dates.ts'
import type { Field, FieldValue } from './field.ts'

/** Names of due date fields, also those that the app gives to German labels. */
const DUE_NAME = /(^|_)(due|deadline|expires?|expiry|f(ae|ä|a)llig|frist)/

/** Whether a field has the day or time until which something is to be done. */
export function isDue({ kind, name }: Pick<Field, 'kind' | 'name'>): boolean {
  return (kind === 'date' || kind === 'datetime') && DUE_NAME.test(name)
}

/** Whether a field has the state of a record, which can mean that work is finished. */
export function isState({ kind, name }: Pick<Field, 'kind' | 'name'>): boolean {
  return kind === 'choice' && (name === 'state' || name === 'status')
}

/** Whether a state means that work is finished. Options made in the app keep the capitals that users give them. */
export function isFinishedState(state: FieldValue): boolean {
  return state !== null && FINISHED_STATES.includes(String(state).toLowerCase())
}

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
  const due = fields.find(isDue)
  const state = fields.find(isState)
  return (row) => {
    if (!due || !isOver(due, row[due.name] ?? null, clock)) return undefined
    return state && isFinishedState(row[state.name] ?? null) ? undefined : due.name
  }
}

function isOver({ kind }: Field, value: FieldValue, { today, now }: Clock): boolean {
  if (value === null || value === '') return false
  if (kind === 'date') return String(value) < today
  const at = momentOf(String(value))
  return at !== undefined && at.getTime() < now
}
