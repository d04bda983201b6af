import { useLocalDatabase, useRecords, useSchema } from '@holdfast/react'
import { useMemo } from 'react'
import { useToday } from '../../hooks/use-today.ts'
import { COMMENTS_TABLE } from '../data/comments-table.ts'
import { addDays } from '../fields/dates.ts'
import { READ_MARKS_TABLE, UNREAD_DAYS, useHasReadMarks } from './read-marks.ts'
import type { Statement } from '../sql.ts'

const THROTTLE_MS = 1_000

/** Comments by others since the user last looked. */
export interface UnreadComments {
  readonly count: number
  /** Number that mention the user. */
  readonly mentions: number
}

export interface UnreadRow extends UnreadComments {
  readonly id: string
}

const NONE: ReadonlyMap<string, UnreadComments> = new Map()

/**
 * SQL for unread comments of a table's records ({@link UnreadRow}): by others, after the latest mark of record or everything.
 *
 * @param since - first day, `YYYY-MM-DD`
 * @param hasMentions - whether comments record mentions
 */
export function unreadSql(table: string, userId: string, since: string, hasMentions: boolean): Statement {
  const mentions = hasMentions ? `coalesce(c.mentions, '') like '%' || ? || '%'` : '0'
  return {
    sql: `with marks as (
            select record_id, max(read_at) as at from ${READ_MARKS_TABLE}
             where table_name is null or table_name = ? group by record_id)
          select c.record_id as id, count(*) as count, sum(${mentions}) as mentions
            from ${COMMENTS_TABLE} c left join marks m on m.record_id = c.record_id
           where c.table_name = ? and c.author_id is not ? and c.deleted_at is null
             and c.created_at >= ? and c.created_at > coalesce(m.at, '')
             and c.created_at > coalesce((select e.at from marks e where e.record_id is null), '')
           group by c.record_id`,
    parameters: [table, ...(hasMentions ? [userId] : []), table, userId, since],
  }
}

/** Returns live records with unread comments, by id. Empty without comments or read marks, and while loading. */
export function useUnreadComments(table: string): ReadonlyMap<string, UnreadComments> {
  const { tables } = useSchema()
  const { userId } = useLocalDatabase()
  const since = addDays(useToday(), -UNREAD_DAYS)
  const comments = tables.find(({ name }) => name === COMMENTS_TABLE)
  const isKnown = useHasReadMarks() && comments !== undefined
  const hasMentions = comments?.columns.some(({ name }) => name === 'mentions') === true
  const { sql, parameters } = unreadSql(table, userId, since, hasMentions)
  const { rows } = useRecords<UnreadRow>(isKnown ? sql : '', parameters, { throttleMs: THROTTLE_MS })
  return useMemo(() => (rows.length === 0 ? NONE : new Map(rows.map((row) => [row.id, row]))), [rows])
}
