import {
  type Pool,
  readAroundLocks,
  type SqlFragment,
  type Transaction,
  sql,
  typeStructuresOf,
  uniqueIndexesOf,
} from '@holdfast/postgres'
import {
  LOCKED,
  LOCKED_REASON,
  parsePolicyExpression,
  parseViewDefinition,
  preparePolicyParser,
} from '../syntax/parse.ts'
import { collectParsed, list, namedWhenLocked } from './catalog-lists.ts'
import {
  compareWithEarlier,
  knownUsing,
  knownView,
  NO_LOCKS,
  readLocked,
  type EarlierReading,
  type Locks,
  type ReadingMemory,
} from './earlier-reading.ts'
import { disableEventTriggers } from './disable-event-triggers.ts'
import type { CastInfo, CheckInfo, DefaultInfo, PolicyInput, ResolvedBody } from '../catalog/policy-input.ts'
import type { CollectedNames } from '../syntax/collect-names.ts'
import { operatorsNamed, readFunctions } from './read-functions.ts'
import { withTrueCode } from './true-volatility.ts'
import { readStreams } from './read-streams.ts'

export interface ReadPolicyInputOptions {
  /** Schemas to sync; default: `public` and `holdfast`. */
  readonly schemas?: readonly string[]
  /** Role whose members are request roles; default: `authenticator`. */
  readonly authenticator?: string
  /** Cancels between two statements. */
  readonly signal?: AbortSignal
  /**
   * Remembers this reading. Objects that cannot be read because of locks are taken from the previous reading if unchanged; otherwise tables needing them are
   * refused temporarily. Never waits for locks.
   */
  readonly memory?: ReadingMemory
  /** Also reads write policies and constraints. */
  readonly isWriting?: boolean
  /** Further expressions whose functions are needed. */
  readonly expressions?: readonly string[]
}

/**
 * Reads the input of {@link compileSyncPlan} from the catalog in a transaction that is rolled back: text bodies of SQL functions are resolved by making them
 * standard SQL bodies of temporary functions.
 *
 * Resolving evaluates literals, which may call user functions (such as a domain's check inside an array). Therefore this runs as a role that reads everything
 * and writes nothing.
 *
 * @param pool - connected as `holdfast_reader`
 */
export async function readPolicyInput(
  pool: Pick<Pool, 'transaction'>,
  options: ReadPolicyInputOptions = {},
): Promise<PolicyInput> {
  await preparePolicyParser()
  const schemas = options.schemas ?? ['public', 'holdfast']
  const authenticator = options.authenticator ?? 'authenticator'
  const memory = options.memory ?? {}
  const isWriting = options.isWriting ?? false
  const expressions = options.expressions ?? []
  return readAroundLocks(async ({ lockTimeoutMs, isAround }) => {
    options.signal?.throwIfAborted()
    let read: EarlierReading | undefined
    const done = new Error('read') // leaves the transaction with a rollback
    try {
      await pool.transaction(async (tx) => {
        // Taken first: the input may be newer than the snapshot, but not older.
        const [row] = await tx.query<{ snapshot: string }>(sql`
          select pg_catalog.pg_current_snapshot()::text as snapshot,
                 pg_catalog.set_config('lock_timeout', ${`${lockTimeoutMs}ms`}, true)`)
        const { signal } = options
        const input = await readAll(tx, { schemas, authenticator, signal, memory, isAround, isWriting, expressions })
        if (row) read = { input, snapshot: row.snapshot }
        throw done
      })
    } catch (error) {
      if (error !== done) throw error
    }
    if (!read) throw new Error('the catalog was not read')
    memory.earlier = read
    return read.input
  }, 'fail')
}

/** Whether something could not be read because of locks. */
export function isPartial({ policies, tables, functions, streams }: PolicyInput): boolean {
  const isLocked = (body: ResolvedBody): boolean => 'error' in body && body.error === LOCKED_REASON
  return (
    policies.some(({ using }) => using === LOCKED) ||
    tables.some(({ view }) => view?.definition === LOCKED) ||
    streams.some(({ queries }) => queries.some(({ resolved }) => isLocked(resolved))) ||
    functions.some((one) =>
      [...Object.values(one.bodies), ...Object.values(one.queries).flatMap((queries) => Object.values(queries))].some(
        isLocked,
      ),
    )
  )
}

