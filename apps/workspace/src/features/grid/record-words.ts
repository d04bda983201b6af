import { type Field, isPerson } from '../../lib/fields/field.ts'
import type { FieldKind } from '../../lib/fields/field-kind.ts'
import { formatValue } from '../../lib/fields/format-value.ts'
import { isCoordinate } from '../../lib/records/located-tables.ts'
import { LABEL_PREFIX } from './query/grid-query.ts'
import type { GridRow } from './window-cache.ts'

/** A value of a row as a person reads it; empty if it has none. */
export function textOf(row: GridRow, field: Field): string {
  return formatValue(field, row[field.name] ?? null, row[LABEL_PREFIX + field.name])
}

/** What a record is called: its title, else the first part of its id. */
export function titleOf(row: GridRow, fields: readonly Field[]): string {
  const field = fields.find(({ isTitle }) => isTitle) ?? fields[0]
  const text = field ? textOf(row, field) : ''
  return text === '' ? row.id.slice(0, 8) : text
}

/** Kinds of fields that say something of a record in one word or two, the most telling first. */
const FACT_KINDS: readonly FieldKind[] = ['date', 'text', 'link', 'choice', 'number', 'integer', 'datetime']

export interface Fact {
  readonly name: string
  readonly label: string
  readonly text: string
  readonly isOfPerson: boolean
}

const isFact = ({ isTitle, kind, name }: Field): boolean => !isTitle && FACT_KINDS.includes(kind) && !isCoordinate(name)

/** Fields that say something of a record in a few words besides its title, the most telling first. */
export function factFields(fields: readonly Field[], without: readonly Field[]): readonly Field[] {
  return fields
    .filter((field) => isFact(field) && !without.includes(field))
    .toSorted((a, b) => FACT_KINDS.indexOf(a.kind) - FACT_KINDS.indexOf(b.kind))
}

/** The most telling values of a record besides its title; `without` has fields that are said otherwise. */
export function factsOf(
  row: GridRow,
  fields: readonly Field[],
  without: readonly Field[],
  max: number,
): readonly Fact[] {
  return factFields(fields, without)
    .map((field) => ({ name: field.name, label: field.label, text: textOf(row, field), isOfPerson: isPerson(field) }))
    .filter(({ text }) => text !== '')
    .slice(0, max)
}

/** The choice that says where a record stands; else its first one. What type a file has says nothing of it. */
export function stateFieldOf(fields: readonly Field[]): Field | undefined {
  const choices = fields.filter(({ kind, name }) => kind === 'choice' && name !== 'media_type')
  return choices.find(({ name }) => name === 'state' || name === 'status') ?? choices[0]
}
