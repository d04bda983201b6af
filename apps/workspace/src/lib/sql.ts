export { quoteName } from '@holdfast/protocol'

/** A value for the local database. */
export type SqlValue = string | number | null

/** SQL with its values. */
export interface SqlPart {
  readonly text: string
  readonly values: readonly SqlValue[]
}

/** Quotes a text literal for queries without parameters. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** Escapes text for a LIKE pattern with `escape '\'`. */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, (letter) => `\\${letter}`)
}

/** Lowercases like SQLite's `lower`, which changes only ASCII. */
export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** A statement with its parameters. */
export interface Statement {
  readonly sql: string
  readonly parameters: readonly (string | number)[]
}
