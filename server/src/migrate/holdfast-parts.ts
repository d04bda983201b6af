import type { Source } from './source.ts'
import type { LeftOut } from './report.ts'

/** Schemas that exist only in Holdfast. */
const OURS: readonly string[] = ['holdfast', 'sync']

/** User data in schema `holdfast`, exported as text tables. The rest belongs to the server. */
const KEPT_BY_PEOPLE: readonly string[] = [
  'teams',
  'team_members',
  'comments',
  'views',
  'dashboards',
  'history',
  'tables',
  'favourites',
  'transitions',
  'checklists',
  'fields',
  'workspaces',
  'members',
  'invitations',
  'shares',
  'computed_fields',
  'table_rules',
  'public_forms',
  'automations',
  'automation_runs',
  'notices',
  'view_links',
  'template_loads',
  'template_records',
]

/** Parts of a project that belong to Holdfast or depend on it. */
export interface HoldfastParts {
  /** Definitions that reference Holdfast and that another server would reject, named as by {@link nameOf}. */
  readonly refused: ReadonlySet<string>
  /** Holdfast tables with user data. */
  readonly tables: readonly { readonly name: string; readonly rows: number }[]
  /** Shown to the user. */
  readonly leftOut: readonly LeftOut[]
  /** Extensions that the project uses without having created them, because Holdfast provides them. */
  readonly extensions: readonly { readonly name: string; readonly schema: string }[]
}

const BELONG = `with ours(classid, objid) as (
    select 'pg_class'::regclass, oid from pg_catalog.pg_class where relnamespace = any($2::regnamespace[])
    union all select 'pg_proc'::regclass, oid from pg_catalog.pg_proc where pronamespace = any($2::regnamespace[])
    union all select 'pg_type'::regclass, oid from pg_catalog.pg_type where typnamespace = any($2::regnamespace[])),
  dependent as (select distinct d.classid, d.objid from pg_catalog.pg_depend d join ours o on o.classid = d.refclassid and o.objid = d.refobjid),
  relation as (select c.oid, c.relname::text as name, n.nspname::text as schema, c.relkind from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
                where n.nspname = any($1) or (n.nspname, c.relname) in (('auth', 'users'), ('storage', 'objects'), ('storage', 'buckets')))
  select 'POLICY' as type, r.schema, r.name || ' ' || p.polname as name from pg_catalog.pg_policy p join relation r on r.oid = p.polrelid
   where ('pg_policy'::regclass, p.oid) in (select classid, objid from dependent)
  union all
  select 'TRIGGER', r.schema, r.name || ' ' || t.tgname from pg_catalog.pg_trigger t join relation r on r.oid = t.tgrelid
   where not t.tgisinternal and r.schema = any($1) and ('pg_trigger'::regclass, t.oid) in (select classid, objid from dependent)
  union all
  select case when k.contype = 'f' then 'FK CONSTRAINT' else 'CONSTRAINT' end, r.schema, r.name || ' ' || k.conname from pg_catalog.pg_constraint k join relation r on r.oid = k.conrelid
   where ('pg_constraint'::regclass, k.oid) in (select classid, objid from dependent)
  union all
  select case r.relkind when 'm' then 'MATERIALIZED VIEW' else 'VIEW' end, r.schema, r.name from pg_catalog.pg_rewrite w join relation r on r.oid = w.ev_class
   where r.relkind in ('v', 'm') and ('pg_rewrite'::regclass, w.oid) in (select classid, objid from dependent)
  union all
  select 'DEFAULT', r.schema, r.name || ' ' || a.attname from pg_catalog.pg_attrdef f join relation r on r.oid = f.adrelid join pg_catalog.pg_attribute a on a.attrelid = f.adrelid and a.attnum = f.adnum
   where ('pg_attrdef'::regclass, f.oid) in (select classid, objid from dependent)
  union all
  select 'FUNCTION', n.nspname, p.proname || '(' || pg_catalog.pg_get_function_identity_arguments(p.oid) || ')' from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
   where n.nspname = any($1) and ('pg_proc'::regclass, p.oid) in (select classid, objid from dependent)
  order by 1, 2, 3`

