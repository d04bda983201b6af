/**
 * Neutralizes spreadsheet formulas following OWASP's guidance on CSV injection: prefixes an apostrophe wherever a formula could start. Quoting cells is
 * insufficient, because a program separating at semicolons reads our commas and quotes as text.
 */

/** What a reader may treat as the end of the previous cell. */
const CELL_BEGINS = /[;\t\r\n]/.source
/** Spaces, control characters and quotes before a cell's text. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const IGNORED = /(?:[^\S\t\r\n]|[\0-\x08\x0e-\x1f"])*/.source
/** Full-width forms count in some languages. */
const FORMULA_STARTS = /[=+\-@＝＋－＠]/.source

/** Possible formula starts, in three groups: preceding text, apostrophes, and the starting character. */
const FORMULA_BEGINS = new RegExp(`((?:^|${CELL_BEGINS})${IGNORED})('*)(${FORMULA_STARTS})`, 'g')

/** Numbers and phone numbers, which stay unchanged. */
const HARMLESS = /^(?:[+-]?\d+(?:[.,]\d+)?(?:e[+-]?\d+)?|\+\d[\d ()]*)$/i
/** Texts starting with a line break also get an apostrophe. */
const BEGINS_WITH_BREAK = /^'*[\t\r\n]/

/** Returns a text safe for a spreadsheet cell. */
export function guardFormulas(text: string): string {
  if (HARMLESS.test(text)) return text
  const guarded = mapApostrophes(text, (apostrophes) => `'${apostrophes}`)
  return BEGINS_WITH_BREAK.test(guarded) ? `'${guarded}` : guarded
}

/** Inverse of {@link guardFormulas}. */
export function withoutGuards(text: string): string {
  const guarded = text.startsWith("'") && BEGINS_WITH_BREAK.test(text) ? text.slice(1) : text
  return mapApostrophes(guarded, (apostrophes) => apostrophes.slice(1))
}

function mapApostrophes(text: string, map: (apostrophes: string) => string): string {
  return text.replace(
    FORMULA_BEGINS,
    (_, before: string, apostrophes: string, start: string) => before + map(apostrophes) + start,
  )
}