interface Reading {
  readonly schemas: readonly string[]
  readonly authenticator: string
  readonly signal: AbortSignal | undefined
  readonly memory: ReadingMemory
  /** Excludes locked tables. */
  readonly isAround: boolean
  readonly isWriting: boolean
  readonly expressions: readonly string[]
}

/** Sets the print format of values and names. @returns the default search path of functions, and Postgres's version */
async function prepareReading(
  tx: Transaction,
  authenticator: string,
): Promise<{ readonly searchPath: string; readonly version: number }> {
  // Functions without a path use that of the authenticator's sessions.
  const [settings] = await tx.query<{ path: string; version: number }>(sql`
    select coalesce((
             select substr(setting, length('search_path=') + 1)
               from pg_catalog.pg_db_role_setting s, unnest(s.setconfig) setting
              where s.setdatabase in (0, (select oid from pg_catalog.pg_database where datname = current_database()))
                and s.setrole in (0, (select oid from pg_catalog.pg_roles where rolname = ${authenticator}))
                and setting like 'search\\_path=%'
              order by s.setrole desc, s.setdatabase desc limit 1),
             (select reset_val from pg_catalog.pg_settings where name = 'search_path')) as path,
           current_setting('server_version_num')::int as version`)
  await tx.execute(sql`set local search_path = pg_catalog`)
  await disableEventTriggers(tx)
  // Makes printed literals independent of session settings.
  await tx.execute(sql`set local timezone = 'UTC'`)
  await tx.execute(sql`set local datestyle = 'ISO, YMD'`)
  await tx.execute(sql`set local intervalstyle = 'iso_8601'`)
  await tx.execute(sql`set local extra_float_digits = 1`)
  // `"$user"` would resolve to a schema named like the API role.
  const searchPath = (settings?.path ?? 'public').replace(/"\$user"\s*,\s*/, '')
  return { searchPath, version: settings?.version ?? 0 }
}

