import type { WriteRefusal } from '@holdfast/client'
import { rightMessages as words } from '../../messages/rights.ts'
import { labelOfName } from '../data/column-words.ts'
import type { Field, FieldValue } from '../fields/field.ts'
import { choiceWords } from '../fields/format-value.ts'
import { formatAlternatives } from '../format.ts'
import type { RecordRights } from './record-rights.ts'

/** Display labels of a column and its choices. */
export type WordedField = Pick<Field, 'name' | 'label'> & Partial<Pick<Field, 'choiceWords'>>

/**
 * Explains why a write is refused and who could do it, in the rule author's words if provided.
 *
 * @param fields - known fields of the table; labels of others are derived from their names
 */
export function refusalWords(refusal: WriteRefusal, fields: readonly WordedField[] = []): string {
  const labelOf = (column: string): string => fields.find(({ name }) => name === column)?.label ?? labelOfName(column)
  switch (refusal.reason) {
    case 'grant':
      return words.notGranted
    case 'transition':
      return transitionWords(refusal, labelOf(refusal.column), fields)
    case 'required':
      return refusal.columns.map((column) => words.required(labelOf(column))).join(' ')
    case 'check': {
      const { words: said, length, name } = refusal.check
      if (length !== undefined) return words.tooLong(refusal.check.columns.map(labelOf).join(', '), length)
      return said === undefined ? words.forbidden(name === undefined ? [] : [name]) : words.said(said)
    }
    default:
      return policyWords(refusal)
  }
}

function transitionWords(
  { column, from, next, words: said }: Extract<WriteRefusal, { reason: 'transition' }>,
  label: string,
  fields: readonly WordedField[],
): string {
  if (next === undefined) return words.said(said)
  const given = fields.find(({ name }) => name === column)?.choiceWords
  const listed = formatAlternatives(next.map((value) => choiceWords(value, given)))
  if (from === null) return next.length === 0 ? words.stays(label) : words.startsAs(label, listed)
  const now = choiceWords(from, given)
  return next.length === 0 ? words.staysAt(label, now) : words.goesOnTo(label, now, listed)
}

/** Number of fields from which a common reason is shown once. */
const TOGETHER_MIN = 3

/** Returns the reason shared by most read-only fields, if several; it is then shown once. */
export function commonRefusal({ fields }: Pick<RecordRights, 'fields'>): string | undefined {
  const byReason = Map.groupBy(fields.values(), (refusal) => refusalWords(refusal))
  const [common] = [...byReason].toSorted(([, a], [, b]) => b.length - a.length)
  return common && common[1].length >= TOGETHER_MIN ? common[0] : undefined
}

function policyWords({ policies, reason }: Extract<WriteRefusal, { policies: unknown }>): string {
  const said = policies.map((policy) => policy.words).filter((text) => text !== undefined)
  if (said.length === policies.length && said.length > 0) return said.map((text) => words.said(text)).join(' ')
  const names = policies.map(({ name }) => name)
  if (reason === 'restriction') return words.forbidden(names)
  return names.length === 0 ? words.nobody : words.others(names)
}

/**
 * Explains why choices are missing from a field's list; the current one stays. A transition's sentence names those that are left, so it names no others.
 * `undefined` if none is missing.
 */
export function notOfferedWords(
  field: WordedField,
  value: FieldValue,
  refusedChoices: ReadonlyMap<string, WriteRefusal> | undefined,
): string | undefined {
  const refused = [...(refusedChoices ?? [])].filter(([choice]) => choice !== value)
  if (refused.length === 0) return undefined
  const byReason = Map.groupBy(refused, ([, refusal]) => refusalWords(refusal, [field]))
  return [...byReason]
    .map(([reason, list]) =>
      list.every(([, refusal]) => refusal.reason === 'transition' && refusal.next !== undefined)
        ? reason
        : words.notOffered(
            list.map(([choice]) => choiceWords(choice, field.choiceWords)),
            reason,
          ),
    )
    .join(' ')
}
