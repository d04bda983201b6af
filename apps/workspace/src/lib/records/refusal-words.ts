import type { WriteRefusal } from '@holdfast/client'
import { rightMessages as words } from '../../messages/rights.ts'
import { type ChoiceWords, labelOfName } from '../data/column-words.ts'
import type { FieldValue } from '../fields/field.ts'
import { choiceWords } from '../fields/format-value.ts'
import type { RecordRights } from './record-rights.ts'

/**
 * Why a write is refused, and who could: in the words of the rule where its author gave it any.
 *
 * @param labelOf - what people call a column
 */
export function refusalWords(refusal: WriteRefusal, labelOf: (column: string) => string = labelOfName): string {
  switch (refusal.reason) {
    case 'grant':
      return words.notGranted
    case 'transition':
      return refusal.words === '' ? words.stays(labelOf(refusal.column)) : refusal.words
    case 'required':
      return refusal.columns.map((column) => words.required(labelOf(column))).join(' ')
    case 'check': {
      const { words: said, length, name } = refusal.check
      if (length !== undefined) return words.tooLong(refusal.check.columns.map(labelOf).join(', '), length)
      return said ?? words.forbidden(name === undefined ? [] : [name])
    }
    default:
      return policyWords(refusal)
  }
}

/** Fields that one reason is said of together, rather than of each. */
const TOGETHER_MIN = 3

/** The reason that keeps most fields of a record as they are, if it is that of several; then it is said once. */
export function commonRefusal({ fields }: Pick<RecordRights, 'fields'>): string | undefined {
  const byReason = Map.groupBy(fields.values(), (refusal) => refusalWords(refusal))
  const [common] = [...byReason].toSorted(([, a], [, b]) => b.length - a.length)
  return common && common[1].length >= TOGETHER_MIN ? common[0] : undefined
}

function policyWords({ policies, reason }: Extract<WriteRefusal, { policies: unknown }>): string {
  const said = policies.map((policy) => policy.words).filter((text) => text !== undefined)
  if (said.length === policies.length && said.length > 0) return said.join(' ')
  const names = policies.map(({ name }) => name)
  if (reason === 'restriction') return words.forbidden(names)
  return names.length === 0 ? words.nobody : words.others(names)
}

/**
 * Which choices of a field are missing from its list, and why; the one that is set stays in it. `undefined`: none is missing.
 *
 * @param given - the words of the field's choices
 */
export function notOfferedWords(
  given: ChoiceWords | undefined,
  value: FieldValue,
  refusedChoices: ReadonlyMap<string, WriteRefusal> | undefined,
): string | undefined {
  const refused = [...(refusedChoices ?? [])].filter(([choice]) => choice !== value)
  if (refused.length === 0) return undefined
  const byReason = Map.groupBy(refused, ([, refusal]) => refusalWords(refusal))
  return [...byReason]
    .map(([reason, list]) =>
      words.notOffered(
        list.map(([choice]) => choiceWords(choice, given)),
        reason,
      ),
    )
    .join(' ')
}
