import type { AutomationCondition } from '@holdfast/protocol'
import { tableRulesMessages as words } from '../../messages/table-rules.ts'
import type { Field } from './field.ts'
import { choiceWords } from './format-value.ts'

/** A condition of rules and automations. */
export type Condition = AutomationCondition

/** Values that a condition can offer for the field. */
export function valuesOf({ kind, choices, choiceWords: given }: Field): readonly { value: string; label: string }[] {
  if (kind === 'boolean')
    return [
      { value: 'true', label: words.yes },
      { value: 'false', label: words.no },
    ]
  return choices.map((value) => ({ value, label: choiceWords(value, given) }))
}

const TYPED_COLUMNS: ReadonlySet<string> = new Set(['text', 'bigint', 'integer', 'smallint', 'date'])

/** Whether a condition can compare the field with a typed value. Any other field can be empty or filled. */
export function isTyped({ column, link, choices }: Field): boolean {
  return link === undefined && choices.length === 0 && TYPED_COLUMNS.has(column.type)
}

/** A first condition for the field. */
export function startOf(field: Field): Condition {
  const [first] = valuesOf(field)
  return first ? { field: field.name, is: 'one_of', values: [first.value] } : { field: field.name, is: 'filled' }
}

/** A condition in words: `State is not Done or Blocked`. */
export function conditionWords({ field, is, values = [] }: Condition, fields: readonly Field[]): string {
  const found = fields.find(({ name }) => name === field)
  const known = found ? valuesOf(found) : []
  const listed = values.map((value) => known.find((one) => one.value === value)?.label ?? value)
  return [found?.label ?? field, words.tests[is], words.or(listed)].filter((part) => part !== '').join(' ')
}
