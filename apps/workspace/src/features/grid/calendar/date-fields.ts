import type { Field, FieldValue } from '../../../lib/fields/field.ts'
import { addDays, addDaysTo, dayOf, momentOf, startOfDay, toStoredMoment } from '../../../lib/fields/dates.ts'
import { isDay } from './calendar-days.ts'
import type { RecordValues } from '../../../lib/records/record-change.ts'
import type { GridRow } from '../window-cache.ts'

/** What a calendar goes by: one day, or from one day to another. */
export interface DateFields {
  readonly start: Field
  readonly end: Field | undefined
}

/** Fields that a calendar can go by, the most usual first: those that people set before those that the database keeps. */
export function dateFields(fields: readonly Field[]): readonly Field[] {
  return fields
    .filter(({ kind }) => kind === 'date' || kind === 'datetime')
    .toSorted((a, b) => Number(a.isSystem) - Number(b.isSystem) || rankOf(a) - rankOf(b))
}

function rankOf({ name }: Field): number {
  return /(^|_)(due|scheduled|planned|start)/.test(name) ? 0 : 1
}

/** @param setting - `field` or `start,end`. A field that is gone is replaced by the most usual one, or left out as an end */
export function dateFieldsOf(fields: readonly Field[], setting: string | undefined): DateFields | undefined {
  const usable = dateFields(fields)
  const [startName, endName] = (setting ?? '').split(',')
  const start = usable.find(({ name }) => name === startName) ?? usable[0]
  if (!start) return undefined
  const end = usable.find(({ name }) => name === endName)
  return { start, end: end === start ? undefined : end }
}

/** The day in the workspace of a stored day or moment. */
export function dayOfValue(field: Field, value: FieldValue): string | undefined {
  if (value === null) return undefined
  if (field.kind === 'date') return String(value)
  const at = momentOf(String(value))
  return at && dayOf(at)
}

/** The first moment of a day as the field stores it: every value of the day is that or later, and before that of the next day. */
export function boundOf(field: Field, day: string): string {
  if (field.kind === 'date') return day
  return toStoredMoment(startOfDay(day), hasZone(field))
}

/** What a record has after a move by whole days: a time of day stays as it is on the clock. */
export function movedBy({ start, end }: DateFields, row: GridRow, days: number): RecordValues {
  const fields = end === undefined || (row[end.name] ?? null) === null ? [start] : [start, end]
  return Object.fromEntries(fields.map((field) => [field.name, movedValue(field, row[field.name] ?? null, days)]))
}

function movedValue(field: Field, value: FieldValue, days: number): FieldValue {
  if (value === null) return null
  // `infinity` and days before Christ stay as they are.
  if (field.kind === 'date') return isDay(String(value)) ? addDays(String(value), days) : value
  const at = momentOf(String(value))
  return at ? toStoredMoment(addDaysTo(at, days), hasZone(field)) : value
}

function hasZone({ column }: Field): boolean {
  return column.type.includes('with time zone')
}
