import { type Field, isPerson } from '../../lib/fields/field.ts'
import type { FieldKind } from '../../lib/fields/field-kind.ts'
import { formatValue } from '../../lib/fields/format-value.ts'
import { isCoordinate } from '../../lib/fields/located-tables.ts'
import { LABEL_PREFIX } from './query/grid-query.ts'
import type { GridRow } from './window-cache.ts'

/** Returns a row's value as displayed; empty if there is none. */
export function textOf(row: GridRow, field: Field): string {
  return formatValue(field, row[field.name] ?? null, row[LABEL_PREFIX + field.name])
}

/** Returns a record's title, or else the first part of its id. */
export function titleOf(row: GridRow, fields: readonly Field[]): string {
  const field = fields.find(({ isTitle }) => isTitle) ?? fields[0]
  const text = field ? textOf(row, field) : ''
  return text === '' ? row.id.slice(0, 8) : text
}

/** Field kinds that describe a record in a word or two, most informative first. */
const FACT_KINDS: readonly FieldKind[] = ['date', 'text', 'link', 'choice', 'number', 'integer', 'datetime']

export interface Fact {
  readonly name: string
  readonly label: string
  readonly text: string
  readonly isOfPerson: boolean
}

/** Whether a field is a position or half of one, which maps show. */
export function isPlace({ name, format }: Field): boolean {
  return isCoordinate(name) || format?.format.kind === 'location'
}

const isFact = (field: Field): boolean => !field.isTitle && FACT_KINDS.includes(field.kind) && !isPlace(field)

/** Returns the fields that describe a record briefly besides its title, most informative first. */
export function factFields(fields: readonly Field[], without: readonly Field[]): readonly Field[] {
  return fields
    .filter((field) => isFact(field) && !without.includes(field))
    .toSorted((a, b) => FACT_KINDS.indexOf(a.kind) - FACT_KINDS.indexOf(b.kind))
}

/** Returns the most informative values of a record besides its title. `without`: fields shown elsewhere. */
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

/** Returns the choice field that holds a record's state, or else its first choice field. A file's media type does not count. */
export function stateFieldOf(fields: readonly Field[]): Field | undefined {
  const choices = fields.filter(({ kind, name }) => kind === 'choice' && name !== 'media_type')
  return choices.find(({ use }) => use === 'state') ?? choices[0]
}
