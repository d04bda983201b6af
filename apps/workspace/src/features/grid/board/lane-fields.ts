import type { Field } from '../../../lib/fields/field.ts'

/** Fields whose values can be lanes, the most usual first: where a record stands, then other choices, people and links. */
export function laneFields(fields: readonly Field[]): readonly Field[] {
  return fields.filter((field) => rankOf(field) >= 0).toSorted((a, b) => rankOf(a) - rankOf(b))
}

function rankOf({ kind, name, choices, link, isSystem }: Field): number {
  if (isSystem) return -1
  if (kind === 'choice' && choices.length > 0) return name === 'state' || name === 'status' ? 0 : 1
  if (kind === 'link' && link?.titleColumn !== undefined) return 2
  return kind === 'boolean' ? 3 : -1
}

/** The field that a view makes lanes of. A field that is gone, or makes none, is replaced by the most usual one. */
export function laneFieldOf(fields: readonly Field[], name: string | undefined): Field | undefined {
  const usable = laneFields(fields)
  return usable.find((field) => field.name === name) ?? usable[0]
}
