import { escapeLike, type SqlPart } from './sql.ts'

/** Where a text must match. */
export type MatchPlace = 'anywhere' | 'start'

/**
 * SQL condition for a case-insensitive text match; NULL for no text.
 *
 * SQLite's `LIKE` folds only ASCII case. Other texts use `GLOB` with both cases per letter, which is twelve times slower, so `LIKE` filters first.
 */
export function matchSql(expression: string, wanted: string, place: MatchPlace = 'anywhere'): SqlPart {
  const letters = [...wanted].map(lettersLike)
  const isAnywhere = place === 'anywhere'
  const like = `${isAnywhere ? '%' : ''}${letters.map((one) => one.like).join('')}%`
  const liked = `${expression} like ? escape '\\'`
  if (letters.every(({ isPlain }) => isPlain)) return { text: liked, values: [like] }
  const glob = `${isAnywhere ? '*' : ''}${letters.map((one) => one.glob).join('')}*`
  return { text: `(${liked} and ${expression} glob ?)`, values: [like, glob] }
}

interface Letters {
  /** Part of a `LIKE` pattern, which may match more. */
  readonly like: string
  readonly glob: string
  /** `LIKE` covers all its cases. */
  readonly isPlain: boolean
}

/** Returns a letter's cases. Letters with multi-character capitals, such as ß, match only themselves. */
function lettersLike(letter: string): Letters {
  const upper = letter.toUpperCase()
  const cases = [...new Set([letter, letter.toLowerCase(), upper])].filter((one) => [...one].length === 1)
  const isPlain = cases.length === 1 || letter <= '\u007f'
  const single = /[*?[]/.test(letter) ? `[${letter}]` : letter
  return { like: isPlain ? escapeLike(letter) : '_', glob: cases.length > 1 ? `[${cases.join('')}]` : single, isPlain }
}
