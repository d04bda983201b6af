/**
 * Texts that no spreadsheet runs as a formula, after the OWASP guidance on CSV injection: an apostrophe goes before what begins a formula. Quotes around a cell do not
 * help, since a spreadsheet that separates at semicolons reads our commas and quotes as text. So the apostrophe goes wherever a cell may begin for any reader: at the
 * start, and after a semicolon, a tab or a line break, past spaces and quotes that a reader takes away.
 */

/** What a reader may take for the end of the cell before. */
const CELL_BEGINS = /[;\t\r\n]/.source
/** Spaces, control characters and quotes before the text of a cell. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const IGNORED = /(?:[^\S\t\r\n]|[\0-\x08\x0e-\x1f"])*/.source
/** Full-width forms count in some languages. */
const FORMULA_STARTS = /[=+\-@＝＋－＠]/.source

/** Places where a formula could begin, in three parts: what is before it, apostrophes, and the sign that begins it. */
const FORMULA_BEGINS = new RegExp(`((?:^|${CELL_BEGINS})${IGNORED})('*)(${FORMULA_STARTS})`, 'g')

/** Numbers, and phone numbers as people write them. They stay what they are. */
const HARMLESS = /^(?:[+-]?\d+(?:[.,]\d+)?(?:e[+-]?\d+)?|\+\d[\d ()]*)$/i
/** A text that begins with a break has an apostrophe before it, too. */
const BEGINS_WITH_BREAK = /^'*[\t\r\n]/

/** The text for a cell of a spreadsheet. */
export function guardFormulas(text: string): string {
  if (HARMLESS.test(text)) return text
  const guarded = mapApostrophes(text, (apostrophes) => `'${apostrophes}`)
  return BEGINS_WITH_BREAK.test(guarded) ? `'${guarded}` : guarded
}

/** The text that {@link guardFormulas} was given. */
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
