import { runAs, sql, type Catalog, type Connections, type Transaction } from '@holdfast/postgres'
import { readNames, readTitles, shorten, titleKey } from '../digest/record-names.ts'
import { peopleTablesOf } from '../digest/work-tables.ts'
import { READ_MS, TEXT_CHARS_MAX, TITLE_CHARS_MAX } from './limits.ts'
import type { NewsKind, QueuedEvent } from './queue.ts'

/** A user's news, as far as visible to them. */
export interface News {
  readonly kind: NewsKind
  /** The table's name on devices. */
  readonly table: string
  /** Empty for a notice without a record. */
  readonly record: string
  /** Title of the record. */
  readonly title: string | undefined
  /** The author. */
  readonly who: string | undefined
  /** Text of a comment. */
  readonly text: string | undefined
}

interface Source {
  readonly id: string
  readonly table: string
  readonly record: string
  readonly actor: string | null
  readonly text: string | null
  /** Of a notice. */
  readonly title: string | null
}

/**
 * Reads events in one transaction as the recipient: row-level security hides rows that they may no longer see, and deleted rows are absent.
 *
 * @param claims - of the user's session
 * @returns the newest last
 */
export async function readNews(
  connections: Connections,
  catalog: Catalog,
  claims: Readonly<Record<string, unknown>>,
  events: readonly QueuedEvent[],
): Promise<readonly News[]> {
  const role = typeof claims['role'] === 'string' ? claims['role'] : 'anon'
  const session = { role, claims, settings: { statement_timeout: `${READ_MS}ms` } }
  return runAs(connections, session, async (tx) => {
    const sources = await readSources(tx, events)
    const kinds = new Map(events.map(({ kind, sourceId }) => [sourceId, kind]))
    const actors = sources.map(({ actor }) => actor)
    const who = await readNames(tx, peopleTablesOf(catalog, role), actors)
    const titles = await readTitles(tx, catalog, role, sources)
    return sources.map(({ id, table, record, actor, text, title }) => ({
      kind: kinds.get(id) ?? 'mention',
      table,
      record,
      title: shorten(title ?? titles.get(titleKey({ table, record })), TITLE_CHARS_MAX),
      who: shorten(who.get(actor ?? ''), TITLE_CHARS_MAX),
      text: shorten(text, TEXT_CHARS_MAX),
    }))
  })
}

async function readSources(tx: Transaction, events: readonly QueuedEvent[]): Promise<readonly Source[]> {
  const idsOf = (...kinds: readonly NewsKind[]): readonly string[] =>
    events.filter(({ kind }) => kinds.includes(kind)).map(({ sourceId }) => sourceId)
  return tx.query<Source>(sql`
    select s.id, s."table", s.record, s.actor, s.text, s.title
      from (select c.id::text as id, c.table_name as "table", c.record_id::text as record, c.author_id as actor, c.body as text, null as title, c.created_at as at
              from holdfast.comments c where c.id = any (${idsOf('mention', 'reply')}::uuid[]) and c.deleted_at is null
             union all
            select h.id::text, h.table_name, h.record_id::text, h.actor_id, null, null, h.at
              from holdfast.history h where h.id = any (${idsOf('assigned')}::bigint[])
             union all
            select n.id::text, coalesce(n.table_name, ''), coalesce(n.record_id::text, ''), null, n.body, n.title, n.created_at
              from holdfast.notices n where n.id = any (${idsOf('notice')}::uuid[])) s
     order by s.at, s.id`)
}
