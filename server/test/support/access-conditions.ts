import type { createRandom } from '@holdfast/test-support'

// Conditions of access rules: what they mean, and random ones.

export type Value = string | number | boolean | null
export type Row = Readonly<Record<string, Value>>
type Order = 'more_than' | 'at_least' | 'less_than' | 'at_most'
export interface Condition {
  readonly field: string
  readonly is: 'one_of' | 'none_of' | 'empty' | 'filled' | 'contains' | Order
  readonly values?: readonly string[]
  readonly zone?: string
}
export type Conditions = readonly (Condition | { readonly any: readonly Condition[] })[]

/** The zone of days that are counted from today. */
export const ZONE = 'Pacific/Auckland'
export const dayIn = (zone: string, days = 0): string =>
  new Intl.DateTimeFormat('sv', { timeZone: zone }).format(new Date(Date.now() + days * 86_400_000))

function meets({ field, is, values: [first = '', ...more] = [] }: Condition, row: Row): boolean {
  const value = row[field] ?? null
  const isEmpty = value === null || value === ''
  if (is === 'empty') return isEmpty
  if (is === 'filled') return !isEmpty
  if (is === 'one_of' || is === 'none_of') {
    const isListed = [first, ...more].some((one) =>
      field === 'price' && value !== null ? Number(one) === value : one === String(value),
    )
    return isListed === (is === 'one_of')
  }
  if (value === null) return false
  if (is === 'contains') return String(value).toLowerCase().includes(first.toLowerCase())
  const [, days = '0'] = /^today(.*)$/.exec(first) ?? []
  const comparable = (one: string): number | string =>
    field === 'n' || field === 'price' ? Number(one) : field === 'seen_at' ? Date.parse(one) : one
  const [left, right] = [
    comparable(String(value)),
    first.startsWith('today') ? dayIn(ZONE, Number(days)) : comparable(first),
  ]
  if (is === 'more_than') return left > right
  if (is === 'at_least') return left >= right
  return is === 'less_than' ? left < right : left <= right
}

export const meetsAll = (when: Conditions, row: Row): boolean =>
  when.every((one) => ('any' in one ? one.any.some((each) => meets(each, row)) : meets(one, row)))

const conditionsIn = (when: Conditions): readonly Condition[] => when.flatMap((one) => ('any' in one ? one.any : [one]))

/** Whether devices leave a condition to the server: it depends on today, or on letters whose case depends on the locale. */
export function isLeftToServer(when: Conditions, rows: readonly (Row | undefined)[]): boolean {
  return conditionsIn(when).some(({ is, values: [first = ''] = [] }) =>
    is === 'contains' ? rows.some((row) => /[^ -~]/.test(String(row?.['title'] ?? ''))) : first.startsWith('today'),
  )
}

interface Draw {
  readonly random: ReturnType<typeof createRandom>
  /** Random values by field. */
  readonly values: Readonly<Record<string, () => Value>>
}

const ORDERS = ['more_than', 'at_least', 'less_than', 'at_most'] as const
const ORDERED = ['n', 'day', 'price', 'seen_at']

/** A comparison by order, or of parts of texts. */
function randomComparison({ random, values }: Draw): Condition | undefined {
  const pick = <T>(list: readonly T[]): T => random.pick(list)
  const field = pick(['title', ...ORDERED])
  if (field === 'title') return { field, is: 'contains', values: [pick(['A', 'b', 'PR', '_%', 'it’s'])] }
  const is = pick(ORDERS)
  if (field === 'day' && random.chance(0.5))
    return { field, is, values: [pick(['today', 'today+1', 'today-1', 'today+400'])], zone: ZONE }
  const value = values[field]?.() ?? null
  if (value === null) return undefined
  return { field, is, values: [field === 'seen_at' ? new Date(String(value)).toISOString() : String(value)] }
}

