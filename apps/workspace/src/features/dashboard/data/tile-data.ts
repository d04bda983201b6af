import type { DateStep } from '@holdfast/protocol'
import type { Field, FieldValue } from '../../../lib/fields/field.ts'
import { choiceLooks } from '../../../lib/fields/choice-looks.ts'
import { formatValue } from '../../../lib/fields/format-value.ts'
import { pageLocale } from '../../../lib/language.ts'
import type { PaletteColour } from '../../../lib/palette.ts'
import { dashboardMessages as words } from '../../../messages/dashboard.ts'
import { bucketLabel, bucketsBetween, bucketTick, isBucket } from './date-buckets.ts'
import type { GroupBy, TileQuery, TileRow } from './tile-sql.ts'

/** Groups that a chart shows. */
export const CATEGORIES_MAX = 12
export const BUCKETS_MAX = 60
export const LINE_BUCKETS_MAX = 400
/** Parts of a stacked bar. */
export const PARTS_MAX = 8

/** A group of a chart, or a part of its bars. */
export interface Group {
  readonly id: string
  /** NULL: no value, or the rest. */
  readonly key: FieldValue
  readonly kind: 'value' | 'empty' | 'rest'
  readonly label: string
  /** Shorter, for an axis. */
  readonly tick: string
  readonly colour: PaletteColour
}

export interface Cell {
  /** NULL: no records have a value. */
  readonly value: number | null
  readonly records: number
}

/** What a chart shows. */
export interface ChartData {
  readonly groups: readonly Group[]
  /** One, without a name, unless stacked. */
  readonly parts: readonly Group[]
  /** By group, then by part. */
  readonly cells: readonly (readonly Cell[])[]
  /** Whether the groups are spans of time, in order. */
  readonly isTime: boolean
  /** Groups that the rest stands for. */
  readonly hidden: number
}

/** Colours of parts without one of their own, apart in hue and lightness. */
const COLOURS = [
  'blue',
  'amber',
  'teal',
  'pink',
  'olive',
  'violet',
  'coral',
  'brown',
] as const satisfies readonly PaletteColour[]
const NOTHING: Cell = { value: null, records: 0 }

/** Arranges the rows of a query: choices in their order, time in its own, other groups by size; then those without a value, then the rest. */
export function chartData(query: TileQuery, rows: readonly TileRow[]): ChartData {
  const { group, stack } = query
  if (!group) throw new Error('a chart has groups')
  const isAdded = query.measure.kind === 'count' || query.measure.kind === 'sum'
  const none: Cell = isAdded ? { value: 0, records: 0 } : NOTHING
  const groups = arrange(
    group,
    rows.map((row) => ({ key: row.k, isRest: row.ko === 1, label: row.kl, row })),
    query.groupsMax,
  )
  const parts = stack
    ? arrange(
        stack,
        rows.map((row) => ({ key: row.s, isRest: row.so === 1, label: row.sl, row })),
        query.partsMax,
      )
    : [{ id: '', key: null, kind: 'value', label: '', tick: '', colour: 'blue' } satisfies Group]
  const cells = new Map(
    rows.map((row) => [
      `${idOf(row.k, row.ko === 1)}\0${stack ? idOf(row.s, row.so === 1) : ''}`,
      { value: row.v, records: row.n },
    ]),
  )
  return {
    groups,
    parts: parts.map((part, index) => ({ ...part, colour: partColour(stack, part, index) })),
    cells: groups.map(({ id }) => parts.map((part) => cells.get(`${id}\0${part.id}`) ?? none)),
    isTime: isTime(group),
    hidden: Math.max(0, (rows[0]?.groups ?? 0) - query.groupsMax),
  }
}

function isTime({ field }: GroupBy): boolean {
  return field.kind === 'date' || field.kind === 'datetime'
}

function partColour(stack: GroupBy | undefined, part: Group, index: number): PaletteColour {
  if (part.kind !== 'value') return 'slate'
  return stack?.field.kind === 'choice' ? part.colour : (COLOURS[index % COLOURS.length] ?? 'blue')
}

interface Found {
  readonly key: FieldValue
  readonly isRest: boolean
  readonly label: FieldValue
  readonly row: TileRow
}

