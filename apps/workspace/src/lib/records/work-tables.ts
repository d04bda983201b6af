import { FINISHED_STATES, peopleTableOf as findPeople, type SchemaDescriptor, workColumnsOf } from '@holdfast/protocol'
import { tablesOf, type TableInfo } from '../data/tables.ts'
import { type Field, fieldsOf } from '../fields/field.ts'
import { labelSql } from '../fields/label-sql.ts'
import { quoteName, type Statement } from '../sql.ts'
import { positionOf } from './located-tables.ts'

/** A table whose records somebody has to do by a day. */
export interface WorkTable {
  readonly table: TableInfo
  /** Leads to the person who does it. */
  readonly assignee: Field
  /** The day by which, or on which, it is done. */
  readonly due: Field
  /** Where it stands; `undefined`: all its records are open. */
  readonly state: Field | undefined
  /** A state in which nothing is left for the assignee, such as submitted, besides {@link finishedStates}. */
  readonly handedIn?: string
  /** Leads to where it is done: a table of places with positions. */
  readonly place: Field | undefined
}

/**
 * Returns the tables with work in them ({@link workColumnsOf}).
 *
 * @param tables - those of the schema; with the words of the project where they are shown
 */
export function workTablesOf(
  schema: SchemaDescriptor,
  tables: readonly TableInfo[] = tablesOf(schema),
): readonly WorkTable[] {
  const people = peopleTableOf(schema)
  if (!people) return []
  return tables.flatMap((table) => {
    const work = workColumnsOf(table.descriptor, people.name)
    const fields = inTableOrder(table, fieldsOf(table.descriptor, schema))
    const named = (name: string | undefined): Field | undefined => fields.find((field) => field.name === name)
    const [assignee, due, state] = [named(work?.assignee), named(work?.due), named(work?.state)]
    if (!assignee || !due) return []
    const place = fields.find(({ link }) => isPlace(schema, link?.table))
    return [{ table, assignee, due, state, place }]
  })
}

/** Whether a table has positions of its own. One that leads to such a table is at a place, as a finding is at a site, and is none. */
function isPlace(schema: SchemaDescriptor, name: string | undefined): boolean {
  const located = schema.tables.filter((table) => positionOf(table) !== undefined)
  const target = located.find((table) => table.name === name)
  return target?.columns.every(({ references }) => !located.some((other) => other.name === references?.table)) ?? false
}

/** The table that ties people to accounts. */
export function peopleTableOf(schema: SchemaDescriptor): TableInfo | undefined {
  const tables = tablesOf(schema)
  const found = findPeople(tables.map(({ descriptor }) => descriptor))
  return found && tables.find(({ descriptor }) => descriptor === found)
}

function inTableOrder({ descriptor }: TableInfo, fields: readonly Field[]): readonly Field[] {
  const place = new Map(descriptor.columns.map(({ name }, index) => [name, index]))
  return fields.toSorted((a, b) => (place.get(a.name) ?? 0) - (place.get(b.name) ?? 0))
}

/** States in which nothing is left to do, such as verified and cancelled. */
export function finishedStates({ state }: WorkTable): readonly string[] {
  return state === undefined ? [] : FINISHED_STATES
}

/** Days, `YYYY-MM-DD`, both of them included. Without either, records without a day belong to it as well. */
export interface WorkDays {
  readonly from?: string
  readonly until?: string
}

/**
 * The open records of a person, over all tables, the earliest first and those without a day last: `table`, `id`, `title`, `state`, `due`, `place`.
 *
 * @param userId - the account
 * @param limit - at most so many
 */
export function openWorkSql(
  schema: SchemaDescriptor,
  work: readonly WorkTable[],
  userId: string,
  days: WorkDays,
  limit: number,
): Statement {
  const people = peopleTableOf(schema)
  if (!people || work.length === 0) return { sql: '', parameters: [] }
  const parts = work.map((one) => {
    const { table, due, state, place } = one
    const open = openOf(one, people, userId)
    const dueSql = `t.${quoteName(due.name)}`
    return {
      sql: `select ? as "table", t.id as id, ${table.titleColumn === undefined ? 'null' : `t.${quoteName(table.titleColumn)}`} as title,
                   ${state ? `t.${quoteName(state.name)}` : 'null'} as state, ${dueSql} as due,
                   ${place ? labelSql(place, `t.${quoteName(place.name)}`) : 'null'} as place
              ${open.sql} ${days.from === undefined ? '' : `and ${dueSql} >= ?`} ${days.until === undefined ? '' : `and ${dueSql} <= ?`}`,
      parameters: [table.name, ...open.parameters, ...[days.from, days.until].filter((day) => day !== undefined)],
    }
  })
  return {
    sql: `${parts.map(({ sql }) => sql).join(' union all ')} order by due nulls last, 1, 2 limit ${limit}`,
    parameters: parts.flatMap(({ parameters }) => parameters),
  }
}

/**
 * How many records {@link openWorkSql} has: one row with `overdue`, `today`, `soon` and `every`, the last with those that are later or have no day.
 *
 * @param today - a day, `YYYY-MM-DD`
 * @param until - the last day that is soon
 */
export function countWorkSql(
  schema: SchemaDescriptor,
  work: readonly WorkTable[],
  userId: string,
  today: string,
  until: string,
): Statement {
  const people = peopleTableOf(schema)
  if (!people || work.length === 0) return { sql: '', parameters: [] }
  const parts = work.map((one) => {
    const open = openOf(one, people, userId)
    return { sql: `select t.${quoteName(one.due.name)} as due ${open.sql}`, parameters: open.parameters }
  })
  return {
    sql: `select count(*) filter (where due < ?) as overdue, count(*) filter (where due = ?) as today,
                 count(*) filter (where due > ? and due <= ?) as soon, count(*) as every
            from (${parts.map(({ sql }) => sql).join(' union all ')})`,
    parameters: [today, today, today, until, ...parts.flatMap(({ parameters }) => parameters)],
  }
}

/** From where the open records of a person come: `from … where …`, with the table as `t`. */
function openOf(one: WorkTable, people: TableInfo, userId: string): Statement {
  const { table, assignee, state } = one
  const finished = [...finishedStates(one), ...(one.handedIn === undefined ? [] : [one.handedIn])]
  const isOpen =
    state && finished.length > 0
      ? `and coalesce(t.${quoteName(state.name)}, '') not in (select value from json_each(?))`
      : ''
  return {
    sql: `from ${quoteName(table.name)} t
             where t.${quoteName(assignee.name)} in (select id from ${quoteName(people.name)} where user_id = ?) ${isOpen}`,
    parameters: [userId, ...(isOpen === '' ? [] : [JSON.stringify(finished)])],
  }
}
