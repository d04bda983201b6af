import type { TableList, TableRelation } from '@holdfast/protocol'
import { formatTableName } from '../../lib/format.ts'

/** A table of the diagram. */
export interface ShownTable {
  readonly id: string
  readonly schema: string
  readonly name: string
  /** The name, with its schema if that is not `public`. */
  readonly label: string
  /** Columns of foreign keys and those that they refer to. */
  readonly columns: readonly { readonly name: string; readonly isKey: boolean }[]
}

export interface Shown {
  readonly tables: readonly ShownTable[]
  readonly relations: readonly TableRelation[]
  /** Matching tables, drawn or not. */
  readonly count: number
}

export function idOf(schema: string, table: string): string {
  return JSON.stringify([schema, table])
}

/**
 * Returns the tables of a schema, or of all of the project's, and what they refer to. A search keeps the tables whose name contains it, and their direct relations.
 *
 * @param tablesMax - tables to draw
 */
export function chooseTables(
  { schemas }: Pick<TableList, 'schemas'>,
  relations: readonly TableRelation[],
  {
    schema,
    search,
    tablesMax,
  }: { readonly schema: string | undefined; readonly search: string; readonly tablesMax: number },
): Shown {
  const wanted = search.trim().toLowerCase()
  const matching = new Set<string>()
  const known = new Map<string, { readonly schema: string; readonly name: string }>()
  for (const { name: of, isManaged, tables } of schemas) {
    for (const { name, kind } of tables) {
      const id = idOf(of, name)
      known.set(id, { schema: of, name })
      const isChosen = schema === undefined ? !isManaged : schema === of
      const isTable = kind === 'table' || kind === 'partitioned table'
      if (isChosen && isTable && formatTableName(of, name).toLowerCase().includes(wanted)) matching.add(id)
    }
  }
  const isSearched = wanted !== ''
  const near = relations.filter((relation) => {
    const [from, to] = [idOf(relation.schema, relation.table), idOf(relation.targetSchema, relation.targetTable)]
    return matching.has(from) || (isSearched && matching.has(to))
  })
  const ids = new Set(matching)
  for (const one of near) ids.add(idOf(one.schema, one.table)).add(idOf(one.targetSchema, one.targetTable))
  const drawn = new Set([...ids].slice(0, tablesMax))
  const shown = near.filter(
    (one) => drawn.has(idOf(one.schema, one.table)) && drawn.has(idOf(one.targetSchema, one.targetTable)),
  )
  const columns = columnsOf(shown)
  const tables = [...drawn].flatMap((id) => {
    const table = known.get(id)
    return table
      ? [{ ...table, id, label: formatTableName(table.schema, table.name), columns: columns.get(id) ?? [] }]
      : []
  })
  return { tables, relations: shown, count: ids.size }
}

/** Columns of each table that foreign keys join: those referred to first. */
function columnsOf(relations: readonly TableRelation[]): ReadonlyMap<string, ShownTable['columns']> {
  const found = new Map<string, Map<string, boolean>>()
  const add = (id: string, names: readonly string[], isKey: boolean): void => {
    const columns = found.get(id) ?? new Map<string, boolean>()
    for (const name of names) columns.set(name, isKey || (columns.get(name) ?? false))
    found.set(id, columns)
  }
  for (const one of relations) add(idOf(one.targetSchema, one.targetTable), one.targetColumns, true)
  for (const one of relations) add(idOf(one.schema, one.table), one.columns, false)
  return new Map([...found].map(([id, columns]) => [id, [...columns].map(([name, isKey]) => ({ name, isKey }))]))
}
