import { hash } from 'node:crypto'

/** Gives statements that come again a name, so that Postgres parses and plans them once per connection. */
export interface StatementNames {
  /**
   * @param version - of the catalog; statements of another version are other statements, because the types of their parameters
   *   were inferred from it
   * @returns `undefined` for a statement that is not worth a name
   */
  nameOf(version: string, text: string): string | undefined
}

/** Times a statement has to come before it gets a name: what people type once is not kept. */
const USES_MIN = 3

/** Statements whose uses are counted. When they are full, counting starts from scratch. */
const COUNTED_MAX = 1000

/** Characters of a text above which its digest is kept in its place. One request may come to hundreds of kilobytes. */
const TEXT_CHARACTERS_MAX = 2_048

/** @param namesMax - names that are kept; past it, the statement that did not come for longest has to come three times again */
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
