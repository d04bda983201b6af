import type { Catalog, Table } from '@holdfast/postgres'

/** A table whose records somebody has to do by a day, found as the app finds it (decision 109). */
export interface WorkTable {
  readonly table: Table
  readonly assignee: string
  readonly due: string
  /** `undefined`: all its records are open. */
  readonly state: string | undefined
  readonly title: string | undefined
}

/** The table that ties names to accounts. */
export interface PeopleTable {
  readonly table: Table
  readonly name: string
  readonly key: string
}

/** Names of columns that name a record, as in the app. */
const TITLE_NAMES = ['title', 'name', 'subject', 'label', 'tag', 'number', 'code', 'prompt', 'email', 'caption']
const SYSTEM_NAMES: ReadonlySet<string> = new Set(['created_by', 'updated_by', 'created_at', 'updated_at'])

/** Words of states in which nothing is left to do, as in the app (`choice-looks.ts`). */
export const FINISHED = [
  'done',
  'verified',
  'approved',
  'closed',
  'dropped',
  'cancelled',
  'decommissioned',
  'duplicate',
]

export function peopleTableOf(catalog: Catalog, role: string): PeopleTable | undefined {
  for (const table of catalog.tables) {
    const name = titleOf(table, role)
    const [key] = table.primaryKey
    const isPeople = table.schema === 'public' && table.kind === 'table' && isReadable(table, role, 'user_id')
    if (isPeople && name !== undefined && key !== undefined && table.primaryKey.length === 1)
      return { table, name, key }
  }
  return undefined
}

/** @param role - reads them; what it may not is left out */
export function workTablesOf(catalog: Catalog, people: PeopleTable | undefined, role: string): readonly WorkTable[] {
  if (!people) return []
  return catalog.tables.flatMap((table) => {
    if (table.schema !== 'public' || table.kind !== 'table' || table.oid === people.table.oid) return []
    const readable = table.columns.filter(({ name }) => isReadable(table, role, name) && !SYSTEM_NAMES.has(name))
    const leads = (name: string): boolean =>
      table.foreignKeys.some(
        ({ columns, targetOid }) => columns.length === 1 && columns[0] === name && targetOid === people.table.oid,
      )
    const assignee = readable.find(({ name }) => leads(name))?.name
    const due = readable.find(({ baseType }) => baseType === 'date')?.name
    const hasId = readable.some(({ name, baseType }) => name === 'id' && baseType === 'uuid')
    if (assignee === undefined || due === undefined || !hasId) return []
    const state = readable.find(({ name }) => name === 'state' || name === 'status')?.name
    return [{ table, assignee, due, state, title: titleOf(table, role) }]
  })
}

export function titleOf(table: Table, role: string): string | undefined {
  return TITLE_NAMES.find((name) => isReadable(table, role, name))
}

export function isReadable(table: Table, role: string, column: string): boolean {
  return table.privileges.get(role)?.select.includes(column) === true
}
