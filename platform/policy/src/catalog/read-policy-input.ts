import { errorMessage } from '@holdfast/foundation'
import type { Node } from 'libpg-query'
import {
  type Pool,
  type Queryable,
  quoteIdentifier,
  SQLSTATE,
  type SqlFragment,
  sqlstateOf,
  type Transaction,
  sql,
} from '@holdfast/postgres'
import {
  LOCKED,
  LOCKED_REASON,
  MOMENT,
  parseFunctionBody,
  parsePolicyExpression,
  parseViewDefinition,
  preparePolicyParser,
} from '../syntax/parse.ts'
import { collectProcedureNames } from '../syntax/plpgsql.ts'
import { schemasOfPath } from '../syntax/qualify-names.ts'
import { type CollectedNames, collectNames } from '../syntax/collect-names.ts'
import { Refusal } from '../refusal.ts'
import {
  compareWithEarlier,
  isUnchanged,
  knownFunction,
  knownUsing,
  knownView,
  NO_LOCKS,
  readLocked,
  type Locks,
  type ReadingMemory,
} from './earlier-reading.ts'
import { holdEventTriggersOff } from './hold-event-triggers-off.ts'
import { UNIQUE_KEYS } from './unique-keys.ts'
import type { FunctionInfo, PolicyInput, ResolvedBody } from './policy-input.ts'
import { lockedQueries, resolveProcedure } from './resolve-procedure.ts'
import { readStreams } from './read-streams.ts'

export interface ReadPolicyInputOptions {
  /** Schemas whose tables are to be synced; `public` and `holdfast` when left out. */
  readonly schemas?: readonly string[]
  /** The role whose members requests run as; `authenticator` when left out. */
  readonly authenticator?: string
  /** Ends the reading between two statements. */
  readonly signal?: AbortSignal
  /**
   * Remembers this reading. What cannot be read now, because a transaction has a table locked that a policy, view or function names, is taken from the reading
   * before when it is the same. Otherwise the tables that need it are refused for now. No lock is waited for.
   */
  readonly memory?: ReadingMemory
}

/** How long printing something waits for a lock, in milliseconds: most locks are over by then. */
const LOCK_TIMEOUT_MS = 100

/** The same once it is known what is locked. */
const LOCKED_TIMEOUT_MS = 10

/** Readings that meet a lock which the one before did not know of. */
const READINGS_MAX = 20

/** How deep functions may call functions. */
const FUNCTION_ROUNDS_MAX = 16

/**
 * Copies what {@link compileSyncPlan} needs from the catalog, in one transaction that is rolled back: to have Postgres resolve the names in
 * the text body of a SQL function, the body is made a standard-SQL one of a temporary function, and printed from there.
 *
 * Resolving a text evaluates literals in it, which may call functions of users (a domain's check inside an array). So this runs as a role that reads everything and
 * writes nothing.
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
  for (let reading = 1; ; reading++) {
    options.signal?.throwIfAborted()
    let input: PolicyInput | undefined
    let snapshot: string | undefined
    const done = new Error('read') // leaves the transaction by its rollback
    try {
      await pool.transaction(async (tx) => {
        // Before anything is read: what is read may be newer, and never older.
        const [row] = await tx.query<{ snapshot: string }>(sql`
          select pg_catalog.pg_current_snapshot()::text as snapshot,
                 pg_catalog.set_config('lock_timeout', ${`${reading === 1 ? LOCK_TIMEOUT_MS : LOCKED_TIMEOUT_MS}ms`}, true)`)
        snapshot = row?.snapshot
        input = await readAll(tx, { schemas, authenticator, signal: options.signal, memory, isAround: reading > 1 })
        throw done
      })
    } catch (error) {
      if (sqlstateOf(error) === SQLSTATE.lockNotAvailable && reading < READINGS_MAX) continue
      if (error !== done) throw error
    }
    if (!input || snapshot === undefined) throw new Error('the catalog was not read')
    memory.earlier = { input, snapshot }
    return input
  }
}

/** Whether something could not be read because it is locked. */
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
  /** Leaves out what is locked. */
  readonly isAround: boolean
}

