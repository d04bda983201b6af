import type { Field } from '../../../lib/fields/field.ts'
import type { FieldKind } from '../../../lib/fields/field-kind.ts'
import { parseSorts, type Sort } from '../query/sort.ts'

export const GROUP_LEVELS_MAX = 2

/** Kinds whose values are rarely shared or have no name. */
const UNGROUPED: readonly FieldKind[] = ['binary', 'json', 'long_text', 'datetime', 'uuid']

export function canGroupBy({ kind }: Field): boolean {
  return !UNGROUPED.includes(kind)
}

/** Parses `site_id,-state`: up to two fields; a minus reverses the order of the groups. */
export function parseGroups(text: string, fields: readonly Field[]): readonly Sort[] {
  return parseSorts(text)
    .filter((sort, index, all) => {
      const field = fields.find(({ name }) => name === sort.field)
      return field && canGroupBy(field) && all.findIndex((one) => one.field === sort.field) === index
    })
    .slice(0, GROUP_LEVELS_MAX)
}
