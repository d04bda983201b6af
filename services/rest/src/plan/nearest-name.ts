/** Candidates compared for a hint. */
const CANDIDATES_MAX = 2000
const NAME_CHARACTERS_MAX = 100

/**
 * Returns the candidate most similar to `name`, for "perhaps you meant" hints.
 *
 * @param similarityMin - 0 for any, 1 for the same name
 */
export function nearestName(name: string, candidates: readonly string[], similarityMin: number): string | undefined {
  let best: string | undefined
  let bestSimilarity = similarityMin
  for (const candidate of candidates.slice(0, CANDIDATES_MAX)) {
    const found = similarity(name.slice(0, NAME_CHARACTERS_MAX), candidate.slice(0, NAME_CHARACTERS_MAX))
    if (found > bestSimilarity || (found === bestSimilarity && best === undefined)) {
      best = candidate
      bestSimilarity = found
    }
  }
  return best
}

/** Returns one minus the Levenshtein distance relative to the longer name. */
function similarity(a: string, b: string): number {
  const longer = Math.max(a.length, b.length)
  return longer === 0 ? 1 : 1 - distance(a.toLowerCase(), b.toLowerCase()) / longer
}

function distance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1)
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1))
    }
    previous = current
  }
  return previous[b.length] ?? 0
}
