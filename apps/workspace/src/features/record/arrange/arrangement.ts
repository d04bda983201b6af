import type { SchemaDescriptor } from '@holdfast/protocol'
import type { FieldLayout } from '../../../lib/data/arrange-fields.ts'
import { FIELDS_TABLE } from '../../../lib/data/fields-table.ts'
import type { FieldPlace, TableInfo } from '../../../lib/data/tables.ts'
import type { Field } from '../../../lib/fields/field.ts'
import { uuidV7 } from '../../../lib/fields/uuid-v7.ts'
import type { RecordChange, RecordValues } from '../../../lib/records/record-change.ts'
import { inOrder, placesIn } from '../record-sections.ts'

/** A part of the record page with its fields in order. */
export interface Part {
  readonly place: 'main' | 'beside' | 'bottom' | 'hidden'
  /** The heading of a section in the main part. */
  readonly title: string | undefined
  readonly fields: readonly string[]
}

const NOTHING: FieldLayout = new Map()
/** Distance between positions, so that rows written by hand fit in between. */
const STEP = 10

/** Returns a table's fields by current place: the main part and its sections, beside, bottom and hidden. Empty parts are included, empty sections are not. */
export function partsOf(
  fields: readonly Field[],
  schema: SchemaDescriptor,
  layout: FieldLayout = NOTHING,
): readonly Part[] {
  const found = placesIn(schema)
  const ordered = inOrder(fields, layout).map((field) => {
    const given = layout.get(field.name)
    const place = given?.isHidden ? ('hidden' as const) : (given?.place ?? found(field))
    return { name: field.name, place, title: place === 'main' ? given?.section : undefined }
  })
  const sections = new Set(ordered.flatMap(({ title }) => title ?? []))
  const part = (place: Part['place'], title?: string): Part => ({
    place,
    title,
    fields: ordered.filter((one) => one.place === place && one.title === title).map(({ name }) => name),
  })
  return [
    part('main'),
    ...[...sections].map((title) => part('main', title)),
    part('beside'),
    part('bottom'),
    part('hidden'),
  ]
}

/** Moves a field one step up or down, across the edge of its part if necessary. @returns the same parts at the ends */
export function step(parts: readonly Part[], field: string, by: -1 | 1): readonly Part[] {
  const at = parts.findIndex(({ fields }) => fields.includes(field))
  const part = parts[at]
  if (!part) return parts
  const place = part.fields.indexOf(field)
  const others = part.fields.toSpliced(place, 1)
  const next = place + by
  if (next >= 0 && next < part.fields.length) {
    return parts.with(at, { ...part, fields: others.toSpliced(next, 0, field) })
  }
  const neighbour = parts[at + by]
  if (!neighbour) return parts
  const taken = by < 0 ? [...neighbour.fields, field] : [field, ...neighbour.fields]
  return parts.with(at, { ...part, fields: others }).with(at + by, { ...neighbour, fields: taken })
}

/** Moves a field to the end of another part. */
export function moveTo(parts: readonly Part[], field: string, to: number): readonly Part[] {
  return parts.map((part, index) => {
    const others = part.fields.filter((name) => name !== field)
    return { ...part, fields: index === to ? [...others, field] : others }
  })
}

/**
 * Moves a field to the place of another one, into that one's part.
 *
 * @param isBelow - whether the other one comes after the field
 */
export function moveOver(parts: readonly Part[], field: string, over: string, isBelow: boolean): readonly Part[] {
  if (field === over || !parts.some(({ fields }) => fields.includes(over))) return parts
  return parts.map((part) => {
    const others = part.fields.filter((name) => name !== field)
    const at = others.indexOf(over)
    return { ...part, fields: at === -1 ? others : others.toSpliced(isBelow ? at + 1 : at, 0, field) }
  })
}

/** Adds an empty section after the others. @returns the same parts if the title is taken */
export function addSection(parts: readonly Part[], title: string): readonly Part[] {
  if (title === '' || parts.some((part) => part.title === title)) return parts
  return parts.toSpliced(
    parts.findIndex(({ place }) => place === 'beside'),
    0,
    { place: 'main', title, fields: [] },
  )
}

/**
 * Returns the changes that store an arrangement: only for fields that moved or had no stored position.
 *
 * @param workspace - the workspace it applies to; `null`: the whole project; `undefined` if the server stores none. Rows for another scope are kept and copied.
 */
export function changesFor(
  table: TableInfo,
  parts: readonly Part[],
  before: readonly Part[],
  fields: readonly Field[],
  workspace?: string | null,
): readonly RecordChange[] {
  const { schema, table: tableName, columns } = table.descriptor
  const storedName = (name: string): string => columns.find((column) => column.name === name)?.column ?? name
  const isStill = (part: Part, name: string): boolean =>
    part.place === 'bottom' &&
    fields.find((field) => field.name === name)?.isSystem === true &&
    before.some((one) => one.place === 'bottom' && one.fields.includes(name))
  let position = 0
  return parts.flatMap((part) =>
    part.fields.flatMap((name): readonly RecordChange[] => {
      position += STEP
      const row = table.layout?.get(name)
      // System fields keep the schema's place until the user moves them.
      if (!row && isStill(part, name)) return []
      const values = valuesOf(part, position, row)
      const was = row && valuesBefore(row)
      if (was && Object.entries(values).every(([key, value]) => was[key] === value)) return []
      if (!row || (workspace !== undefined && row.workspace !== workspace)) {
        const named = {
          schema_name: schema,
          table_name: tableName,
          field_name: storedName(name),
          ...(workspace !== undefined && { workspace_id: workspace }),
        }
        return [{ kind: 'insert', table: FIELDS_TABLE, id: uuidV7(), values: { ...named, ...row?.words, ...values } }]
      }
      return [{ kind: 'update', table: FIELDS_TABLE, id: row.id, values, before: valuesBefore(row) }]
    }),
  )
}

function valuesOf({ place, title }: Part, position: number, row: FieldPlace | undefined): RecordValues {
  return {
    place: place === 'hidden' ? (row?.place ?? null) : place,
    section: place === 'hidden' ? (row?.section ?? null) : (title ?? null),
    position,
    is_hidden: place === 'hidden' ? 1 : 0,
  }
}

function valuesBefore({ place, section, position, isHidden }: FieldPlace): RecordValues {
  return {
    place: place ?? null,
    section: section ?? null,
    position: position ?? null,
    is_hidden: isHidden ? 1 : 0,
  }
}
