import { runAs, sql, type Catalog, type Connections, type Transaction } from '@holdfast/postgres'
import { isReadable, peopleTableOf, titleOf } from '../digest/work-tables.ts'
import { READ_MS, TEXT_CHARS_MAX, TITLE_CHARS_MAX } from './limits.ts'
import type { NewsKind, QueuedEvent } from './queue.ts'

/** What is new for a person, as far as they may see it. */
export interface News {
  readonly kind: NewsKind
  /** By its name on devices. */
  readonly table: string
  readonly record: string
  /** What the record is called. */
  readonly title: string | undefined
  /** Who did it. */
  readonly who: string | undefined
  /** What a comment says. */
  readonly text: string | undefined
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

interface Source {
  readonly id: string
  readonly table: string
  readonly record: string
  readonly actor: string | null
  readonly text: string | null
}

/**
 * Reads what happened, in one transaction as the person it is for: row-level security leaves out what they may not see now, and what is no more.
 *
 * @param claims - of the person's session
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
    const who = await readNames(tx, catalog, role, sources)
    const titles = await readTitles(tx, catalog, role, sources)
    return sources.map(({ id, table, record, actor, text }) => ({
      kind: kinds.get(id) ?? 'mention',
      table,
      record,
      title: cut(titles.get(record), TITLE_CHARS_MAX),
      who: cut(who.get(actor ?? ''), TITLE_CHARS_MAX),
      text: cut(text ?? undefined, TEXT_CHARS_MAX),
    }))
  })
}

async function readSources(tx: Transaction, events: readonly QueuedEvent[]): Promise<readonly Source[]> {
  const idsOf = (isAssigned: boolean): readonly string[] =>
    events.filter(({ kind }) => (kind === 'assigned') === isAssigned).map(({ sourceId }) => sourceId)
  return tx.query<Source>(sql`
    select s.id, s."table", s.record, s.actor, s.text
      from (select c.id::text as id, c.table_name as "table", c.record_id::text as record, c.author_id as actor, c.body as text, c.created_at as at
              from holdfast.comments c where c.id = any (${idsOf(false)}::uuid[]) and c.deleted_at is null
             union all
            select h.id::text, h.table_name, h.record_id::text, h.actor_id, null, h.at
              from holdfast.history h where h.id = any (${idsOf(true)}::bigint[])) s
     order by s.at, s.id`)
}

/** What people are called: by the first table that ties names to accounts. */
async function readNames(
  tx: Transaction,
  catalog: Catalog,
  role: string,
  sources: readonly Source[],
): Promise<ReadonlyMap<string, string>> {
  const people = peopleTableOf(catalog, role)
  const actors = sources.flatMap(({ actor }) => (actor === null ? [] : [actor]))
  if (!people || actors.length === 0) return new Map()
  const rows = await tx.query<{ readonly id: string; readonly name: string | null }>(sql`
    select p.user_id::text as id, p.${sql.identifier(people.name)}::text as name
      from ${sql.identifier(people.table.schema, people.table.name)} p where p.user_id = any (${actors}::uuid[])`)
  return new Map(rows.flatMap(({ id, name }) => (name === null ? [] : [[id, name]])))
}

/** What records are called. */
async function readTitles(
  tx: Transaction,
  catalog: Catalog,
  role: string,
  sources: readonly Source[],
): Promise<ReadonlyMap<string, string>> {
  const titles = new Map<string, string>()
  for (const name of new Set(sources.map(({ table }) => table))) {
    const table = catalog.table('public', name)
    const title = table && titleOf(catalog, table, role)
    const id = table?.columns.find((column) => column.name === 'id' && column.baseType === 'uuid')
    if (!table || title === undefined || !id || !isReadable(table, role, 'id')) continue
    const records = sources.filter((one) => one.table === name && UUID.test(one.record)).map(({ record }) => record)
    const rows = await tx.query<{ readonly id: string; readonly title: string | null }>(sql`
      select r.id::text as id, r.${sql.identifier(title)}::text as title
        from ${sql.identifier(table.schema, table.name)} r where r.id = any (${records}::uuid[])`)
    for (const row of rows) if (row.title !== null) titles.set(row.id, row.title)
  }
  return titles
}

function cut(text: string | undefined, charsMax: number): string | undefined {
  const chars = [...(text?.trim() ?? '')]
  if (chars.length === 0) return undefined
  return chars.length > charsMax ? `${chars.slice(0, charsMax - 1).join('')}…` : chars.join('')
}
