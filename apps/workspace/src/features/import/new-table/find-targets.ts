import { type SchemaDescriptor, titleColumnOf } from '@holdfast/protocol'
import type { CommonPowerSyncDatabase } from '@powersync/common'
import type { TableInfo } from '../../../lib/data/tables.ts'
import { lowerAscii, quoteName } from '../../../lib/sql.ts'
import type { ParsedFile } from '../parse-file.ts'
import { linkTables } from '../../../lib/data/link-tables.ts'

/** Number of different values per column looked up in other tables. */
const LOOKED_FOR = 50
/** Share of them that must be found for a column to be about a table. */
const FOUND = 0.8
/** Length limit of names. Longer texts, and texts of digits only, are not names. */
const NAME_LENGTH_MAX = 80

export interface ProposeOptions {
  readonly database: Pick<CommonPowerSyncDatabase, 'getAll'>
  readonly file: ParsedFile
  readonly schema: SchemaDescriptor
  readonly tables: readonly TableInfo[]
}

/**
 * Finds the tables whose records the columns name by title, number or id, ignoring case. Among several it prefers the one named like the column, or else the
 * one with most matches.
 *
 * @returns per column the local name of a table, and the first looked-up value that names none of its records
 */
export async function findTargets(
  { database, file, schema, tables }: ProposeOptions,
  columns: readonly (readonly string[])[],
): Promise<readonly (FoundTarget | undefined)[]> {
  const wanted = columns.map(someOf)
  const all = [...new Set(wanted.flat())]
  const best: (Target | undefined)[] = columns.map(() => undefined)
  for (const { name, label } of linkTables(tables, schema)) {
    const descriptor = schema.tables.find((one) => one.name === name)
    const title = descriptor && titleColumnOf(descriptor.columns)
    if (title === undefined) continue
    const code = tables.find((one) => one.name === name)?.codeColumn
    const found = await findNames(database, name, [...new Set([title, code ?? title, 'id'])], all)
    wanted.forEach((texts, at) => {
      const share = texts.filter((text) => found.has(text)).length / Math.max(1, texts.length)
      const misfit =
        share === 1 ? undefined : columns[at]?.find((text) => texts.includes(fold(text)) && !found.has(fold(text)))
      const target = { table: name, share, misfit, isCalledSo: isAlike(file.header[at] ?? '', label) }
      if (share >= FOUND && isBetter(target, best[at])) best[at] = target
    })
  }
  return best.map((target) => target && { table: target.table, misfit: target.misfit })
}

export interface FoundTarget {
  readonly table: string
  readonly misfit: string | undefined
}

interface Target extends FoundTarget {
  /** Share of the values that name a record of the table. */
  readonly share: number
  readonly isCalledSo: boolean
}

function isBetter(one: Target, other: Target | undefined): boolean {
  if (!other || one.isCalledSo !== other.isCalledSo) return !other || one.isCalledSo
  return one.share > other.share
}

/** Returns a few different values of a column whose values could be names. */
function someOf(sample: readonly string[]): readonly string[] {
  const different = [...new Set(sample.map(fold))]
  if (different.some((text) => text.length > NAME_LENGTH_MAX) || different.every((text) => /^[\d.,\s-]*$/.test(text)))
    return []
  return different.slice(0, LOOKED_FOR)
}

async function findNames(
  database: ProposeOptions['database'],
  table: string,
  columns: readonly string[],
  texts: readonly string[],
): Promise<ReadonlySet<string>> {
  const selects = columns.map((column) => {
    // The primary key is looked up; other columns are scanned.
    const text = column === 'id' ? 'id' : `lower(trim(cast(${quoteName(column)} as text)))`
    return `select ${text} as text from ${quoteName(table)} where ${text} in (select value from json_each(?))`
  })
  const values = JSON.stringify(texts)
  const rows = await database.getAll<{ readonly text: string }>(
    selects.join(' union '),
    columns.map(() => values),
  )
  return new Set(rows.map(({ text }) => text))
}

/** Whether two names are alike, such as `Site` and `Sites`. */
function isAlike(header: string, label: string): boolean {
  const plain = (text: string): string =>
    fold(text)
      .replace(/[^\p{L}]/gu, '')
      .replace(/s$/, '')
  return plain(header) !== '' && plain(header) === plain(label)
}

function fold(text: string): string {
  return lowerAscii(text.trim())
}
