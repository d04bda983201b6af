import { choiceLooks } from './choice-looks.ts'
import { dayOf, momentOf } from './dates.ts'
import type { Field, FieldValue } from './field.ts'

/** Names of fields by whose day something has to be done. */
const DUE_NAME = /(^|_)(due|deadline|expires?|expiry)(_|$)/

/**
 * Finds out which records of a table are late: the day in its field for that has passed, and its state is none that ends the work.
 *
 * @param today - `YYYY-MM-DD`
 * @returns for a record the name of the field that says so, or `undefined`
 */
export function latenessOf(
  fields: readonly Field[],
  today: string,
): (row: Readonly<Record<string, FieldValue>>) => string | undefined {
  const due = fields.find(({ kind, name }) => (kind === 'date' || kind === 'datetime') && DUE_NAME.test(name))
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

/** Words that lifecycles end with, in all domains. */
function isEnd(state: FieldValue): boolean {
  return state !== null && ['check', 'cross'].includes(choiceLooks(String(state)).glyph)
}
