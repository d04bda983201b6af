import { runAs, sql, type Catalog, type Connections, type SqlFragment, type Transaction } from '@holdfast/postgres'
import type { FieldUse } from '@holdfast/protocol'
import { ITEMS_MAX, READ_MAX, READ_MS, TEXT_CHARS_MAX, TITLE_CHARS_MAX, UNREAD_DAYS } from './limits.ts'
import { readNames, readTitles, shorten, titleKey } from './record-names.ts'
import { type FieldSettings, isReadable, peopleTablesOf, type WorkTable, workTablesOf } from './work-tables.ts'

export type DigestKind = 'overdue' | 'due' | 'mention' | 'comment' | 'assigned'

/** An unread item in a user's inbox. */
export interface DigestItem {
  readonly kind: DigestKind
  /** The table's name on devices. */
  readonly table: string
  readonly record: string
  readonly title: string | undefined
  /** The author. */
  readonly who: string | undefined
  /** Text of a comment. */
  readonly text: string | undefined
  /** Due date, `YYYY-MM-DD`. */
  readonly day: string | undefined
}

export interface Digest {
  /** At most {@link ITEMS_MAX}, grouped by kind, newest first. */
  readonly items: readonly DigestItem[]
  readonly total: number
  /** Whether any of it is newer than the last mail. */
  readonly isNew: boolean
}

export interface ReadDigestOptions {
  readonly catalog: Catalog
  /** The user's claims, as in their own token. */
  readonly claims: Readonly<Record<string, unknown>>
  readonly userId: string
  readonly day: string
  readonly timeZone: string
  /** When the last mail was written. */
  readonly since: Date | null
}

interface Row {
  readonly kind: DigestKind
  readonly table: string
  readonly record: string
  readonly actor: string | null
  readonly text: string | null
  readonly day: string | null
  readonly isNew: boolean
}

const ORDER: readonly DigestKind[] = ['overdue', 'due', 'mention', 'comment', 'assigned']

/**
 * Reads a user's unread inbox items, with the app's rules, in one transaction as that user: row-level security hides rows that they may no longer see.
 *
 * @throws errors of Postgres, including a timeout after {@link READ_MS}
 */
export async function readDigest(connections: Connections, options: ReadDigestOptions): Promise<Digest> {
  const { claims, catalog } = options
  const role = typeof claims['role'] === 'string' ? claims['role'] : 'anon'
  const session = { role, claims, settings: { statement_timeout: `${READ_MS}ms` } }
  return runAs(connections, session, async (tx) => {
    const people = peopleTablesOf(catalog, role)
    const work = workTablesOf(catalog, people, role, await readFieldSettings(tx, catalog, role))
    const rows = await readUnread(tx, options, work)
    const ordered = rows.toSorted((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind))
    const shown = ordered.slice(0, ITEMS_MAX)
    const names = await readNames(
      tx,
      people,
      shown.map(({ actor }) => actor),
    )
    const titles = await readTitles(tx, catalog, role, shown)
    const items = shown.map(({ kind, table, record, actor, text, day }) => ({
      kind,
      table,
      record,
      title: shorten(titles.get(titleKey({ table, record })), TITLE_CHARS_MAX),
      who: shorten(names.get(actor ?? ''), TITLE_CHARS_MAX),
      text: shorten(text, TEXT_CHARS_MAX),
      day: day ?? undefined,
    }))
    return { items, total: rows.length, isNew: rows.some(({ isNew }) => isNew) }
  })
}

/** Reads the owners' settings that the user can see. Those of a workspace override the project's. */
async function readFieldSettings(tx: Transaction, catalog: Catalog, role: string): Promise<FieldSettings> {
  const fields = catalog.table('holdfast', 'fields')
  if (!fields || !['role', 'closed_choices'].every((column) => isReadable(fields, role, column))) return new Map()
  const rows = await tx.query<{ name: string; use: FieldUse | null; closed: readonly string[] | null }>(sql`
    select concat_ws('.', f.schema_name, f.table_name, f.field_name) as name, f.role as use, f.closed_choices as closed
      from holdfast.fields f where f.role is not null or f.closed_choices is not null
     order by f.workspace_id is not null, f.workspace_id`)
  return new Map(rows.map(({ name, use, closed }) => [name, { use: use ?? undefined, closed: closed ?? undefined }]))
}

