import type { Catalog, Table } from '@holdfast/postgres'
import {
  type FieldUse,
  finishedStatesOf,
  type ModelTable,
  peopleTableOf as findPeople,
  titleColumnOf,
  type WorkColumns,
  workColumnsOf,
} from '@holdfast/protocol'

/** A table whose records have an assignee and a due date, detected like in the app (decision 109). */
export interface WorkTable extends WorkColumns {
  readonly table: Table
  /** What the assignee links to. */
  readonly people: PeopleTable
  /** States of finished work, in lower case. */
  readonly finished: readonly string[]
}

/** An owner's setting for a field. */
export interface FieldSetting {
  readonly use: FieldUse | undefined
  readonly closed: readonly string[] | undefined
}

/** Settings by `schema.table.field`. */
export type FieldSettings = ReadonlyMap<string, FieldSetting>

/** The table that maps accounts to names. */
export interface PeopleTable {
  readonly table: Table
  /** The column with the name. */
  readonly name: string
  readonly key: string
}

/** Local name of `holdfast.members`, which the person fields of tables made in the app reference. */
const MEMBERS = 'hf_members'

/** Returns the tables that map accounts to names: the project's, and the members of workspaces. */
export function peopleTablesOf(catalog: Catalog, role: string): readonly PeopleTable[] {
  const members = catalog.table('holdfast', 'members')
  const areReadable = members && ['id', 'user_id', 'name'].every((column) => isReadable(members, role, column))
  const own = projectPeopleOf(catalog, role)
  return [...(own ? [own] : []), ...(areReadable ? [{ table: members, name: 'name', key: 'id' }] : [])]
}

function projectPeopleOf(catalog: Catalog, role: string): PeopleTable | undefined {
  const candidates = projectTablesOf(catalog).filter(({ primaryKey }) => primaryKey.length === 1)
  const found = findPeople(candidates.map((table) => ({ ...modelOf(catalog, table, role), table })))
  const name = found && titleColumnOf(found.columns)
  const key = found?.table.primaryKey[0]
  return found && name !== undefined && key !== undefined ? { table: found.table, name, key } : undefined
}

/** @param role - tables it may not read are omitted */
export function workTablesOf(
  catalog: Catalog,
  targets: readonly PeopleTable[],
  role: string,
  settings: FieldSettings,
): readonly WorkTable[] {
  return projectTablesOf(catalog).flatMap((table) => {
    const model = modelOf(catalog, table, role, settings)
    const hasId = table.columns.some(({ name, baseType }) => name === 'id' && baseType === 'uuid')
    if (!hasId || !isReadable(table, role, 'id')) return []
    for (const people of targets) {
      const work = workColumnsOf(model, targetName(people.table))
      const state = model.columns.find(({ name }) => name === work?.state)
      if (work) return [{ table, people, ...work, finished: state ? finishedStatesOf(state) : [] }]
    }
    return []
  })
}

/** Returns the title column of the table, among those that the role may read. */
export function titleOf(catalog: Catalog, table: Table, role: string): string | undefined {
  return titleColumnOf(modelOf(catalog, table, role).columns)
}

export function isReadable(table: Table, role: string, column: string): boolean {
  return table.privileges.get(role)?.select.includes(column) === true
}

function projectTablesOf(catalog: Catalog): readonly Table[] {
  return catalog.tables.filter(({ schema, kind }) => schema === 'public' && kind === 'table')
}

function targetName({ schema, name }: Table): string {
  return schema === 'holdfast' && name === 'members' ? MEMBERS : name
}

/** A table as devices of the role see it. */
function modelOf(catalog: Catalog, table: Table, role: string, settings?: FieldSettings): ModelTable {
  return {
    name: table.name,
    columns: table.columns
      .filter(({ name }) => isReadable(table, role, name))
      .map(({ name, type }) => {
        const key = table.foreignKeys.find(({ columns }) => columns.length === 1 && columns[0] === name)
        const target = key && catalog.tableByOid(key.targetOid)
        const { use, closed } = settings?.get(`${table.schema}.${table.name}.${name}`) ?? {}
        return {
          name,
          type,
          ...(target && { references: { table: targetName(target) } }),
          ...(use && { use }),
          ...(closed && { closed }),
        }
      }),
  }
}
