import type { ChoiceWords } from '../../lib/data/column-words.ts'
import type { Field, FieldValue } from '../../lib/fields/field.ts'
import { formatValue } from '../../lib/fields/format-value.ts'
import type { RecordValues } from '../../lib/records/record-change.ts'

/** The record's data in the header. */
export interface RecordFacts {
  readonly title: string
  /** The record's own state, such as `doing`, with its field's texts. */
  readonly choice:
    | { readonly choice: string; readonly among: readonly string[]; readonly words: ChoiceWords }
    | undefined
  /** Its number or code; empty if it has none. */
  readonly number: string
}

/** Characters of the id that identify a record without a title. */
const ID_SHOWN = 8

/** @param labels - titles of its links by field */
export function recordFacts(
  fields: readonly Field[],
  values: RecordValues,
  labels: ReadonlyMap<string, FieldValue>,
  id: string,
): RecordFacts {
  const text = (field: Field | undefined): string =>
    field ? formatValue(field, values[field.name] ?? null, labels.get(field.name)) : ''
  const title = text(fields.find(({ isTitle }) => isTitle))
  const state = fields.find(({ use }) => use === 'state')
  const choice = state && values[state.name]
  return {
    title: title === '' ? id.slice(0, ID_SHOWN) : title,
    choice:
      state && typeof choice === 'string' ? { choice, among: state.choices, words: state.choiceWords } : undefined,
    number: text(fields.find(({ name, isTitle }) => !isTitle && (name === 'number' || name === 'code'))),
  }
}
