import type { Field, FieldValue } from '../../../lib/fields/field.ts'
import { addDays, addDaysTo, dayOf, momentOf, startOfDay, toStoredMoment } from '../../../lib/fields/dates.ts'
import { isDay } from './calendar-days.ts'
import type { RecordValues } from '../../../lib/records/record-change.ts'
import type { GridRow } from '../window-cache.ts'

/** The date fields of a calendar: a day, or a start and an end. */
export interface DateFields {
  readonly start: Field
  readonly end: Field | undefined
}

/** Returns the fields that a calendar can use, most likely first: those that users set before those that the database sets. */
export function dateFields(fields: readonly Field[]): readonly Field[] {
  return fields
    .filter(({ kind }) => kind === 'date' || kind === 'datetime')
    .toSorted((a, b) => Number(a.isSystem) - Number(b.isSystem) || rankOf(a) - rankOf(b))
}

function rankOf({ name }: Field): number {
  return /(^|_)(due|scheduled|planned|start)/.test(name) ? 0 : 1
}

/** @param setting - `field` or `start,end`. A missing start field is replaced by the most likely one; a missing end field is dropped */
export function dateFieldsOf(fields: readonly Field[], setting: string | undefined): DateFields | undefined {
  const usable = dateFields(fields)
  const [startName, endName] = (setting ?? '').split(',')
  const start = usable.find(({ name }) => name === startName) ?? usable[0]
  if (!start) return undefined
  const end = usable.find(({ name }) => name === endName)
  return { start, end: end === start ? undefined : end }
}

/** Converts a stored day or moment to a day in the workspace's time zone. */
export function dayOfValue(field: Field, value: FieldValue): string | undefined {
  if (value === null) return undefined
  if (field.kind === 'date') return String(value)
  const at = momentOf(String(value))
  return at && dayOf(at)
}

/** Returns the inclusive lower bound of a day, as the field stores it. Values of the day are below the next day's bound. */
export function boundOf(field: Field, day: string): string {
  if (field.kind === 'date') return day
  return toStoredMoment(startOfDay(day), hasZone(field))
}

/** Returns a record's values after a move by whole days. The local time of day stays the same. */
export function movedBy({ start, end }: DateFields, row: GridRow, days: number): RecordValues {
  const fields = end === undefined || (row[end.name] ?? null) === null ? [start] : [start, end]
  return Object.fromEntries(fields.map((field) => [field.name, movedValue(field, row[field.name] ?? null, days)]))
}

function movedValue(field: Field, value: FieldValue, days: number): FieldValue {
  if (value === null) return null
  // `infinity` and days before Christ stay unchanged.
  if (field.kind === 'date') return isDay(String(value)) ? addDays(String(value), days) : value
  const at = momentOf(String(value))
  return at ? toStoredMoment(addDaysTo(at, days), hasZone(field)) : value
}

function hasZone({ column }: Field): boolean {
  return column.type.includes('with time zone')
}
