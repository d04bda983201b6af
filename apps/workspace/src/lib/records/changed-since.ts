import type { TableInfo } from '../data/tables.ts'
import { quoteName, quoteText, type Statement } from '../sql.ts'

/** Limit of counted records per table. */
export const COUNT_MAX = 1_000
/** Records listed per table. */
export const LISTED_MAX = 3

/** Local column with the time of the server's last change of a record. */
const CHANGED = 'updated_at'

/** The records of a table that changed: how many (at most {@link COUNT_MAX}). */
export interface ChangedCount {
  readonly table: string
  readonly count: number
}

/** A changed record. */
export interface ChangedRecord {
  readonly table: string
  readonly id: string
  readonly title: string | number | null
  /** Stored time. */
  readonly at: string
  /** Added since, rather than changed. */
  readonly isNew: 0 | 1
}

/** Returns the tables whose records say when they changed, without those that only support others. */
export function followedTables(tables: readonly TableInfo[]): readonly TableInfo[] {
  return tables.filter(({ descriptor, isSupporting }) => !isSupporting && hasColumn(descriptor, CHANGED))
}

/**
 * SQL for the number of records per table that others changed after a time: without those that the user added, or changed on this device since then.
 *
 * @param since - ISO time
 */
export function changedCountsSql(tables: readonly TableInfo[], userId: string, since: string): Statement {
  const parts = tables.map((table) => {
    const changed = changedOf(table, userId, since)
    return {
      sql: `select ${quoteText(table.name)} as "table", count(*) as count from (select 1 ${changed.sql} limit ${String(COUNT_MAX)})`,
      parameters: changed.parameters,
    }
  })
  return union(parts)
}

/** SQL for the latest of those records per table. */
export function changedRecordsSql(tables: readonly TableInfo[], userId: string, since: string): Statement {
  const parts = tables.map((table) => {
    const changed = changedOf(table, userId, since)
    const { titleColumn } = table
    const isNew = hasColumn(table.descriptor, 'created_at') ? 't.created_at > ?' : '0'
    return {
      sql: `select * from (select ${quoteText(table.name)} as "table", t.id as id, ${titleColumn === undefined ? 'null' : `t.${quoteName(titleColumn)}`} as title,
                   t.${CHANGED} as at, ${isNew} as isNew ${changed.sql} order by t.${CHANGED} desc, t.id limit ${String(LISTED_MAX)})`,
      parameters: [...(isNew === '0' ? [] : [since]), ...changed.parameters],
    }
  })
  return union(parts)
}

function union(parts: readonly Statement[]): Statement {
  return {
    sql: parts.map(({ sql }) => sql).join(' union all '),
    parameters: parts.flatMap(({ parameters }) => parameters),
  }
}

function changedOf({ name, descriptor }: TableInfo, userId: string, since: string): Statement {
  const isOwn = ['created_by', 'created_at'].every((column) => hasColumn(descriptor, column))
    ? `and not (t.created_by is ? and t.created_at = t.${CHANGED})`
    : ''
  return {
    sql: `from ${quoteName(name)} t
           where t.${CHANGED} > ? ${isOwn}
             and ? || '/' || t.id not in (select ref from hf_local_recent where kind = 'own')`,
    parameters: [since, ...(isOwn === '' ? [] : [userId]), name],
  }
}

function hasColumn({ columns }: TableInfo['descriptor'], name: string): boolean {
  return columns.some((column) => column.name === name)
}
