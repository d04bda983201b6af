/** The rows on a device or of a user, as JSON by `table/id`. */
export type State = ReadonlyMap<string, string>

/**
 * Finds states of a device that no commit explains, in the order of the commits.
 *
 * A state is explained by a commit if it equals what Postgres showed after it, except for whole tables of which neither the state nor the one before has a row:
 * a table that the server is still reading arrives later, whole. Several commits may explain a state. The earliest one counts, so that a coincidence with a
 * later commit does not make the following states look old: a device without rows may lack all tables, and a much later commit may have deleted all rows.
 *
 * @param states - everything that the device showed, in order
 * @param shown - what Postgres showed the user after each commit
 */
export function findBreaches(states: readonly State[], shown: readonly State[]): readonly string[] {
  const breaches: string[] = []
  let reached = 0
  for (const [index, state] of states.entries()) {
    const before = states[index - 1] ?? new Map()
    const at = findCommit(shown, reached, state, before)
    if (at >= 0) reached = at
    else if (shown.some((one) => isEqual(one, state)))
      breaches.push(`went back: state ${index} is of a commit before ${reached}, which state ${index - 1} shows`)
    else breaches.push(`showed what Postgres never showed: state ${index} ${nearest(shown, state)}`)
  }
  return breaches
}

export function isEqual(one: State, other: State): boolean {
  return one.size === other.size && [...one].every(([key, json]) => other.get(key) === json)
}

/** Returns the differences between a state and the most similar shown one. */
export function nearest(shown: readonly State[], state: State): string {
  const differences = shown.map((one) => ({
    lacks: [...one].filter(([key, json]) => state.get(key) !== json),
    has: [...state].filter(([key, json]) => one.get(key) !== json),
  }))
  const size = (one: (typeof differences)[number]): number => one.lacks.length + one.has.length
  return JSON.stringify(differences.toSorted((one, other) => size(one) - size(other))[0])
}

/** Finds the first commit from `reached` on that explains a state; -1 if there is none. */
function findCommit(shown: readonly State[], reached: number, state: State, before: State): number {
  const tableOf = (key: string): string => key.slice(0, key.indexOf('/'))
  const had = new Set([...state.keys(), ...before.keys()].map(tableOf))
  return shown.findIndex(
    (one, commit) => commit >= reached && isEqual(new Map([...one].filter(([key]) => had.has(tableOf(key)))), state),
  )
}
