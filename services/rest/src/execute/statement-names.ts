import { hash } from 'node:crypto'

/** Names repeated statements, so that Postgres parses and plans them once per connection. */
export interface StatementNames {
  /**
   * @param version - of the catalog; another version makes another statement, because it determined the parameter types
   * @returns `undefined` for a statement not worth preparing
   */
  nameOf(version: string, text: string): string | undefined
}

/** Uses before a statement gets a name, so that ad hoc statements are not prepared. */
const USES_MIN = 3

/** Statements with counted uses. Counting restarts when they are full. */
const COUNTED_MAX = 1000

/** Longest text, in characters, kept as is; longer ones are replaced by their digest. A request may have hundreds of kilobytes. */
const TEXT_CHARACTERS_MAX = 2_048

/** @param namesMax - limit of names; beyond it the least recently used one is evicted and has to be counted again */
export function createStatementNames(namesMax: number): StatementNames {
  let version: string | undefined
  let named = 0
  const uses = new Map<string, number>()
  const names = new Map<string, string>()
  return {
    nameOf(current, statement) {
      const text = statement.length > TEXT_CHARACTERS_MAX ? hash('sha256', statement) : statement
      if (current !== version) {
        version = current
        uses.clear()
        names.clear()
      }
      const known = names.get(text)
      if (known !== undefined) {
        names.delete(text)
        names.set(text, known)
        return known
      }
      const count = (uses.get(text) ?? 0) + 1
      if (count < USES_MIN) {
        if (uses.size >= COUNTED_MAX) uses.clear()
        uses.set(text, count)
        return undefined
      }
      uses.delete(text)
      const name = `rest_${named++}`
      names.set(text, name)
      if (names.size > namesMax) names.delete(names.keys().next().value ?? text)
      return name
    },
  }
}
