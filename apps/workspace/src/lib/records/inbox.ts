import type { SchemaDescriptor } from '@holdfast/protocol'
import { COMMENTS_TABLE } from '../data/comments-table.ts'
import { HISTORY_TABLE } from '../data/history-table.ts'
import { startOfDay } from '../fields/dates.ts'
import { quoteName, type Statement } from '../sql.ts'
import { READ_MARKS_TABLE } from './read-marks.ts'
import { openWorkSql, type WorkTable } from './work-tables.ts'

export type InboxKind = 'mention' | 'comment' | 'assigned' | 'due' | 'notice'

/** A news item for a user. */
export interface InboxItem {
  readonly kind: InboxKind
  readonly id: string
  readonly table: string
  readonly record: string
  /** Stored time: text order is time order. */
  readonly at: string
  /** Account of the author; `null` for the system. */
  readonly actor: string | null
  /** Comment text, due date, or what an automation says. */
  readonly text: string | null
  /** The number of further notices that were merged into this one. */
  readonly more: number | null
  /** Time up to which the user has read this record's news. */
  readonly read: string | null
}

/** Local name of `holdfast.notices`. */
const NOTICES_TABLE = 'hf_notices'

const ITEMS_MAX = 200

/**
 * SQL for a user's news, newest first ({@link InboxItem}): comments mentioning them, replying to theirs or about their work; assigned work; work that became
 * due; what automations say. Uses only local data.
 *
 * @param since - first day, `YYYY-MM-DD`
 * @param today - last day on which work becomes due
 */
export function inboxSql(
  schema: SchemaDescriptor,
  work: readonly WorkTable[],
  userId: string,
  since: string,
  today: string,
): Statement {
  const has = (table: string): boolean => schema.tables.some(({ name }) => name === table)
  const parts = [
    ...(has(NOTICES_TABLE) ? [noticesSql(userId, since)] : []),
    ...(has(COMMENTS_TABLE) ? [commentsSql(work, userId, since)] : []),
    ...(has(HISTORY_TABLE) ? work.map((one) => assignedSql(one, userId, since)) : []),
    ...(work.length === 0 ? [] : [dueSql(work, userId, since, today)]),
  ]
  if (parts.length === 0) return { sql: '', parameters: [] }
  const read = has(READ_MARKS_TABLE)
    ? `(select max(m.read_at) from ${READ_MARKS_TABLE} m
         where m.table_name is null or (m.table_name = i."table" and m.record_id = i.record))`
    : 'i.at'
  return {
    sql: `select i.*, ${read} as read from (${parts.map(({ sql }) => sql).join(' union all ')}) i
           order by i.at desc, i.id limit ${ITEMS_MAX}`,
    parameters: parts.flatMap(({ parameters }) => parameters),
  }
}

/** Whether the user has not seen an item. */
export function isUnread({ at, read }: InboxItem): boolean {
  return at > (read ?? '')
}

function commentsSql(work: readonly WorkTable[], userId: string, since: string): Statement {
  const mine = work.map(mineSql)
  const isMentioned = `coalesce(c.mentions, '') like '%' || ? || '%'`
  const isMine = mine.map((sql) => `or (c.table_name = ? and c.record_id in (${sql}))`)
  return {
    sql: `select case when ${isMentioned} then 'mention' else 'comment' end as kind, c.id as id, c.table_name as "table",
                 c.record_id as record, c.created_at as at, c.author_id as actor, c.body as text, null as more
            from ${COMMENTS_TABLE} c
           where c.created_at >= ? and c.author_id is not ? and c.deleted_at is null
             and (${isMentioned} or c.parent_id in (select id from ${COMMENTS_TABLE} where author_id = ?) ${isMine.join(' ')})`,
    parameters: [userId, since, userId, userId, userId, ...work.flatMap(({ table }) => [table.name, userId])],
  }
}

function assignedSql(one: WorkTable, userId: string, since: string): Statement {
  const { table, people, assignee } = one
  return {
    sql: `select 'assigned', h.id, ?, h.record_id, h.at, h.actor_id, null, null as more
            from ${HISTORY_TABLE} h
           where h.table_name = ? and h.at >= ? and h.actor_id is not ?
             and (select value ->> 'to' from json_each(h.changes) where key = ?) in (select id from ${quoteName(people.name)} where user_id = ?)`,
    parameters: [table.name, table.descriptor.table, since, userId, assignee.column.column ?? assignee.name, userId],
  }
}

/** SQL for due work, which becomes due when its day starts in the workspace. May be off by an hour across clock changes, without affecting the day. */
function dueSql(work: readonly WorkTable[], userId: string, since: string, today: string): Statement {
  const open = openWorkSql(work, userId, { until: today }, ITEMS_MAX)
  const beginsAt = Math.round((startOfDay(today).getTime() - Date.parse(today)) / 60_000)
  return {
    sql: `select 'due', d.id, d."table", d.id, strftime('%Y-%m-%dT%H:%M:%S.000000Z', d.due, ?), null, d.due, null as more
            from (${open.sql}) d where d.due >= ?`,
    parameters: [`${String(beginsAt)} minutes`, ...open.parameters, since],
  }
}

function noticesSql(userId: string, since: string): Statement {
  return {
    sql: `select 'notice' as kind, n.id as id, n.table_name as "table", n.record_id as record, n.created_at as at, null as actor, n.body as text, n.more as more
            from ${NOTICES_TABLE} n where n.user_id = ? and n.created_at >= ? and n.record_id is not null`,
    parameters: [userId, since],
  }
}

function mineSql({ table, people, assignee }: WorkTable): string {
  return `select t.id from ${quoteName(table.name)} t
           where t.${quoteName(assignee.name)} in (select id from ${quoteName(people.name)} where user_id = ?)`
}