function arrange(by: GroupBy, found: readonly Found[], max: number): readonly Group[] {
  const known = new Map<string, { readonly one: Found; readonly size: number }>()
  for (const one of found) {
    const id = idOf(one.key, one.isRest)
    const size = (known.get(id)?.size ?? 0) + Math.abs(one.row.v ?? 0)
    known.set(id, { one, size })
  }
  const all = [...known.values()]
  const filled = all.filter(({ one }) => one.key !== null && !one.isRest)
  const hasRest = all.some(({ one }) => one.isRest)
  const values = orderedKeys(by, filled, hasRest ? 0 : max).map(({ key, label }) => groupOf(by, key, label))
  const empty = all.some(({ one }) => one.key === null && !one.isRest) ? [special('empty', words.noValue)] : []
  const rest = hasRest ? [special('rest', isTime(by) ? words.earlier : words.others)] : []
  return isTime(by) ? [...rest, ...values, ...empty] : [...values, ...empty, ...rest]
}

type Sized = { readonly one: Found; readonly size: number }
type Keyed = { readonly key: FieldValue; readonly label: FieldValue }

/** @param room - groups that may be added without records; 0 if some are in the rest */
function orderedKeys(by: GroupBy, filled: readonly Sized[], room: number): readonly Keyed[] {
  const { field } = by
  const keyed = filled.map(({ one, size }) => ({ key: one.key, label: one.label, size }))
  if (isTime(by)) return timeKeys(by.by ?? 'month', keyed, room)
  const declared: readonly FieldValue[] =
    field.kind === 'boolean' ? [1, 0] : field.kind === 'choice' ? field.choices : []
  if (declared.length === 0)
    return keyed.toSorted((a, b) => b.size - a.size || nameOf(by, a).localeCompare(nameOf(by, b), pageLocale()))
  const shown = declared.length <= room ? declared : declared.filter((key) => keyed.some((one) => one.key === key))
  return [...shown.map((key) => ({ key, label: null })), ...keyed.filter(({ key }) => !declared.includes(key))]
}

/** Returns spans of time without gaps, where they are not too many. */
function timeKeys(step: DateStep, keyed: readonly Keyed[], room: number): readonly Keyed[] {
  const days = keyed.flatMap(({ key }) => (isBucket(key) ? [key] : [])).toSorted()
  const others = keyed.filter(({ key }) => !isBucket(key))
  const [first, last] = [days[0], days.at(-1)]
  const all =
    first !== undefined && last !== undefined ? bucketsBetween(step, first, last, Math.max(room, 2 * days.length)) : []
  return [...(all ?? days).map((key) => ({ key, label: null })), ...others]
}

function nameOf(by: GroupBy, { key, label }: Keyed): string {
  const { field } = by
  if (isTime(by)) return isBucket(key) ? bucketLabel(by.by ?? 'month', key, pageLocale(), words.weekOf) : String(key)
  return formatValue(field, field.link === undefined && label !== null ? label : key, label)
}

function groupOf(by: GroupBy, key: FieldValue, label: FieldValue): Group {
  const name = nameOf(by, { key, label })
  const tick = isTime(by) && isBucket(key) ? bucketTick(by.by ?? 'month', key, pageLocale()) : name
  const colour =
    by.field.kind === 'choice'
      ? choiceLooks(String(key), by.field.choices, by.field.choiceWords.colours).colour
      : 'blue'
  return { id: idOf(key, false), key, kind: 'value', label: name, tick, colour }
}

function special(kind: 'empty' | 'rest', label: string): Group {
  return { id: idOf(null, kind === 'rest'), key: null, kind, label, tick: label, colour: 'slate' }
}

function idOf(key: FieldValue, isRest: boolean): string {
  return isRest ? 'rest' : key === null ? 'empty' : `=${key}`
}

/** Formats a value of a measure: whole numbers for counts, as the field is formatted otherwise. */
export function measureText(
  field: Field | undefined,
  kind: TileQuery['measure']['kind'],
  value: number | null,
  locale: string = pageLocale(),
): string {
  if (value === null) return '–'
  if (!field || kind === 'count') return value.toLocaleString(locale)
  const [, scale] = /\(\d+,\s*(\d+)\)/.exec(field.column.type) ?? []
  const own = field.kind === 'integer' ? 0 : Number(scale ?? 2)
  const digits = kind === 'average' ? Math.max(own, 1) : own
  if (field.format) return field.format.show(String(Number(value.toFixed(digits))), locale)
  return value.toLocaleString(locale, { maximumFractionDigits: digits })
}
