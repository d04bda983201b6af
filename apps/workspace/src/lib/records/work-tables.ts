import { finishedStatesOf, peopleTableOf as findPeople, type SchemaDescriptor, workColumnsOf } from '@holdfast/protocol'
import { tablesOf, type TableInfo, toTableInfo } from '../data/tables.ts'
import { type Field, fieldsOf } from '../fields/field.ts'
import { labelSql } from '../fields/label-sql.ts'
import { quoteName, type Statement } from '../sql.ts'
import { offsetAt, useWorkspaceZone } from '../time-zone.ts'
import { positionOf } from '../fields/located-tables.ts'

/** Local name of `holdfast.members`, which the person fields of tables made in the app reference. */
const MEMBERS_TABLE = 'hf_members'

/** A table of work with an assignee and a due date. */
export interface WorkTable {
  readonly table: TableInfo
  /** Target of the assignee: links people to accounts. */
  readonly people: TableInfo
  /** Link to the assignee. */
  readonly assignee: Field
  /** Due date. */
  readonly due: Field
  /** Status; `undefined` if all records are open. */
  readonly state: Field | undefined
  /** Status in which the assignee is done, such as submitted, besides the finished ones. */
  readonly handedIn?: string
  /** Link to the location: a table with positions. */
  readonly place: Field | undefined
}

/**
 * Returns the tables with work ({@link workColumnsOf}).
 *
 * @param tables - of the schema; with the project's labels for display
 */
export function workTablesOf(
  schema: SchemaDescriptor,
  tables: readonly TableInfo[] = tablesOf(schema),
): readonly WorkTable[] {
  const targets = peopleTablesOf(schema)
  return tables.flatMap((table) => {
    const fields = inTableOrder(table, fieldsOf(table.descriptor, schema))
    const named = (name: string | undefined): Field | undefined => fields.find((field) => field.name === name)
    for (const people of targets) {
      const work = workColumnsOf(table.descriptor, people.name)
      const [assignee, due, state] = [named(work?.assignee), named(work?.due), named(work?.state)]
      if (assignee && due) return [{ table, people, assignee, due, state, place: placeOf(fields, schema) }]
    }
    return []
  })
}

/** Returns the link to the location: a table with positions. */
export function placeOf(fields: readonly Field[], schema: SchemaDescriptor): Field | undefined {
  return fields.find(({ link }) => isPlace(schema, link?.table))
}

/** Whether a table has its own positions. A table linking to such a table is at a place, as a finding is at a site, but is not one. */
function isPlace(schema: SchemaDescriptor, name: string | undefined): boolean {
  const located = schema.tables.filter((table) => positionOf(table) !== undefined)
  const target = located.find((table) => table.name === name)
  return target?.columns.every(({ references }) => !located.some((other) => other.name === references?.table)) ?? false
}

/** Returns the table that links people to accounts. */
export function peopleTableOf(schema: SchemaDescriptor): TableInfo | undefined {
  const tables = tablesOf(schema)
  const found = findPeople(tables.map(({ descriptor }) => descriptor))
  return found && tables.find(({ descriptor }) => descriptor === found)
}

/** Returns the tables that link people to accounts: the project's, and the members of workspaces. */
export function peopleTablesOf(schema: SchemaDescriptor): readonly TableInfo[] {
  const own = peopleTableOf(schema)
  const members = schema.tables.find(({ name }) => name === MEMBERS_TABLE)
  return [...(own ? [own] : []), ...(members ? [toTableInfo(members)] : [])]
}

export function inTableOrder({ descriptor }: TableInfo, fields: readonly Field[]): readonly Field[] {
  const place = new Map(descriptor.columns.map(({ name }, index) => [name, index]))
  return fields.toSorted((a, b) => (place.get(a.name) ?? 0) - (place.get(b.name) ?? 0))
}

/** The day of a due date over the table named `t`. Times are shifted by the workspace's offset of today: the day may be wrong within an hour of midnight across clock changes. */
export function dueDaySql({ name, kind, column }: Field): string {
  const value = `t.${quoteName(name)}`
  if (kind === 'date') return value
  if (!column.type.includes('with time zone')) return `substr(${value}, 1, 10)`
  const minutes = Math.round(offsetAt(Date.now(), useWorkspaceZone.getState().zone) / 60_000)
  return `date(substr(${value}, 1, 19), '${String(minutes)} minutes')`
}

