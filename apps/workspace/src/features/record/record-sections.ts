import type { SchemaDescriptor } from '@holdfast/protocol'
import { type FieldLayout, headingOf } from '../../lib/data/arrange-fields.ts'
import type { Field } from '../../lib/fields/field.ts'
import { peopleTableOf } from '../../lib/records/work-tables.ts'

/** The fields of a record by where they stand. */
export interface RecordSections {
  readonly main: readonly MainSection[]
  /** People, teams and days: who and when. */
  readonly beside: readonly Field[]
  /** Kept by the database: computed values first, then what every record has. */
  readonly kept: readonly Field[]
}

/** Fields that stand together under one heading, in the order of their first ones. */
export interface MainSection {
  /** As people read it. `undefined`: those that stand under none. */
  readonly title: string | undefined
  readonly fields: readonly Field[]
}

const NO_LAYOUT: FieldLayout = new Map()

const TEAMS_TABLE = 'hf_teams'

/**
 * Where the fields of a record stand: as the project says, else as follows from the schema.
 *
 * @param isDraft - the record is being made, so a field that it needs is asked for wherever it stands
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

/** Where fields stand without a word of the project: who and when beside what, computed values and what the database keeps at the bottom. */
export function placesIn(schema: SchemaDescriptor): (field: Field) => 'main' | 'beside' | 'bottom' {
  const people = peopleTableOf(schema)?.name
  return ({ kind, link, isSystem, isTitle, column }) => {
    if (isSystem || column.generated) return 'bottom'
    if (isTitle) return 'main'
    const isWho = link !== undefined && (link.table === TEAMS_TABLE || link.table === people)
    return isWho || kind === 'date' || kind === 'datetime' ? 'beside' : 'main'
  }
}

/** By position; what has none comes after, in the order that it had, but the title stays first. */
export function inOrder(fields: readonly Field[], layout: FieldLayout): readonly Field[] {
  const positionOf = ({ name, isTitle }: Field): number =>
    layout.get(name)?.position ?? (isTitle ? -Infinity : Infinity)
  return fields.toSorted((a, b) => {
    const [first, second] = [positionOf(a), positionOf(b)]
    return first === second ? 0 : first - second
  })
}

/** What stands under no heading comes first: after a section it would be read as a part of it. */
function underHeadings(fields: readonly Field[], layout: FieldLayout): readonly MainSection[] {
  const sections = Map.groupBy(fields, ({ name }) => layout.get(name)?.section)
  return [...sections]
    .map(([section, together]) => ({ title: section && headingOf(layout, section), fields: together }))
    .toSorted((a, b) => Number(a.title !== undefined) - Number(b.title !== undefined))
}

/** Whether a field needs a line of its own where there is little room. */
export function isWide({ kind, isTitle }: Field): boolean {
  return isTitle || kind === 'long_text' || kind === 'json' || kind === 'url'
}