function randomCondition(draw: Draw): Condition {
  const { random, values } = draw
  const pick = <T>(list: readonly T[]): T => random.pick(list)
  const compared = random.chance(0.5) ? randomComparison(draw) : undefined
  if (compared) return compared
  const field = pick(Object.keys(values))
  const is = pick(['one_of', 'none_of', 'empty', 'filled'] as const)
  if (is === 'empty' || is === 'filled' || field === 'seen_at') return { field, is: pick(['empty', 'filled']) }
  const value = (): string[] => [values[field]?.() ?? null].filter((one) => one !== null && one !== '').map(String)
  const compare = [...new Set([...value(), ...value()])]
  return compare.length === 0 ? { field, is: 'filled' } : { field, is, values: compare }
}

/** Up to two conditions, of which each may have alternatives. */
export function randomConditions(draw: Draw): Conditions {
  const { random } = draw
  return Array.from({ length: random.pick([0, 0, 1, 2]) }, () =>
    random.chance(0.3)
      ? { any: [randomCondition(draw), randomCondition(draw), randomCondition(draw)] }
      : randomCondition(draw),
  )
}

/** Conditions that are no rule, with the hint of the refusal. */
export const REFUSED_CONDITIONS: readonly (readonly [string, object])[] = [
  ['access.field', { field: 'nothing', is: 'empty' }],
  ['access.condition', { field: 'state', is: '= any' }],
  ['access.condition', { field: 'seen_at', is: 'one_of', values: ['2026-01-01T00:00:00Z'] }],
  ['access.condition', { field: 'state', is: 'more_than', values: ['1'] }],
  ['access.condition', { field: 'n', is: 'contains', values: ['1'] }],
  ['access.condition', { field: 'seen_at', is: 'less_than', values: ['today'] }],
  ['access.condition', { field: 'n', is: 'empty', sql: 'true' }],
  ['access.condition', { any: [] }],
  ['access.condition', { any: [{ field: 'n', is: 'empty' }], field: 'n' }],
  ['access.condition', { any: Array.from({ length: 9 }, () => ({ field: 'n', is: 'empty' })) }],
  ['access.condition', { any: [{ field: 'n', is: 'empty' }, { any: [{ field: 'n', is: 'empty' }] }] }],
  ['access.values', { field: 'n', is: 'more_than', values: ['1', '2'] }],
  ['access.values', { field: 'n', is: 'more_than', values: ['1.5'] }],
  ['access.values', { field: 'price', is: 'more_than', values: ['NaN'] }],
  ['access.values', { field: 'seen_at', is: 'more_than', values: ['2026-01-01T00:00:00'] }],
  ['access.values', { field: 'day', is: 'one_of', values: ['today'] }],
  ['access.zone', { field: 'day', is: 'less_than', values: ['today'], zone: 'Middle/Earth' }],
  ['access.zone', { field: 'day', is: 'less_than', values: ['today'], zone: "UTC') or (true" }],
  ['access.values', { field: 'state', is: 'one_of', values: [] }],
  ['access.values', { field: 'state', is: 'one_of', values: ['a\\'] }],
  ['access.values', { field: 'n', is: 'one_of', values: ['1) or (true'] }],
  ['access.values', { field: 'n', is: 'one_of', values: ['9999999999999999'] }],
  ['access.values', { field: 'day', is: 'one_of', values: ['2026-02-30'] }],
  ['access.values', { field: 'is_urgent', is: 'one_of', values: ['maybe'] }],
]

export type Command = 'see' | 'add' | 'change' | 'delete'
export interface Rule {
  readonly role: 'viewer' | 'commenter' | 'editor'
  readonly scope: 'all' | 'own' | 'assigned' | 'team'
  readonly field?: string
  readonly when?: Conditions
}
export type Rules = Readonly<Record<Command, readonly Rule[]>>

/** Editors change what is assigned to them. */
export const EDITORS: Rules = {
  see: [{ role: 'viewer', scope: 'all' }],
  add: [{ role: 'editor', scope: 'all' }],
  change: [{ role: 'editor', scope: 'assigned', field: 'assignee_id' }],
  delete: [],
}

const RANKS = ['viewer', 'commenter', 'editor', 'admin', 'owner']
export const rankOf = (role: string | undefined): number => RANKS.indexOf(role ?? '')

/** An attempt to add, change or delete a record. */
export interface Tried {
  readonly before?: Row
  readonly after?: Row
  readonly changed?: string
}

/** A row as devices store it. */
export const local = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === 'boolean' ? Number(value) : value]),
  )