async function readAll(
  tx: Transaction,
  { schemas, authenticator, signal, memory, isAround }: Reading,
): Promise<PolicyInput> {
  // Functions without a path of their own run under the one that the authenticator's sessions start with.
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
  await holdEventTriggersOff(tx)
  // Literals are printed the same whatever the session is set to.
  await tx.execute(sql`set local timezone = 'UTC'`)
  await tx.execute(sql`set local datestyle = 'ISO, YMD'`)
  await tx.execute(sql`set local intervalstyle = 'iso_8601'`)
  await tx.execute(sql`set local extra_float_digits = 1`)
  // `"$user"` would name a schema called like the API role.
  const searchPath = (settings?.path ?? 'public').replace(/"\$user"\s*,\s*/, '')

  const locked = isAround ? await readLocked(tx) : []
  const unprinted = await list<UnprintedTable>(tx, tablesAround(locked))
  const locks = isAround ? await compareWithEarlier(tx, locked, memory.earlier, unprinted) : NO_LOCKS
  const tables = unprinted.map((table) => withView(table, locks))
  const policies = (await list<UnprintedPolicy>(tx, policiesAround(locked))).map((policy) => withUsing(policy, locks))
  const types = await list<PolicyInput['types'][number]>(tx, TYPES)
  const casts = await list<PolicyInput['casts'][number]>(tx, CASTS)

  const names = { functions: new Set<string>(), operators: new Set<string>() }
  for (const { using } of policies) if (using !== null) collectParsed(() => [parsePolicyExpression(using)], names)
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
    serverVersion: settings?.version ?? 0,
    schemas,
    searchPath,
    apiRoles: apiOids,
    roles,
    tables: tables.map((table) => ({ ...table, selectable: selectable.get(table.oid) ?? {} })),
    policies,
    types,
    functions: functions.map((f) => ({ ...f, executableBy: executableByOid.get(f.oid) ?? [] })),
    operators,
    casts,
    streams,
  }
}

/**
 * Reads every function whose name was collected, and those that their bodies name. A function without a search path of its own runs under the one of
 * the function that calls it, so that bodies are resolved under every path that there is.
 */
async function readFunctions(
  tx: Transaction,
  names: CollectedNames,
  searchPath: string,
  locks: Locks,
  signal: AbortSignal | undefined,
): Promise<ReadFunction[]> {
  const functions = new Map<number, ReadFunction>()
  const raw: RawFunction[] = []
  const known = new Set<string>()
  const paths = new Set([searchPath])
  for (let round = 0; round < FUNCTION_ROUNDS_MAX; round++) {
    const unknown = [...names.functions].filter((name) => !known.has(name))
    if (unknown.length === 0) break
    for (const name of unknown) known.add(name)
    raw.push(...(await list<RawFunction>(tx, functionsNamed(unknown, locks.relations))))
    for (const one of raw) if (isFollowed(one)) paths.add(ownSearchPath(one) ?? searchPath)
    const schemas = [...new Set([...paths].flatMap(schemasOfPath))]
    // An operator is a function as well, and may be one that reads tables.
    const operators = await list<PolicyInput['operators'][number]>(tx, operatorsNamed([...names.operators]))
    for (const { code } of operators)
      if (code.schema !== 'pg_catalog') names.functions.add(JSON.stringify([code.schema, code.name]))
    for (const one of raw) {
      signal?.throwIfAborted()
      const read = await resolveBodies(tx, one, paths, functions.get(one.oid), locks)
      functions.set(one.oid, read)
      for (const text of read.argDefaults) if (text !== null) collectParsed(() => [parsePolicyExpression(text)], names)
      if (read.procedure !== null) collectProcedureNames(read.procedure, schemas, names)
      for (const query of Object.values(read.queries).flatMap((queries) => Object.values(queries)))
        if ('text' in query) collectParsed(() => [parseViewDefinition(query.text)], names)
      for (const body of Object.values(read.bodies)) {
        if ('text' in body) collectParsed(() => parseFunctionBody(body.text), names)
      }
    }
  }
  return [...functions.values()].sort((left, right) => left.oid - right.oid)
}

/** What the parser cannot read names nothing here; whatever is made of it is refused with that reason when it is compiled. */
function collectParsed(parse: () => readonly Node[], names: CollectedNames): void {
  let nodes: readonly Node[]
  try {
    nodes = parse()
  } catch (error) {
    if (error instanceof Refusal) return
    throw error
  }
  for (const node of nodes) collectNames(node, names)
}

function isFollowed(f: { readonly language: string; readonly schema: string }): boolean {
  return (f.language === 'sql' || f.language === 'plpgsql') && f.schema !== 'pg_catalog'
}

async function list<T>(tx: Queryable, statement: SqlFragment): Promise<T[]> {
  const rows = await tx.query<{ list: T[] }>(
    sql`select coalesce(json_agg(row_to_json(x)), '[]'::json) as list from (${statement}) x`,
  )
  return rows[0]?.list ?? []
}

/**
 * What an object of the catalog names, when some of it is locked so that Postgres would wait before it prints it; else null. Taken from `pg_depend`, which no lock
 * guards.
 */
