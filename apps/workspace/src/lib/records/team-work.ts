import { finishedStatesOf, type SchemaDescriptor } from '@holdfast/protocol'
import type { TableInfo } from '../data/tables.ts'
import { fieldsOf } from '../fields/field.ts'
import { quoteName, type Statement } from '../sql.ts'
import {
  dueDaySql,
  inTableOrder,
  isOpenSql,
  placeOf,
  workColumnsSql,
  type WorkTable,
  workTablesOf,
} from './work-tables.ts'

/** A table of work, where records may also have no assignee. */
export type TeamTable = Omit<WorkTable, 'assignee' | 'people'> & Partial<Pick<WorkTable, 'assignee' | 'people'>>

/** Limit of people. */
export const PEOPLE_MAX = 200

/** Open work of one person that is not the user's own, as {@link teamSql} reads it. */
export interface TeamRow {
  /** Account, or the id of a person without one; `null`: unassigned. */
  readonly who: string | null
  /** `null` for a person who is not on this device. */
  readonly name: string | null
  readonly overdue: number
  /** Due from today on. */
  readonly soon: number
}

/**
 * Returns the tables with the work of a team: those with an assignee, and those with a due date and a state that can be finished, as in work orders that nobody is
 * assigned to.
 */
export function teamTablesOf(schema: SchemaDescriptor, tables: readonly TableInfo[]): readonly TeamTable[] {
  const assigned = workTablesOf(schema, tables)
  const others = tables.flatMap((table): TeamTable[] => {
    if (assigned.some((one) => one.table.name === table.name)) return []
    const fields = inTableOrder(table, fieldsOf(table.descriptor, schema))
    const due = fields.find(({ use }) => use === 'due')
    const state = fields.find(({ use }) => use === 'state')
    const finished = state ? finishedStatesOf(state.column) : []
    const canFinish = state?.choices.some((choice) => finished.includes(choice.toLowerCase()))
    return due && state && canFinish ? [{ table, due, state, place: placeOf(fields, schema) }] : []
  })
  return [...assigned, ...others]
}

/**
 * SQL for the open work that this user can see and does not have, per person, most overdue first ({@link TeamRow}).
 *
 * @param today - `YYYY-MM-DD`
 * @param until - last day that counts as soon
 */
export function teamSql(team: readonly TeamTable[], userId: string, today: string, until: string): Statement {
  if (team.length === 0) return { sql: '', parameters: [] }
  const parts = team.map((one) => {
    const others = othersOf(one, userId, until)
    return {
      sql: `select ${whoSql(one)} as who, ${nameSql(one)} as name, ${dueDaySql(one.due)} as due ${others.sql}`,
      parameters: others.parameters,
    }
  })
  return {
    sql: `select who, max(name) as name, count(*) filter (where due < ?) as overdue, count(*) filter (where due >= ?) as soon
            from (${parts.map(({ sql }) => sql).join(' union all ')})
           group by who order by overdue desc, soon desc, name nulls last, who limit ${PEOPLE_MAX}`,
    parameters: [today, today, ...parts.flatMap(({ parameters }) => parameters)],
  }
}

/** SQL for the records of one person in {@link teamSql}, by due date, with the columns of `openWorkSql`. */
export function teamRecordsSql(
  team: readonly TeamTable[],
  userId: string,
  who: string | null,
  until: string,
  limit: number,
): Statement {
  const parts = team
    .filter((one) => one.assignee !== undefined || who === null)
    .map((one) => {
      const others = othersOf(one, userId, until)
      const isTheirs = who === null ? `${whoSql(one)} is null` : `${whoSql(one)} = ?`
      return {
        sql: `select ${workColumnsSql(one)} ${others.sql} and ${isTheirs}`,
        parameters: [one.table.name, ...others.parameters, ...(who === null ? [] : [who])],
      }
    })
  if (parts.length === 0) return { sql: '', parameters: [] }
  return {
    sql: `${parts.map(({ sql }) => sql).join(' union all ')} order by due, 1, 2 limit ${String(limit)}`,
    parameters: parts.flatMap(({ parameters }) => parameters),
  }
}

function whoSql({ assignee }: TeamTable): string {
  return assignee ? `coalesce(p.user_id, t.${quoteName(assignee.name)})` : 'null'
}

function nameSql({ people }: TeamTable): string {
  return people?.titleColumn === undefined ? 'null' : `p.${quoteName(people.titleColumn)}`
}

/** `from … where …` of the open records until a day that are not the user's, with the table as `t` and the assignee as `p`. */
function othersOf(one: TeamTable, userId: string, until: string): Statement {
  const { table, people, assignee, due } = one
  const open = isOpenSql(one)
  const join = people && assignee ? `left join ${quoteName(people.name)} p on p.id = t.${quoteName(assignee.name)}` : ''
  return {
    sql: `from ${quoteName(table.name)} t ${join}
           where ${dueDaySql(due)} <= ? ${open.sql} ${join === '' ? '' : 'and p.user_id is not ?'}`,
    parameters: [until, ...open.parameters, ...(join === '' ? [] : [userId])],
  }
}
