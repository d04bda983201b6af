import type { LocalValueOf } from '../../lib/fields/field-value.ts'

/** Returns the chosen value of a field, even an empty one, or else its previous value. */
export function valueOf(
  choices: ReadonlyMap<string, LocalValueOf | undefined>,
  column: string,
  otherwise: LocalValueOf | undefined,
): LocalValueOf {
  return (choices.has(column) ? choices.get(column) : otherwise) ?? null
}
