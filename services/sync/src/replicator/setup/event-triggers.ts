import { sql, type Queryable } from '@holdfast/postgres'

/** An event trigger that sync needs to notice schema changes. */
interface RequiredTrigger {
  readonly name: string
  readonly event: 'ddl_command_end' | 'sql_drop' | 'table_rewrite'
  /** `null` for all commands. */
  readonly tags: readonly string[] | null
  readonly calls: string
  /** Also fires in sessions with `session_replication_role = replica`. */
  readonly isAlways: boolean
}

const REQUIRED: readonly RequiredTrigger[] = [
  { name: 'holdfast_rewrite', event: 'table_rewrite', tags: null, calls: 'on_table_rewrite', isAlways: true },
  { name: 'holdfast_ddl', event: 'ddl_command_end', tags: null, calls: 'on_catalog_change', isAlways: true },
  { name: 'holdfast_drop', event: 'sql_drop', tags: null, calls: 'on_catalog_change', isAlways: true },
  {
    name: 'holdfast_publication',
    event: 'ddl_command_end',
    tags: ['ALTER PUBLICATION'],
    calls: 'on_publication_change',
    isAlways: false,
  },
  {
    name: 'holdfast_publication_drop',
    event: 'sql_drop',
    tags: ['ALTER PUBLICATION', 'DROP PUBLICATION', 'DROP OWNED'],
    calls: 'on_publication_change',
    isAlways: false,
  },
]

/** Follows the partitions of published tables; its function is in schema `sync`. */
const PARTITIONS: RequiredTrigger = {
  name: 'holdfast_partitions',
  event: 'ddl_command_end',
  tags: ['CREATE TABLE', 'ALTER TABLE', 'DROP TABLE', 'DROP SCHEMA', 'DROP OWNED', 'DROP EXTENSION'],
  calls: 'on_partition_change',
  isAlways: false,
}

const ALL = [
  ...REQUIRED.map((trigger) => ({ ...trigger, schema: 'holdfast' })),
  { ...PARTITIONS, schema: 'sync' },
] as const

export interface EventTriggers {
  readonly missing: readonly string[]
  /** Triggers that are disabled, call another function or do not fire in all required sessions. */
  readonly disabled: readonly string[]
  /** Changes whenever a trigger is created, dropped or altered, even if the change is reverted. */
  readonly version: string
}

/** Reads the state of the event triggers that sync depends on. */
export async function readEventTriggers(db: Queryable): Promise<EventTriggers> {
  const rows = await db.query<{ name: string; state: string; oid: string; xmin: string; calls: string }>(sql`
    select t.evtname as name, t.evtenabled::text as state, t.oid::int8::text as oid, t.xmin::text, t.evtevent || ' ' || n.nspname || '.' || p.proname as calls
      from pg_catalog.pg_event_trigger t
      join pg_catalog.pg_proc p on p.oid = t.evtfoid
      join pg_catalog.pg_namespace n on n.oid = p.pronamespace
     where t.evtname = any(${ALL.map(({ name }) => name)}::text[])
     order by t.evtname`)
  const found = new Map(rows.map((row) => [row.name, row]))
  const fires = ({ name, schema, event, calls, isAlways }: (typeof ALL)[number]): boolean => {
    const row = found.get(name)
    return row?.calls === `${event} ${schema}.${calls}` && (row.state === 'A' || (row.state === 'O' && !isAlways))
  }
  return {
    missing: ALL.filter(({ name }) => !found.has(name)).map(({ name }) => name),
    disabled: ALL.filter((trigger) => found.has(trigger.name) && !fires(trigger)).map(({ name }) => name),
    version: rows.map(({ name, state, oid, xmin }) => `${name} ${state} ${oid} ${xmin}`).join(', '),
  }
}

/** Creates missing event triggers. Requires a superuser. */
export async function createEventTriggers(db: Queryable, names: readonly string[]): Promise<void> {
  for (const { name, schema, event, tags, calls, isAlways } of ALL) {
    if (!names.includes(name)) continue
    const when = tags ? sql` when tag in (${sql.join(tags.map((tag) => sql.trusted(`'${tag}'`)))})` : sql``
    const trigger = sql.identifier(name)
    await db.execute(
      sql`create event trigger ${trigger} on ${sql.trusted(event)}${when} execute function ${sql.identifier(schema, calls)}()`,
    )
    if (isAlways) await db.execute(sql`alter event trigger ${trigger} enable always`)
  }
}
