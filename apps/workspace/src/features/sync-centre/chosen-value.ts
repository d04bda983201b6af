import type { LocalValueOf } from '../../lib/fields/field-value.ts'

/** What a field shows: what was chosen, also that it is empty, or else what it had. */
export function valueOf(
  choices: ReadonlyMap<string, LocalValueOf | undefined>,
  column: string,
  otherwise: LocalValueOf | undefined,
): LocalValueOf {
  return (choices.has(column) ? choices.get(column) : otherwise) ?? null
}
