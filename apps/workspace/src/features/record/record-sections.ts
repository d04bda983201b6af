import type { SchemaDescriptor } from '@holdfast/protocol'
import { type FieldLayout, headingOf } from '../../lib/data/arrange-fields.ts'
import { type Field, isOfFiles } from '../../lib/fields/field.ts'
import { peopleTableOf } from '../../lib/records/work-tables.ts'

/** The fields of a record by place. */
export interface RecordSections {
  readonly main: readonly MainSection[]
  /** Who and when: people, teams and days. */
  readonly beside: readonly Field[]
  /** Set by the database: computed values first, then the system fields of every record. */
  readonly kept: readonly Field[]
}

/** Fields under one heading, ordered by their first fields. */
export interface MainSection {
  /** As displayed. `undefined`: the fields without a heading. */
  readonly title: string | undefined
  readonly fields: readonly Field[]
}

const NO_LAYOUT: FieldLayout = new Map()

const TEAMS_TABLE = 'hf_teams'

/**
 * Returns a record's fields by place: as the project arranges them, or else derived from the schema.
 *
 * @param isDraft - the record is being created, so required fields are asked for wherever they are placed
 */
export function sectionsOf(
  fields: readonly Field[],
  schema: SchemaDescriptor,
  layout: FieldLayout = NO_LAYOUT,
  isDraft = false,
): RecordSections {
  const found = placesIn(schema)
  const placeOf = (field: Field): Place => {
    const given = layout.get(field.name)
    const place = given?.isHidden ? 'hidden' : (given?.place ?? found(field))
    return isDraft && field.isRequired && (place === 'hidden' || place === 'bottom') ? 'main' : place
  }
  const ordered = inOrder(fields, layout)
  const at = (place: Place): readonly Field[] => ordered.filter((field) => placeOf(field) === place)
  const kept = at('bottom')
  return {
    main: underHeadings(at('main'), layout),
    beside: at('beside'),
    kept: [...kept.filter(({ isSystem }) => !isSystem), ...kept.filter(({ isSystem }) => isSystem)],
  }
}

type Place = 'main' | 'beside' | 'bottom' | 'hidden'

/** Returns default places: who and when beside; computed values and system fields at the bottom; the rest in the main part. */
export function placesIn(schema: SchemaDescriptor): (field: Field) => 'main' | 'beside' | 'bottom' {
  const people = peopleTableOf(schema)?.name
  return ({ kind, link, isSystem, isTitle, column }) => {
    if (isSystem || column.generated) return 'bottom'
    if (isTitle) return 'main'
    const isWho = link !== undefined && (link.table === TEAMS_TABLE || link.table === people)
    return isWho || kind === 'date' || kind === 'datetime' ? 'beside' : 'main'
  }
}

/** Sorts fields by position. Those without one follow in their previous order, but the title stays first. */
export function inOrder(fields: readonly Field[], layout: FieldLayout): readonly Field[] {
  const positionOf = ({ name, isTitle }: Field): number =>
    layout.get(name)?.position ?? (isTitle ? -Infinity : Infinity)
  return fields.toSorted((a, b) => {
    const [first, second] = [positionOf(a), positionOf(b)]
    return first === second ? 0 : first - second
  })
}

/** Groups fields by heading. Fields without one come first; after a section they would seem to belong to it. */
function underHeadings(fields: readonly Field[], layout: FieldLayout): readonly MainSection[] {
  const sections = Map.groupBy(fields, ({ name }) => layout.get(name)?.section)
  return [...sections]
    .map(([section, together]) => ({ title: section && headingOf(layout, section), fields: together }))
    .toSorted((a, b) => Number(a.title !== undefined) - Number(b.title !== undefined))
}

/** Whether a field needs its own line where there is little room. */
export function isWide({ kind, isTitle, format }: Field): boolean {
  // Stars need room on a touch screen.
  const isRating = format?.format.kind === 'rating'
  return isTitle || kind === 'long_text' || kind === 'json' || kind === 'url' || isRating || isOfFiles(format)
}
