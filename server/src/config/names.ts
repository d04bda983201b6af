import type { OptionDeclaration } from '@holdfast/foundation'

/** `jwtExpiry` as `--jwt-expiry`. */
export function flagName(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

/** `jwtExpiry` as `HOLDFAST_JWT_EXPIRY`, unless the declaration has a name of its own. */
export function variableName(name: string, declaration: OptionDeclaration): string {
  return declaration.env ?? `HOLDFAST_${flagName(name).slice(2).replaceAll('-', '_').toUpperCase()}`
}

/** The candidate that `text` most likely meant, or `undefined` when none is close. */
export function nearest(text: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates
    .map((candidate) => ({ candidate, distance: editDistance(text, candidate) }))
    .toSorted((left, right) => left.distance - right.distance)
  const best = ranked[0]
  return best && best.distance <= Math.max(2, Math.floor(text.length / 3)) ? best.candidate : undefined
}

/** Letters to insert, delete or replace (Levenshtein). */
function editDistance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (let row = 1; row <= left.length; row++) {
    const current = [row]
    for (let column = 1; column <= right.length; column++) {
      const replace = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1)
      current.push(Math.min(replace, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1))
    }
    previous = current
  }
  return previous[right.length] ?? 0
}