/** Inclusive range of days, `YYYY-MM-DD`. Without bounds, includes records without a day. */
export interface WorkDays {
  readonly from?: string
  readonly until?: string
}

/**
 * SQL for a user's open records in all tables by due date, undated last: `table`, `id`, `title`, `state`, `due`, `place`.
 *
 * @param userId - the account
 * @param limit - maximum number
 */
export function openWorkSql(work: readonly WorkTable[], userId: string, days: WorkDays, limit: number): Statement {
  if (work.length === 0) return { sql: '', parameters: [] }
  const parts = work.map((one) => {
    const { table } = one
    const open = openOf(one, userId)
    const dueSql = dueDaySql(one.due)
    return {
      sql: `select ${workColumnsSql(one)} ${open.sql} ${days.from === undefined ? '' : `and ${dueSql} >= ?`} ${days.until === undefined ? '' : `and ${dueSql} <= ?`}`,
      parameters: [table.name, ...open.parameters, ...[days.from, days.until].filter((day) => day !== undefined)],
    }
  })
  return {
    sql: `${parts.map(({ sql }) => sql).join(' union all ')} order by due nulls last, 1, 2 limit ${limit}`,
    parameters: parts.flatMap(({ parameters }) => parameters),
  }
}

/** The columns of a record in a list of work, over the table named `t`. The first is a parameter: the table's name. */
export function workColumnsSql({ table, due, state, place }: Omit<WorkTable, 'assignee' | 'people'>): string {
  return `? as "table", t.id as id, ${table.titleColumn === undefined ? 'null' : `t.${quoteName(table.titleColumn)}`} as title,
          ${state ? `t.${quoteName(state.name)}` : 'null'} as state, ${dueDaySql(due)} as due,
          ${place ? labelSql(place, `t.${quoteName(place.name)}`) : 'null'} as place`
}

/**
 * SQL counting the records of {@link openWorkSql}: `overdue`, `today`, `soon` and `every`, which includes later and undated ones.
 *
 * @param today - `YYYY-MM-DD`
 * @param until - last day that counts as soon
 */
export function countWorkSql(work: readonly WorkTable[], userId: string, today: string, until: string): Statement {
  if (work.length === 0) return { sql: '', parameters: [] }
  const parts = work.map((one) => {
    const open = openOf(one, userId)
    return { sql: `select ${dueDaySql(one.due)} as due ${open.sql}`, parameters: open.parameters }
  })
  return {
    sql: `select count(*) filter (where due < ?) as overdue, count(*) filter (where due = ?) as today,
                 count(*) filter (where due > ? and due <= ?) as soon, count(*) as every
            from (${parts.map(({ sql }) => sql).join(' union all ')})`,
    parameters: [today, today, today, until, ...parts.flatMap(({ parameters }) => parameters)],
  }
}

/** `from … where …` of a user's open records, with the table as `t`. */
function openOf(one: WorkTable, userId: string): Statement {
  const { table, people, assignee } = one
  const open = isOpenSql(one)
  return {
    sql: `from ${quoteName(table.name)} t
             where t.${quoteName(assignee.name)} in (select id from ${quoteName(people.name)} where user_id = ?) ${open.sql}`,
    parameters: [userId, ...open.parameters],
  }
}

/** `and …`: whether a record of the table named `t` is open. */
export function isOpenSql(one: Pick<WorkTable, 'state' | 'handedIn'>): Statement {
  const { state, handedIn } = one
  if (!state) return { sql: '', parameters: [] }
  const finished = [...finishedStatesOf(state.column), ...(handedIn === undefined ? [] : [handedIn])]
  // Choices made in the app keep the capitals that people give them.
  return {
    sql: `and lower(coalesce(t.${quoteName(state.name)}, '')) not in (select value from json_each(?))`,
    parameters: [JSON.stringify(finished)],
  }
}