const NEEDS_US = 'it uses parts of Holdfast, which no other server has'
const SERVER_ONLY = 'only Holdfast has them'

/** Returns the names of the dump entries for a definition, its grants and its comment. */
function withAttachments({ type, schema, name }: Named): readonly string[] {
  const granted = type === 'FUNCTION' ? type : 'TABLE'
  return [`${type} ${schema}.${name}`, `ACL ${schema}.${granted} ${name}`, `COMMENT ${schema}.${type} ${name}`]
}

interface Named {
  readonly type: string
  readonly schema: string
  readonly name: string
}

/** @returns empty lists for a project of another server */
export async function findHoldfastParts({ inventory, connect }: Source): Promise<HoldfastParts> {
  const client = await connect()
  try {
    const rows = async <Row extends object>(text: string, values: readonly unknown[]): Promise<Row[]> =>
      (await client.query<Row>(text, [...values])).rows
    const { schemas } = inventory
    const [has] = await rows<{ schemas: string[] }>(
      'select coalesce(array_agg(nspname::text), $2) as schemas from pg_catalog.pg_namespace where nspname = any($1)',
      [OURS, []],
    )
    const ours = has?.schemas ?? []
    const refused = await rows<Named>(BELONG, [schemas, ours])
    const mentions = await rows<{ name: string; ours: boolean; net: boolean; cron: boolean; vault: boolean }>(
      String.raw`select n.nspname || '.' || p.proname as name, p.prosrc ~ '\m(holdfast|sync)\.\w' as ours, p.prosrc ~ '\mnet\.http_' as net,
                p.prosrc ~ '\mcron\.' as cron, p.prosrc ~ '\mvault\.' as vault
           from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace where n.nspname = any($1) order by 1`,
      [schemas],
    )
    const tables: { name: string; rows: number }[] = []
    const existing = await rows<{ name: string }>(
      `select c.relname::text as name from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
        where n.nspname = 'holdfast' and c.relname = any($1)`,
      [KEPT_BY_PEOPLE],
    )
    // An older Holdfast lacks some.
    for (const name of KEPT_BY_PEOPLE.filter((one) => existing.some((table) => table.name === one))) {
      const [count] = await rows<{ rows: number }>(`select count(*)::float8 as rows from holdfast."${name}"`, [])
      if ((count?.rows ?? 0) > 0) tables.push({ name, rows: count?.rows ?? 0 })
    }
    // Encrypted with a key in the data folder, so unreadable elsewhere.
    const [sealed] = await rows<{ providers: number }>(
      `select count(*)::int as providers from auth.custom_oauth_providers where client_secret like 'sealed:%'`,
      [],
    )
    const uses = (what: 'net' | 'cron' | 'vault'): boolean => mentions.some((one) => one[what])
    return {
      refused: new Set(refused.flatMap(withAttachments)),
      tables,
      leftOut: [
        ...(inventory.isHoldfast ? [{ what: 'Streams and guards of sync', why: SERVER_ONLY }] : []),
        ...tables.map(({ name, rows: count }) => ({ what: `${count} rows of holdfast.${name}`, why: SERVER_ONLY })),
        ...((sealed?.providers ?? 0) > 0
          ? [
              {
                what: `Client secrets of ${sealed?.providers} custom providers`,
                why: 'they are sealed here: set them again there',
              },
            ]
          : []),
        ...refused.map(({ type, schema, name }) => ({ what: `${type} ${schema}.${name}`, why: NEEDS_US })),
        ...mentions
          .filter((one) => one.ours)
          .map(({ name }) => ({
            what: `FUNCTION ${name}`,
            why: 'it comes along, and fails when it is called: its text names parts of Holdfast',
          })),
      ],
      extensions: [
        ...(uses('net') ? [{ name: 'pg_net', schema: 'extensions' }] : []),
        ...(uses('cron') || inventory.jobs.length > 0 ? [{ name: 'pg_cron', schema: 'pg_catalog' }] : []),
        ...(uses('vault') || inventory.secrets.length > 0 ? [{ name: 'supabase_vault', schema: 'vault' }] : []),
      ],
    }
  } finally {
    await client.end().catch(() => undefined) // possibly broken already
  }
}
