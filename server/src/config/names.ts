import type { OptionDeclaration } from '@holdfast/foundation'

/** Returns the flag: `--jwt-expiry` for `jwtExpiry`. */
export function flagName(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

/** Returns the variable: `HOLDFAST_JWT_EXPIRY` for `jwtExpiry`, unless the declaration specifies another name. */
export function variableName(name: string, declaration: OptionDeclaration | undefined): string {
  return declaration?.env ?? `HOLDFAST_${flagName(name).slice(2).replaceAll('-', '_').toUpperCase()}`
}

/** Returns the candidate closest to `text`; `undefined` if none is close. */
export function nearest(text: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates
    .map((candidate) => ({ candidate, distance: editDistance(text, candidate) }))
    .toSorted((left, right) => left.distance - right.distance)
  const best = ranked[0]
  return best && best.distance <= Math.max(2, Math.floor(text.length / 3)) ? best.candidate : undefined
}

/** Returns the Levenshtein distance. */
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