async function readAll(
  tx: Transaction,
  { schemas, authenticator, signal, memory, isAround, isWriting, expressions }: Reading,
): Promise<PolicyInput> {
  const { searchPath, version } = await prepareReading(tx, authenticator)
  const locked = isAround ? await readLocked(tx) : []
  const unprinted = await list<UnprintedTable>(tx, tablesAround(locked))
  const locks = isAround ? await compareWithEarlier(tx, locked, memory.earlier, unprinted) : NO_LOCKS
  const tables = unprinted.map((table) => withView(table, locks))
  const reading = (await list<UnprintedPolicy>(tx, policiesAround(locked))).map((policy) => withUsing(policy, locks))
  const writing = isWriting ? await list<PolicyInput['policies'][number]>(tx, writePoliciesAround(locked)) : []
  const policies = isWriting
    ? [...reading.filter(({ command }) => command === 'r'), ...writing.toSorted((a, b) => (a.name < b.name ? -1 : 1))]
    : reading
  const checks = isWriting ? await list<CheckInfo>(tx, checksAround(locked)) : undefined
  const defaults = isWriting ? await list<DefaultInfo>(tx, defaultsAround(locked)) : undefined
  const types = await list<PolicyInput['types'][number]>(tx, TYPES)

  const names = { functions: new Set<string>(), operators: new Set<string>() }
  const casts = await readCasts(tx, names)
  const texts = [
    ...policies.flatMap(({ using, check }) => [using, check]),
    ...(checks ?? []).map(({ expression }) => expression),
    ...(defaults ?? []).map(({ expression }) => expression),
    ...expressions,
  ]
  for (const text of texts) if (text) collectParsed(() => [parsePolicyExpression(text)], names)
  for (const { view } of tables) if (view) collectParsed(() => [parseViewDefinition(view.definition)], names)
  const streams = await readStreams(tx, locks)
  for (const { resolved } of streams.flatMap((stream) => stream.queries))
    if ('text' in resolved) collectParsed(() => [parseViewDefinition(resolved.text)], names)
  const functions = await readFunctions(tx, names, searchPath, locks, signal)
  const operators = await list<PolicyInput['operators'][number]>(tx, operatorsNamed([...names.operators]))

  const apiRoles = await tx.query<{ oid: number }>(sql`
    select distinct r.oid::int8::int4 as oid
      from pg_catalog.pg_auth_members m
      join pg_catalog.pg_roles a on a.oid = m.member and a.rolname = ${authenticator}
      join pg_catalog.pg_roles r on r.oid = m.roleid
     where not r.rolbypassrls and not r.rolsuper
     order by 1`)
  const apiOids = apiRoles.map((role) => role.oid)
  const callers = [
    ...new Set([
      ...apiOids,
      ...functions.filter((f) => f.securityDefiner).map((f) => f.owner),
      ...tables.filter((table) => table.view).map((table) => table.owner),
    ]),
  ]
  const roleOids = [...new Set([...callers, ...tables.map((table) => table.owner)])]
  const roles = await list<PolicyInput['roles'][number]>(tx, rolesOf(roleOids))
  const selectable = new Map<number, Record<string, string[]>>()
  const rights = await tx.query<{ table: number; role: number; columns: string[] }>(selectableBy(callers))
  for (const right of rights) {
    const entry = selectable.get(right.table) ?? {}
    entry[String(right.role)] = right.columns
    selectable.set(right.table, entry)
  }
  const executable = await tx.query<{ oid: number; roles: number[] }>(
    executableBy(
      functions.map((f) => f.oid),
      callers,
    ),
  )
  const executableByOid = new Map(executable.map((row) => [row.oid, row.roles]))

  return {
    serverVersion: version,
    schemas,
    searchPath,
    apiRoles: apiOids,
    roles,
    tables: tables.map((table) => ({ ...table, selectable: selectable.get(table.oid) ?? {} })),
    policies,
    ...(checks ? { checks } : {}),
    ...(defaults ? { defaults } : {}),
    types,
    functions: functions.map((f) => ({ ...f, executableBy: executableByOid.get(f.oid) ?? [] })),
    operators: withTrueCode(operators, functions),
    casts: withTrueCode(casts, functions),
    streams,
  }
}

/** Reads the casts and collects their functions. */
async function readCasts(tx: Transaction, into: CollectedNames): Promise<readonly CastInfo[]> {
  const casts = await list<CastInfo>(tx, CASTS)
  for (const { code } of casts) if (code) into.functions.add(JSON.stringify([code.schema, code.name]))
  return casts
}

type UnprintedPolicy = PolicyInput['policies'][number] & {
  readonly named: readonly string[] | null
  readonly oid: number
  readonly hasUsing: boolean
}

function withUsing(
  { named, oid, hasUsing, ...policy }: UnprintedPolicy,
  locks: Locks,
): PolicyInput['policies'][number] {
  if (!named || !hasUsing) return policy
  return { ...policy, using: knownUsing(locks, policy.table, policy.name, [`pg_policy ${oid}`, ...named]) }
}

type UnprintedTable = Omit<PolicyInput['tables'][number], 'selectable'> & {
  readonly named: readonly string[] | null
  readonly rule: number | null
}

function withView(
  { named, rule, ...table }: UnprintedTable,
  locks: Locks,
): Omit<PolicyInput['tables'][number], 'selectable'> {
  if (!table.view || !named) return table
  const definition = knownView(locks, table.oid, [`pg_rewrite ${rule}`, ...named])
  return { ...table, view: { ...table.view, definition } }
}

const policiesAround = (locked: readonly number[]): SqlFragment => sql`
  select oid::int8, polqual is not null as "hasUsing", l.named, polrelid::int8 as table, polname as name, polpermissive as permissive, polcmd as command, polroles::int8[] as roles,
         case when l.named is null then pg_get_expr(polqual, polrelid) end as using
    from pg_policy, lateral (select ${namedWhenLocked(sql`'pg_policy'::regclass`, sql`pg_policy.oid`, locked)} as named) l
   where polcmd in ('r', '*') order by polrelid, polname`

