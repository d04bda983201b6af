/** A value that the local database takes. */
export type SqlValue = string | number | null

/** A piece of SQL and its values in order. */
export interface SqlPart {
  readonly text: string
  readonly values: readonly SqlValue[]
}

/** A name as SQL text of the local database. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** A text as SQL text of the local database, for a query that takes no values. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** A piece of text inside a LIKE pattern that uses `escape '\'`. */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, (letter) => `\\${letter}`)
}

/** A text as SQLite's `lower` has it, which changes ASCII only. */
export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** A statement with its parameters. */
export interface Statement {
  readonly sql: string
  readonly parameters: readonly (string | number)[]
}
