/** A step as synced; `from_value` is null for a new record. */
export interface StoredStep {
  readonly field: string
  readonly from_value: string | null
  readonly to_value: string
  readonly least_role: string | null
}

/** The allowed values after each value, with the least role of each step; null for everybody. The key of a new record is empty, which no choice is. */
export type StepMatrix = ReadonlyMap<string, ReadonlyMap<string, string | null>>

export const NEW_RECORD = ''

/** Returns the steps of a field. Undefined without limits. */
export function matrixOf(steps: readonly StoredStep[], field: string): StepMatrix | undefined {
  const own = steps.filter((step) => step.field === field)
  if (own.length === 0) return undefined
  const byFrom = Map.groupBy(own, ({ from_value }) => from_value ?? NEW_RECORD)
  return new Map(
    [...byFrom].map(([from, list]) => [from, new Map(list.map(({ to_value, least_role }) => [to_value, least_role]))]),
  )
}

/** Returns a matrix in which each value may follow each other. */
export function openMatrix(choices: readonly string[]): StepMatrix {
  return new Map(
    [NEW_RECORD, ...choices].map((from) => [
      from,
      new Map(choices.filter((to) => to !== from).map((to) => [to, null] as const)),
    ]),
  )
}

/** Returns the matrix with a step allowed or not. A step that was for some roles only stays so. */
export function withStep(matrix: StepMatrix, from: string, to: string, isAllowed: boolean): StepMatrix {
  const row = new Map(matrix.get(from))
  if (isAllowed) row.set(to, row.get(to) ?? null)
  else row.delete(to)
  return new Map(matrix).set(from, row)
}

/** Returns the argument of `holdfast.set_transitions`. A new record without any step may have every value. */
export function stepsOf(
  matrix: StepMatrix,
): readonly { readonly from: string | null; readonly to: string; readonly role?: string }[] {
  return [...matrix].flatMap(([from, row]) =>
    [...row].map(([to, role]) => ({ from: from === NEW_RECORD ? null : from, to, ...(role !== null && { role }) })),
  )
}