/** Policies with locked references are read as {@link LOCKED} instead of waiting. */
const writePoliciesAround = (locked: readonly number[]): SqlFragment => sql`
  select polrelid::int8 as table, polname as name, polpermissive as permissive, polcmd as command, polroles::int8[] as roles,
         case when polqual is null then null when l.named is null then pg_get_expr(polqual, polrelid) else ${LOCKED} end as using,
         case when polwithcheck is null then null when l.named is null then pg_get_expr(polwithcheck, polrelid) else ${LOCKED} end as check,
         obj_description(pg_policy.oid, 'pg_policy') as comment
    from pg_policy, lateral (select ${namedWhenLocked(sql`'pg_policy'::regclass`, sql`pg_policy.oid`, locked)} as named) l
   where polcmd in ('a', 'w', 'd', '*') order by polrelid, polname`

/** In evaluation order. `conenforced` was added in Postgres 18. Locked ones are left to Postgres. */
const checksAround = (locked: readonly number[]): SqlFragment => sql`
  select k.conrelid::int8 as table, k.conname as name, pg_get_expr(k.conbin, k.conrelid) as expression, obj_description(k.oid, 'pg_constraint') as comment,
         (select coalesce(json_agg(a.attname order by a.attnum), '[]'::json) from pg_attribute a where a.attrelid = k.conrelid and a.attnum = any (k.conkey)) as columns
    from pg_constraint k
   where k.contype = 'c' and k.conrelid <> 0 and k.conrelid <> all (${locked}::oid[]) and coalesce(to_jsonb(k) ->> 'conenforced', 'true') = 'true'
   order by k.conrelid, k.conname collate "C"`

/** Excludes generated columns, whose expressions are stored here, too. Locked ones are left to Postgres. */
const defaultsAround = (locked: readonly number[]): SqlFragment => sql`
  select a.attrelid::int8 as table, a.attname as column,
         case when d.adrelid <> all (${locked}::oid[]) then pg_get_expr(d.adbin, d.adrelid) end as expression
    from pg_attribute a
    join pg_class c on c.oid = a.attrelid and c.relkind in ('r', 'p')
    join pg_namespace n on n.oid = c.relnamespace and n.nspname <> 'information_schema' and n.nspname !~ '^pg_'
    join pg_type t on t.oid = a.atttypid
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
   where a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     and (d.oid is not null or a.attidentity <> '' or t.typdefault is not null)
   order by a.attrelid, a.attnum`

/** Excludes system composites, which are row types of system tables. */
const NAMED_TYPES = sql`
  select t.oid from pg_catalog.pg_type t join pg_catalog.pg_namespace n on n.oid = t.typnamespace
   where t.typrelid = 0 or n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')`

const TYPES = sql`
  select structure.*, n.nspname as schema, t.typname as name, format_type(t.oid, -1) as sql,
         t.typarray::int8 as array, t.typrelid::int8 as relation, i.provolatile as "inVolatility", o.provolatile as "outVolatility"
    from (${typeStructuresOf(NAMED_TYPES)}) as structure
    join pg_type t on t.oid = structure.oid::oid join pg_namespace n on n.oid = t.typnamespace
    join pg_proc i on i.oid = t.typinput join pg_proc o on o.oid = t.typoutput`

const CASTS = sql`
  select castsource::int8 as source, casttarget::int8 as target,
         case castmethod when 'f' then p.provolatile when 'b' then 'i' else 's' end as volatility,
         castfunc = 0 or p.pronamespace = 'pg_catalog'::regnamespace as system,
         case when p.pronamespace <> 'pg_catalog'::regnamespace and l.lanname in ('sql', 'plpgsql')
              then json_build_object('schema', n.nspname, 'name', p.proname) end as code
    from pg_cast left join pg_proc p on p.oid = castfunc
    left join pg_namespace n on n.oid = p.pronamespace left join pg_language l on l.oid = p.prolang`

