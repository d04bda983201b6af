import { assert } from '@holdfast/foundation'

/** Quotes an identifier. The only such function in the repository. */
export function quoteIdentifier(name: string): string {
  assert(name.length > 0 && !name.includes('\0'), 'an identifier is not empty and has no NUL')
  return `"${name.replaceAll('"', '""')}"`
}

/** Quotes a qualified name: `quoteName('public', 'sites')` is `"public"."sites"`. */
export function quoteName(...parts: readonly string[]): string {
  return parts.map(quoteIdentifier).join('.')
}

/** Quotes a string literal, for statements without parameters (DDL, replication commands). */
export function quoteLiteral(value: string): string {
  assert(!value.includes('\0'), 'a literal has no NUL')
  const escaped = value.replaceAll("'", "''")
  return value.includes('\\') ? ` E'${escaped.replaceAll('\\', '\\\\')}'` : `'${escaped}'`
}
