import type { SearchedTable } from '@holdfast/client'
import { type SchemaDescriptor, titleColumnOf } from '@holdfast/protocol'
import { COMMENTS_TABLE } from '../data/comments-table.ts'
import { tablesOf } from '../data/tables.ts'
import { fieldsOf } from '../fields/field.ts'
import { isTextual } from '../fields/field-kind.ts'

/** Returns the searched tables: all texts, link titles, and comments. Of system tables only link titles, which are searched through links. */
export function searchedTables(schema: SchemaDescriptor): readonly SearchedTable[] {
  const own = tablesOf(schema).map(({ name, titleColumn, codeColumn, descriptor }) => {
    const texts = fieldsOf(descriptor, schema).filter(({ kind }) => isTextual(kind))
    return searched(name, [titleColumn, codeColumn, ...texts.map((field) => field.name)])
  })
  const system = schema.tables
    .filter((table) => table.schema === 'holdfast')
    .map((table) => searched(table.name, [table.name === COMMENTS_TABLE ? 'body' : titleColumnOf(table.columns)]))
  return [...own, ...system].filter(({ columns }) => columns.length > 0)
}

function searched(table: string, columns: readonly (string | undefined)[]): SearchedTable {
  return { table, columns: [...new Set(columns.filter((column) => column !== undefined))].toSorted() }
}
