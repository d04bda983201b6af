import { choiceLooks } from './choice-looks.ts'
import { dayOf, momentOf } from './dates.ts'
import type { Field, FieldValue } from './field.ts'

/** Names of due date fields. */
const DUE_NAME = /(^|_)(due|deadline|expires?|expiry|faellig|frist)(_|$)/

/** Whether a field has the day until which something is to be done. */
export function isDue({ kind, name }: Pick<Field, 'kind' | 'name'>): boolean {
  return (kind === 'date' || kind === 'datetime') && DUE_NAME.test(name)
}

/**
 * Returns a function that detects overdue records: a due date has passed and the state is not final.
 *
 * @param today - `YYYY-MM-DD`
 * @returns the responsible field's name, or `undefined`
 */
export function latenessOf(
  fields: readonly Field[],
  today: string,
): (row: Readonly<Record<string, FieldValue>>) => string | undefined {
  const due = fields.find(isDue)
  const state = fields.find(({ kind, name }) => kind === 'choice' && (name === 'state' || name === 'status'))
  return (row) => {
    const day = due && dayIn(due, row[due.name] ?? null)
    if (due === undefined || day === undefined || day >= today) return undefined
    return state && isEnd(row[state.name] ?? null) ? undefined : due.name
  }
}

function dayIn({ kind }: Field, value: FieldValue): string | undefined {
  if (value === null || value === '') return undefined
  if (kind === 'date') return String(value)
  const at = momentOf(String(value))
  return at && dayOf(at)
}

/** Final state words common in lifecycles. */
function isEnd(state: FieldValue): boolean {
  return state !== null && ['check', 'cross'].includes(choiceLooks(String(state)).glyph)
}
