import type { SchemaDescriptor, TableDescriptor } from '@holdfast/protocol'
import type { FieldValue } from '../fields/field.ts'
import { quoteName } from '../sql.ts'
import type { Checklist } from './checklist.ts'

/** Names of columns that contain label codes. */
const CODE_NAME = /(^|_)(qr|bar)?_?code$|^tag$|^serial(_no|_number)?$/

/** A table linked by a place field, and its label columns. */
export interface LabelledTable {
  /** The place field. */
  readonly field: string
  readonly table: TableDescriptor
  readonly columns: readonly string[]
}

/** Returns tables to search for a label, most specific place first: assets before sites. */
export function labelledTables({ table, places }: Checklist, schema: SchemaDescriptor): readonly LabelledTable[] {
  const own = schema.tables.find(({ name }) => name === table)
  return places.toReversed().flatMap((field) => {
    const target = own?.columns.find(({ name }) => name === field)?.references?.table
    const found = schema.tables.find(({ name }) => name === target)
    const columns = found?.columns.filter(({ name, local }) => local === 'text' && CODE_NAME.test(name)) ?? []
    return found && columns.length > 0 ? [{ field, table: found, columns: columns.map(({ name }) => name) }] : []
  })
}

/** Returns a query for a label's record; the parameter is the text, once per column. */
export function labelSql({ table, columns }: LabelledTable): string {
  const where = columns.map((name) => `${quoteName(name)} = ? collate nocase`).join(' or ')
  return `select * from ${quoteName(table.name)} where ${where} limit 1`
}

/** Returns the place fields given by a record: itself, and those it links to, such as an asset's site. */
export function placesOf(
  { field, table }: LabelledTable,
  record: Readonly<Record<string, FieldValue>>,
  all: readonly LabelledTable[],
): Readonly<Record<string, FieldValue>> {
  const places: Record<string, FieldValue> = { [field]: record['id'] ?? null }
  for (const other of all) {
    const link = table.columns.find(({ references }) => references?.table === other.table.name)
    if (other.field !== field && link) places[other.field] = record[link.name] ?? null
  }
  return places
}
