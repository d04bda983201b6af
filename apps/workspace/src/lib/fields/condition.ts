import type { AutomationCondition, AutomationConditions } from '@holdfast/protocol'
import { tableRulesMessages as words } from '../../messages/table-rules.ts'
import { pageLocale } from '../language.ts'
import { formatDay, formatMomentText } from './dates.ts'
import type { Field } from './field.ts'
import { choiceWords } from './format-value.ts'
import { formatNumberText } from './numbers.ts'

/** A condition of rules and automations. */
export type Condition = AutomationCondition

/** All of them are required; in `any`, one. */
export type Conditions = AutomationConditions

/** Conditions of a rule or automation; the server has the same limit. */
export const CONDITIONS_MAX = 8

/** Whether all or any of the conditions are required; `mixed` for lists that only the API writes. */
export type Joint = 'all' | 'any' | 'mixed'

/** Returns the conditions of a list and how they are joined. */
export function readConditions(list: Conditions): { readonly joint: Joint; readonly conditions: readonly Condition[] } {
  const conditions = list.flatMap((one) => ('any' in one ? one.any : [one]))
  const groups = list.filter((one) => 'any' in one).length
  return { joint: groups === 0 ? 'all' : list.length === 1 ? 'any' : 'mixed', conditions }
}

export function writeConditions(joint: Joint, conditions: readonly Condition[]): Conditions {
  return joint === 'any' && conditions.length > 1 ? [{ any: conditions }] : conditions
}

/** Values that a condition can offer for the field. */
export function valuesOf({ kind, choices, choiceWords: given }: Field): readonly { value: string; label: string }[] {
  if (kind === 'boolean')
    return [
      { value: 'true', label: words.yes },
      { value: 'false', label: words.no },
    ]
  return choices.map((value) => ({ value, label: choiceWords(value, given) }))
}

/** What a typed value of the field is: its editor follows from it. */
export type TypedKind = 'text' | 'number' | 'day' | 'moment'

const TYPED: Readonly<Record<string, TypedKind>> = {
  text: 'text',
  bigint: 'number',
  integer: 'number',
  smallint: 'number',
  numeric: 'number',
  date: 'day',
  'timestamp with time zone': 'moment',
  timestamptz: 'moment',
}

/** Returns what a condition can compare the field with, if that is typed. Any field can be empty or filled. */
export function typedKindOf({ column, link, choices }: Field): TypedKind | undefined {
  return link === undefined && choices.length === 0 ? TYPED[column.type] : undefined
}

const ORDER = ['more_than', 'at_least', 'less_than', 'at_most'] as const

/** Comparisons that the field can have. */
export function testsOf(field: Field): readonly Condition['is'][] {
  const kind = typedKindOf(field)
  const isListed = valuesOf(field).length > 0
  return [
    ...(isListed || (kind !== undefined && kind !== 'moment') ? (['one_of', 'none_of'] as const) : []),
    ...(kind === 'text' ? (['contains'] as const) : []),
    ...(kind === undefined || kind === 'text' ? [] : ORDER),
    'empty',
    'filled',
  ]
}

/** A comparison in words: dates are before and after, numbers less and more. */
export function testWords(is: Condition['is'], field: Field | undefined): string {
  const kind = field && typedKindOf(field)
  return (kind === 'day' || kind === 'moment' ? words.timeTests : words.tests)[is]
}

/** A first condition for the field. */
export function startOf(field: Field): Condition {
  const [first] = valuesOf(field)
  return first ? { field: field.name, is: 'one_of', values: [first.value] } : { field: field.name, is: 'filled' }
}

/** A number of days from today: `today-3` is -3. Undefined for another value. */
export function daysFromToday(value: string | undefined): number | undefined {
  const [, days] = /^today([+-]\d{1,4})?$/.exec(value ?? '') ?? []
  return value?.startsWith('today') === true && (days !== undefined || value === 'today')
    ? Number(days ?? 0)
    : undefined
}

export function todayPlus(days: number): string {
  return days === 0 ? 'today' : `today${days > 0 ? '+' : '-'}${Math.abs(days)}`
}

function valueWords(value: string, field: Field | undefined): string {
  const known = field && valuesOf(field).find((one) => one.value === value)
  if (known) return known.label
  const days = daysFromToday(value)
  const kind = field && typedKindOf(field)
  if (kind === 'day') return days === undefined ? formatDay(value, pageLocale()) : words.today({ days })
  if (kind === 'moment') return formatMomentText(value, pageLocale())
  return kind === 'number' ? formatNumberText(value, pageLocale()) : value
}

/** A condition in words: `State is not Done or Blocked`. */
export function conditionWords({ field, is, values = [] }: Condition, fields: readonly Field[]): string {
  const found = fields.find(({ name }) => name === field)
  const listed = values.map((value) => valueWords(value, found))
  return [found?.label ?? field, testWords(is, found), words.or(listed)].filter((part) => part !== '').join(' ')
}

/** A list of conditions in words. */
export function conditionsWords(list: Conditions, fields: readonly Field[]): string {
  const isAlone = list.length === 1
  return list
    .map((one) => {
      if (!('any' in one)) return conditionWords(one, fields)
      const any = one.any.map((each) => conditionWords(each, fields)).join(` ${words.orElse} `)
      return isAlone || one.any.length < 2 ? any : `(${any})`
    })
    .join(` ${words.and} `)
}