const tablesAround = (locked: readonly number[]): SqlFragment => sql`
  select l.named, v.oid::int8 as rule, c.oid::int8, n.nspname as schema, c.relname as name, c.relkind as kind, c.relpersistence as persistence,
         c.relispartition as "isPartition",
         exists (select from pg_inherits i where i.inhparent = c.oid or i.inhrelid = c.oid) as inherits,
         c.relowner::int8 as owner, c.relrowsecurity as rls, c.relforcerowsecurity as "forceRls",
         (select coalesce(json_agg(json_build_object('name', a.attname, 'typeOid', a.atttypid::int8,
                   'typeName', format_type(a.atttypid, a.atttypmod), 'generated', a.attgenerated,
                   'nondeterministic', coalesce(not k.collisdeterministic, false),
                   'collation', case when a.attcollation <> t.typcollation
                                     then json_build_object('schema', (select nspname from pg_namespace where oid = k.collnamespace), 'name', k.collname) end)
                   order by a.attnum), '[]'::json)
            from pg_attribute a left join pg_collation k on k.oid = a.attcollation left join pg_type t on t.oid = a.atttypid
           where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
         (select coalesce(json_agg(u), '[]'::json) from (${uniqueIndexesOf(sql`c.oid`)}) u) as "uniqueIndexes",
         case when c.relkind = 'v' then json_build_object('definition', case when l.named is null then pg_get_viewdef(c.oid) end, 'securityInvoker',
           coalesce((select option_value::boolean from pg_options_to_table(c.reloptions) where option_name = 'security_invoker'), false)) end as view
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    left join pg_rewrite v on v.ev_class = c.oid and v.rulename = '_RETURN' and c.relkind = 'v'
   cross join lateral (select case when v.oid is not null then ${namedWhenLocked(sql`'pg_rewrite'::regclass`, sql`v.oid`, locked)} end as named) l
   where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')
     and not starts_with(n.nspname, 'pg_temp_') and not starts_with(n.nspname, 'pg_toast_')
   order by n.nspname, c.relname`

function rolesOf(oids: readonly number[]): SqlFragment {
  return sql`
    select r.oid::int8, r.rolname as name, r.rolsuper or r.rolbypassrls as "bypassesRls", r.rolsuper as superuser,
           (select coalesce(json_agg(n.nspname order by n.nspname), '[]'::json) from pg_namespace n
             where n.nspname !~ '^pg_(temp|toast)' and has_schema_privilege(r.oid, n.oid, 'usage')) as schemas,
           (select coalesce(json_agg(m.oid::int8 order by m.oid), '[]'::json) from pg_roles m
             where pg_has_role(r.oid, m.oid, 'usage')
               and (m.oid = r.oid or m.oid in (select unnest(polroles) from pg_policy) or m.oid in (select relowner from pg_class))) as "memberOf"
      from pg_roles r where r.oid = any (${oids}::oid[]) order by r.oid`
}

function selectableBy(roles: readonly number[]): SqlFragment {
  return sql`
    select c.oid::int8::int4 as table, r.oid::int8::int4 as role,
           array_agg(a.attname::text order by a.attnum) filter (
             where has_table_privilege(r.oid, c.oid, 'select') or has_column_privilege(r.oid, c.oid, a.attnum, 'select')) as columns
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     cross join unnest(${roles}::oid[]) r(oid)
     where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')
       and has_schema_privilege(r.oid, n.oid, 'usage')
     group by c.oid, r.oid
    having bool_or(has_table_privilege(r.oid, c.oid, 'select') or has_column_privilege(r.oid, c.oid, a.attnum, 'select'))`
}

function executableBy(functions: readonly number[], roles: readonly number[]): SqlFragment {
  return sql`
    select p.oid::int8::int4 as oid, array_agg(r.oid::int8::int4) as roles
      from pg_proc p cross join unnest(${roles}::oid[]) r(oid)
     where p.oid = any (${functions}::oid[])
       and has_function_privilege(r.oid, p.oid, 'execute')
     group by p.oid`
}