function namedWhenLocked(catalog: SqlFragment, object: SqlFragment, locked: readonly number[]): SqlFragment {
  if (locked.length === 0) return sql`null::json`
  return sql`(
    select json_agg(distinct d.refclassid::regclass::text || ' ' || d.refobjid) from pg_depend d
     where d.classid = ${catalog} and d.objid = ${object}
    having bool_or(d.refclassid = 'pg_class'::regclass and d.refobjid = any (${locked}::int8[]::oid[])))`
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

const TYPES = sql`
  with recursive base (oid, under) as (
    select oid, oid from pg_type where typtype = 'd'
    union all
    select base.oid, t.typbasetype from base join pg_type t on t.oid = base.under where t.typtype = 'd'
  )
  select t.oid::int8, n.nspname as schema, t.typname as name, format_type(t.oid, -1) as sql, t.typtype as kind,
         coalesce((select b.under from base b join pg_type u on u.oid = b.under where b.oid = t.oid and u.typtype <> 'd'), 0)::int8 as base,
         case when t.typcategory = 'A' and t.typsubscript = 'array_subscript_handler'::regproc then t.typelem else 0 end::int8 as element,
         t.typarray::int8 as array, t.typrelid::int8 as relation, i.provolatile as "inVolatility", o.provolatile as "outVolatility",
         t.typdelim as delimiter,
         case when t.typtype = 'c' then (select coalesce(json_agg(json_build_object('name', a.attname, 'typeOid', a.atttypid::int8) order by a.attnum), '[]'::json)
           from pg_attribute a where a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped) else '[]'::json end as members,
         coalesce((select r.rngsubtype from pg_range r where t.oid in (r.rngtypid, r.rngmultitypid)), 0)::int8 as subtype
    from pg_type t join pg_namespace n on n.oid = t.typnamespace
    join pg_proc i on i.oid = t.typinput join pg_proc o on o.oid = t.typoutput
   where t.typrelid = 0 or n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')`

const CASTS = sql`
  select castsource::int8 as source, casttarget::int8 as target,
         case castmethod when 'f' then p.provolatile when 'b' then 'i' else 's' end as volatility,
         castfunc = 0 or p.pronamespace = 'pg_catalog'::regnamespace as system
    from pg_cast left join pg_proc p on p.oid = castfunc`

const tablesAround = (locked: readonly number[]): SqlFragment => sql`
  select l.named, v.oid::int8 as rule, c.oid::int8, n.nspname as schema, c.relname as name, c.relkind as kind, c.relpersistence as persistence,
         c.relispartition as "isPartition",
         exists (select from pg_inherits i where i.inhparent = c.oid or i.inhrelid = c.oid) as inherits,
         c.relowner::int8 as owner, c.relrowsecurity as rls, c.relforcerowsecurity as "forceRls",
         (select coalesce(json_agg(json_build_object('name', a.attname, 'typeOid', a.atttypid::int8,
                   'typeName', format_type(a.atttypid, a.atttypmod), 'generated', a.attgenerated,
                   'nondeterministic', coalesce(not k.collisdeterministic, false)) order by a.attnum), '[]'::json)
            from pg_attribute a left join pg_collation k on k.oid = a.attcollation
           where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
         (select coalesce(json_agg(a.attname order by a.attnum), '[]'::json)
            from pg_index i join pg_attribute a on a.attrelid = c.oid and a.attnum = any ((i.indkey::int2[])[0:i.indnkeyatts - 1])
           where i.indrelid = c.oid and i.indisprimary and i.indimmediate) as "primaryKey",
         (${UNIQUE_KEYS}) as "uniqueKeys",
         (select coalesce(json_agg(u.names), '[]'::json) from (
            select (select json_agg(a.attname) from unnest((i.indkey::int2[])[0:i.indnkeyatts - 1]) k(attnum)
                      join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum) as names
              from pg_index i
             where i.indrelid = c.oid and i.indisunique and i.indimmediate and i.indisvalid and i.indpred is null and i.indexprs is null) u) as unique,
         case when c.relkind = 'v' then json_build_object('definition', case when l.named is null then pg_get_viewdef(c.oid) end, 'securityInvoker',
           coalesce((select option_value::boolean from pg_options_to_table(c.reloptions) where option_name = 'security_invoker'), false)) end as view
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    left join pg_rewrite v on v.ev_class = c.oid and v.rulename = '_RETURN' and c.relkind = 'v'
   cross join lateral (select case when v.oid is not null then ${namedWhenLocked(sql`'pg_rewrite'::regclass`, sql`v.oid`, locked)} end as named) l
   where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')
     and not starts_with(n.nspname, 'pg_temp_') and not starts_with(n.nspname, 'pg_toast_')
   order by n.nspname, c.relname`

type ReadFunction = Omit<FunctionInfo, 'executableBy'>

type RawFunction = Omit<FunctionInfo, 'executableBy' | 'bodyName' | 'bodies' | 'queries'> & {
  readonly argTypeNames: readonly string[]
  readonly source: string
  readonly standardBody: string | null
  readonly signature: string
  /** See {@link namedWhenLocked}. */
  readonly named: readonly string[] | null
}

/** All overloads of the names, `schema.name` or a bare name for the system's. */
function functionsNamed(names: readonly string[], locked: readonly number[]): SqlFragment {
  const pairs = names.map((name) => JSON.parse(name) as [string, string])
  return sql`
    select b.named, p.oid::int8, n.nspname as schema, p.proname as name, l.lanname as language, p.prokind as kind, p.provolatile as volatility,
           p.prosecdef as "securityDefiner", p.proowner::int8 as owner, p.proisstrict as strict, p.proretset as "returnsSet",
           p.prorettype::int8 as "returnType", p.proargtypes::oid[]::int8[] as "argTypes",
           (select coalesce(json_agg(coalesce(p.proargnames[a.position], '') order by a.position), '[]'::json)
              from unnest(coalesce(p.proargmodes, array_fill('i'::"char", array[p.pronargs::int]))) with ordinality a(mode, position)
             where a.mode in ('i', 'b', 'v')) as "argNames",
           (select coalesce(json_agg(pg_get_function_arg_default(p.oid, a.position::int) order by a.position), '[]'::json)
              from unnest(coalesce(p.proargmodes, array_fill('i'::"char", array[p.pronargs::int]))) with ordinality a(mode, position)
             where a.mode in ('i', 'b', 'v')) as "argDefaults",
           (select coalesce(json_agg(json_build_object('name', coalesce(p.proargnames[a.position], ''),
                     'typeOid', p.proallargtypes[a.position]::int8) order by a.position), '[]'::json)
              from unnest(p.proargmodes) with ordinality a(mode, position) where a.mode in ('o', 'b', 't')) as "outColumns",
           (select coalesce(json_agg(format_type(a.type, null) order by a.position), '[]'::json)
              from unnest(p.proargtypes) with ordinality a(type, position)) as "argTypeNames",
           p.provariadic <> 0 as variadic, p.pronargdefaults as defaults, coalesce(p.proconfig, '{}') as settings,
           case when l.lanname = 'plpgsql' and p.prokind = 'f' then definition.text end as procedure,
           md5(definition.text) as hash, p.prosrc as source, case when b.named is null then pg_get_function_sqlbody(p.oid) end as "standardBody",
           pg_get_function_arguments(p.oid) as signature, pg_get_function_result(p.oid) as result
      from pg_proc p join pg_namespace n on n.oid = p.pronamespace join pg_language l on l.oid = p.prolang,
           lateral (select case when p.prosqlbody is not null then ${namedWhenLocked(sql`'pg_proc'::regclass`, sql`p.oid`, locked)} end as named) b,
           lateral (select case when b.named is not null then '' when p.prokind in ('f', 'p') then pg_get_functiondef(p.oid) else p.oid::regprocedure::text end as text)
             definition
     where (n.nspname, p.proname) in (select * from unnest(${pairs.map((pair) => pair[0])}::text[], ${pairs.map((pair) => pair[1])}::text[]))
     order by p.oid`
}

function operatorsNamed(names: readonly string[]): SqlFragment {
  const pairs = names.map((name) => JSON.parse(name) as [string, string])
  return sql`
    select n.nspname as schema, o.oprname as name, o.oprleft::int8 as left, o.oprright::int8 as right, o.oprresult::int8 as result,
           p.provolatile as volatility, json_build_object('schema', pn.nspname, 'name', p.proname) as code
      from pg_operator o join pg_namespace n on n.oid = o.oprnamespace join pg_proc p on p.oid = o.oprcode
      join pg_namespace pn on pn.oid = p.pronamespace
     where (n.nspname, o.oprname) in (select * from unnest(${pairs.map((pair) => pair[0])}::text[], ${pairs.map((pair) => pair[1])}::text[]))`
}

function rolesOf(oids: readonly number[]): SqlFragment {
  return sql`
    select r.oid::int8, r.rolname as name, r.rolsuper or r.rolbypassrls as "bypassesRls", r.rolsuper as superuser,
           (select coalesce(json_agg(n.nspname order by n.nspname), '[]'::json) from pg_namespace n
             where n.nspname !~ '^pg_(temp|toast)' and has_schema_privilege(r.oid, n.oid, 'usage')) as schemas,
           (select coalesce(json_agg(m.oid::int8 order by m.oid), '[]'::json) from pg_roles m where pg_has_role(r.oid, m.oid, 'usage')) as "memberOf"
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

/** The search path that a function sets for itself. */
function ownSearchPath(f: { readonly settings: readonly string[] }): string | undefined {
  return f.settings.find((setting) => setting.startsWith('search_path='))?.slice('search_path='.length)
}

async function resolveBodies(
  tx: Transaction,
  raw: RawFunction,
  paths: ReadonlySet<string>,
  known: Pick<FunctionInfo, 'bodies' | 'queries'> | undefined,
  locks: Locks,
): Promise<ReadFunction> {
  const { source, standardBody, signature, argTypeNames: _types, named, ...rest } = raw
  if (named) {
    const before = isUnchanged(locks, [`pg_proc ${raw.oid}`, ...named])
      ? locks.earlier?.input.functions.find(({ oid }) => oid === raw.oid)
      : undefined
    return { ...(before ?? { ...rest, bodyName: raw.name, bodies: { '': { error: LOCKED_REASON } }, queries: {} }) }
  }
  /** As it was read before; thrown on when it is not known yet what is locked. */
  const before = (error: unknown): FunctionInfo | undefined => {
    if (sqlstateOf(error) !== SQLSTATE.lockNotAvailable) throw error
    return knownFunction(locks, raw.oid, `${signature} ${source}`, error)
  }
  const own = ownSearchPath(raw)
  const info = { ...rest, queries: {} }
  if (raw.procedure !== null && raw.schema !== 'pg_catalog' && raw.volatility !== 'i') {
    const queries: Record<string, FunctionInfo['queries'][string]> = { ...known?.queries }
    const procedure = { ...raw, procedure: raw.procedure }
    for (const path of own === undefined ? paths : [own])
      queries[own === undefined ? path : ''] ??= await resolveProcedure(tx, procedure, path).catch(
        (error: unknown) => before(error)?.queries[own === undefined ? path : ''] ?? lockedQueries(procedure.procedure),
      )
    return { ...info, bodyName: raw.name, bodies: {}, queries }
  }
  if (raw.language !== 'sql' || raw.schema === 'pg_catalog') return { ...info, bodyName: raw.name, bodies: {} }
  if (standardBody !== null) return { ...info, bodyName: raw.name, bodies: { '': { text: standardBody } } }
  const bodyName = `hf_body_${raw.oid}`
  // Postgres would fold such a literal into the moment of this reading.
  if (MOMENT.test(source))
    return { ...info, bodyName, bodies: { '': { error: 'it reads the clock through a literal' } } }
  const bodies: Record<string, ResolvedBody> = { ...known?.bodies }
  for (const path of own === undefined ? paths : [own]) {
    const key = own === undefined ? path : ''
    bodies[key] ??= await resolveBody(tx, { ...raw, bodyName }, path).catch(
      (error: unknown) => before(error)?.bodies[key] ?? { error: LOCKED_REASON },
    )
  }
  return { ...info, bodyName, bodies }
}

/** Has Postgres resolve the names in a body: as the standard body of a temporary function, which is printed and undone. */
async function resolveBody(
  tx: Transaction,
  f: RawFunction & { readonly bodyName: string },
  path: string,
): Promise<ResolvedBody> {
  await tx.execute(sql`savepoint resolve_body`)
  try {
    await tx.execute(sql`select set_config('search_path', ${path}, true)`)
    // What users wrote: the extended protocol takes no second statement.
    const text = `create function pg_temp.${quoteIdentifier(f.bodyName)}(${f.signature}) returns ${f.result} language sql begin atomic ${f.source}\n; end`
    await tx.client.query({ text, queryMode: 'extended' } as { text: string })
    await tx.execute(sql`set local search_path = pg_catalog`)
    const [row] = await tx.query<{ text: string }>(
      sql`select pg_get_function_sqlbody(p.oid) as text from pg_proc p where p.proname = ${f.bodyName} and p.pronamespace = pg_my_temp_schema()`,
    )
    return row ?? { error: 'the function made of it is not there' }
  } catch (error) {
    if (sqlstateOf(error) === SQLSTATE.lockNotAvailable) throw error
    return { error: `Postgres cannot resolve its body: ${errorMessage(error)}` }
  } finally {
    await tx.execute(sql`rollback to savepoint resolve_body`)
    await tx.execute(sql`release savepoint resolve_body`)
  }
}
