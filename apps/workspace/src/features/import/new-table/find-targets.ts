import { type SchemaDescriptor, titleColumnOf } from '@holdfast/protocol'
import type { CommonPowerSyncDatabase } from '@powersync/common'
import type { TableInfo } from '../../../lib/data/tables.ts'
import { lowerAscii, quoteName } from '../../../lib/sql.ts'
import type { ParsedFile } from '../parse-file.ts'
import { linkTables } from './link-tables.ts'

/** Different values of a column that are looked for in other tables. */
const LOOKED_FOR = 50
/** Of them that have to be there. */
const FOUND = 0.8
/** Names are texts: what is only digits, or long, is none. */
const NAME_LENGTH_MAX = 80

export interface ProposeOptions {
  readonly database: Pick<CommonPowerSyncDatabase, 'getAll'>
  readonly file: ParsedFile
  readonly schema: SchemaDescriptor
  readonly tables: readonly TableInfo[]
}

/**
 * Tables whose records the values of columns name, by title, number or id, in any case; of several the one that the column is called like, else the one that
 * has most of them.
 *
 * @returns for each column the local name of a table
 */
export async function findTargets(
  { database, file, schema, tables }: ProposeOptions,
  columns: readonly (readonly string[])[],
): Promise<readonly (string | undefined)[]> {
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
      const target = { table: name, share, isCalledSo: isAlike(file.header[at] ?? '', label) }
      if (share >= FOUND && isBetter(target, best[at])) best[at] = target
    })
  }
  return best.map((target) => target?.table)
}

interface Target {
  readonly table: string
  /** Of the values, those that name a record there. */
  readonly share: number
  readonly isCalledSo: boolean
}

function isBetter(one: Target, other: Target | undefined): boolean {
  if (!other || one.isCalledSo !== other.isCalledSo) return !other || one.isCalledSo
  return one.share > other.share
}

/** A few different values of a column whose values could be names. */
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
    const text = `lower(trim(cast(${quoteName(column)} as text)))`
    return `select ${text} as text from ${quoteName(table)} where ${text} in (select value from json_each(?))`
  })
  const values = JSON.stringify(texts)
  const rows = await database.getAll<{ readonly text: string }>(
    selects.join(' union '),
    columns.map(() => values),
  )
  return new Set(rows.map(({ text }) => text))
}

/** `Site` and `Sites`. */
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