async function readUnread(
  tx: Transaction,
  options: ReadDigestOptions,
  work: readonly WorkTable[],
): Promise<readonly Row[]> {
  const me = options.userId
  const parts = [
    commentsSql(options, work),
    ...work.flatMap((one) => [assignedSql(options, one), dueSql(options, one)]),
  ]
  const all = parts.reduce((before, part) => sql`${before} union all ${part}`)
  return tx.query<Row>(sql`
    select i.kind, i."table", i.record, i.actor::text as actor, i.text, i.day::text as day,
           i.at > coalesce(${options.since?.toISOString() ?? null}::timestamptz, '-infinity') as "isNew"
      from (${all}) i
     where i.at > coalesce((
             select max(m.read_at) from holdfast.read_marks m
              where m.owner_id = ${me} and (m.table_name is null or (m.table_name = i."table" and m.record_id = i.record))), '-infinity')
     order by i.at desc limit ${READ_MAX}`)
}

/** Selects the user among those whom the assignee links to. */
function ownSql({ people }: WorkTable, me: string): SqlFragment {
  return sql`(select p.${sql.identifier(people.key)} from ${sql.identifier(people.table.schema, people.table.name)} p where p.user_id = ${me})`
}

/** Selects others' comments that mention the user, reply to them or concern their work. */
function commentsSql({ userId: me }: ReadDigestOptions, work: readonly WorkTable[]): SqlFragment {
  const isMine = work.reduce(
    (before, one) => sql`${before} or (c.table_name = ${one.table.name} and c.record_id in (
      select t.id from ${sql.identifier(one.table.schema, one.table.name)} t where t.${sql.identifier(one.assignee)} in ${ownSql(one, me)}))`,
    sql`exists (select from holdfast.comments p where p.id = c.parent_id and p.author_id = ${me})`,
  )
  return sql`
    select case when c.mentions @> to_jsonb(${me}::text) then 'mention' else 'comment' end as kind, c.table_name as "table", c.record_id::text as record,
           c.created_at as at, c.author_id as actor, c.body as text, null::date as day
      from holdfast.comments c
     where c.created_at >= now() - ${UNREAD_DAYS} * interval '1 day' and c.author_id <> ${me} and c.deleted_at is null
       and (c.mentions @> to_jsonb(${me}::text) or ${isMine})`
}

/** Selects work that others assigned to the user. */
function assignedSql({ userId: me }: ReadDigestOptions, one: WorkTable): SqlFragment {
  const { table, assignee } = one
  return sql`
    select 'assigned', h.table_name, h.record_id::text, h.at, h.actor_id, null, null::date
      from holdfast.history h
     where h.table_name = ${table.name} and h.at >= now() - ${UNREAD_DAYS} * interval '1 day' and h.actor_id is distinct from ${me}
       and h.changes -> ${assignee}::text ->> 'to' in (select o.id::text from ${ownSql(one, me)} o (id))`
}

/** Selects the user's open work whose due date has begun in the workspace's time zone. */
function dueSql({ userId, day, timeZone }: ReadDigestOptions, one: WorkTable): SqlFragment {
  const { table, assignee, state, finished } = one
  const due = dueDayOf(one, timeZone)
  const isOpen =
    state === undefined
      ? sql`true`
      : sql`lower(coalesce(t.${sql.identifier(state)}::text, '')) <> all (${finished}::text[])`
  return sql`
    select case when ${due} < ${day}::date then 'overdue' else 'due' end, ${table.name}::text, t.id::text, ${due}::timestamp at time zone ${timeZone}, null, null, ${due}
      from ${sql.identifier(table.schema, table.name)} t
     where t.${sql.identifier(assignee)} in ${ownSql(one, userId)} and ${due} <= ${day}::date and ${due} >= ${day}::date - ${UNREAD_DAYS}::integer and ${isOpen}`
}

/** The day of a due date, which can be a time. */
function dueDayOf({ table, due }: WorkTable, timeZone: string): SqlFragment {
  const column = sql`t.${sql.identifier(due)}`
  const type = table.columns.find(({ name }) => name === due)?.baseType
  if (type === 'date') return column
  return type === 'timestamp with time zone' ? sql`(${column} at time zone ${timeZone})::date` : sql`${column}::date`
}
