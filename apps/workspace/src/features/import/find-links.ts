import type { CommonPowerSyncDatabase } from '@powersync/common'
import type { TableInfo } from '../../lib/data/tables.ts'
import type { Field } from '../../lib/fields/field.ts'
import type { ParsedValue } from '../../lib/fields/parse-value.ts'
import { lowerAscii, quoteName } from '../../lib/sql.ts'
import { importMessages as words } from '../../messages/import.ts'

type Database = Pick<CommonPowerSyncDatabase, 'getAll'>

/** Finds the records that link columns name by title, number or id, ignoring case. */
export class FoundLinks {
  readonly #database: Database
  readonly #tables: readonly TableInfo[]
  readonly #found = new Map<string, ReadonlySet<string>>()

  constructor(database: Database, tables: readonly TableInfo[]) {
    this.#database = database
    this.#tables = tables
  }

  /** Looks up texts not looked up before. */
  async find(field: Field, texts: readonly string[]): Promise<void> {
    const table = field.link?.table
    if (table === undefined) return
    const wanted = [...new Set(texts.map(fold))].filter((text) => text !== '' && !this.#found.has(keyOf(table, text)))
    if (wanted.length === 0) return
    for (const text of wanted) this.#found.set(keyOf(table, text), new Set())
    const code = this.#tables.find(({ name }) => name === table)?.codeColumn
    const columns = [...new Set(['id', field.link?.titleColumn, code])].filter((name) => name !== undefined)
    const values = JSON.stringify(wanted)
    for (const column of columns) {
      const rows = await this.#database.getAll<{ readonly id: string; readonly text: string }>(
        `select id, cast(${quoteName(column)} as text) as text from ${quoteName(table)}
          where lower(trim(cast(${quoteName(column)} as text))) in (select value from json_each(?))`,
        [values],
      )
      for (const { id, text } of rows) {
        const key = keyOf(table, fold(text))
        this.#found.set(key, new Set([...(this.#found.get(key) ?? []), id]))
      }
    }
  }

  /** Returns the id of the single record that a text names. Call {@link find} first. */
  idOf(field: Field, text: string): ParsedValue {
    const ids = this.#found.get(keyOf(field.link?.table ?? '', fold(text)))
    const [id] = ids ?? []
    if (id === undefined) return { isValid: false, message: words.noLink(text.trim()) }
    if (ids && ids.size > 1) return { isValid: false, message: words.manyLinks(ids.size, text.trim()) }
    return { isValid: true, value: id }
  }
}

function fold(text: string): string {
  return lowerAscii(text.trim())
}

function keyOf(table: string, text: string): string {
  return `${table}\0${text}`
}
