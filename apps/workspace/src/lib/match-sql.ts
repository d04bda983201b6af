import { escapeLike, type SqlPart } from './sql.ts'

/** Where in a text another one has to stand. */
export type MatchPlace = 'anywhere' | 'start'

/**
 * The condition that a text has another one in it, whatever the case of their letters; NULL for no text.
 *
 * SQLite's `LIKE` takes letters of ASCII only for the same in both cases. What has others is looked for with `GLOB`, which takes the cases of each letter. That is
 * twelve times as slow, so `LIKE` goes before it, with any letter where there is one of these.
 *
 * @param expression - SQL of the text
 * @param wanted - as it was typed; none of its letters has a meaning of its own
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
  /** As a part of a `LIKE` pattern, which may fit others as well. */
  readonly like: string
  readonly glob: string
  /** `LIKE` knows all cases of it. */
  readonly isPlain: boolean
}

/** A letter in all its cases. One whose capital is more than a letter, as that of ß, stands for itself. */
function lettersLike(letter: string): Letters {
  const upper = letter.toUpperCase()
  const cases = [...new Set([letter, letter.toLowerCase(), upper])].filter((one) => [...one].length === 1)
  const isPlain = cases.length === 1 || letter <= '\u007f'
  const single = /[*?[]/.test(letter) ? `[${letter}]` : letter
  return { like: isPlain ? escapeLike(letter) : '_', glob: cases.length > 1 ? `[${cases.join('')}]` : single, isPlain }
}
