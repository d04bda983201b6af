import { errorMessage } from '@holdfast/foundation'
import { SQLSTATE, type SqlFragment, sqlstateOf, type Transaction, sql } from '@holdfast/postgres'
import {
  LOCKED_REASON,
  MOMENT,
  parseFunctionBody,
  parsePolicyExpression,
  parseViewDefinition,
} from '../syntax/parse.ts'
import { collectProcedureNames } from '../syntax/plpgsql.ts'
import { schemasOfPath } from '../syntax/qualify-names.ts'
import type { CollectedNames } from '../syntax/collect-names.ts'
import { collectParsed, list, namedWhenLocked } from './catalog-lists.ts'
import { isUnchanged, knownFunction, type Locks } from './earlier-reading.ts'
import type { FunctionInfo, PolicyInput, ResolvedBody } from '../catalog/policy-input.ts'
import { withTrueVolatility } from './true-volatility.ts'
import { printBody } from './print-body.ts'
import { lockedQueries, resolveProcedure } from './resolve-procedure.ts'

/** Maximum depth of nested function calls. */
const FUNCTION_ROUNDS_MAX = 16

export type ReadFunction = Omit<FunctionInfo, 'executableBy'>

type RawFunction = Omit<FunctionInfo, 'executableBy' | 'bodyName' | 'bodies' | 'queries'> & {
  readonly argTypeNames: readonly string[]
  readonly source: string
  readonly standardBody: string | null
  readonly signature: string
  /** See {@link namedWhenLocked}. */
  readonly named: readonly string[] | null
}

/** Reads all overloads of the names: `schema.name`, or bare for system functions. */
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

/**
 * Reads all collected functions, and those their bodies reference. A function without a search path runs under its caller's, so bodies are resolved under every
 * existing path.
 */
export async function readFunctions(
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
    for (const one of raw) if (hasReadableBody(one)) paths.add(ownSearchPath(one) ?? searchPath)
    const schemas = [...new Set([...paths].flatMap(schemasOfPath))]
    // Operators are functions and may read tables.
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
  return withTrueVolatility([...functions.values()].sort((left, right) => left.oid - right.oid))
}

function hasReadableBody(f: { readonly language: string; readonly schema: string }): boolean {
  return (f.language === 'sql' || f.language === 'plpgsql') && f.schema !== 'pg_catalog'
}

export function operatorsNamed(names: readonly string[]): SqlFragment {
  const pairs = names.map((name) => JSON.parse(name) as [string, string])
  return sql`
    select n.nspname as schema, o.oprname as name, o.oprleft::int8 as left, o.oprright::int8 as right, o.oprresult::int8 as result,
           p.provolatile as volatility, json_build_object('schema', pn.nspname, 'name', p.proname) as code
      from pg_operator o join pg_namespace n on n.oid = o.oprnamespace join pg_proc p on p.oid = o.oprcode
      join pg_namespace pn on pn.oid = p.pronamespace
     where (n.nspname, o.oprname) in (select * from unnest(${pairs.map((pair) => pair[0])}::text[], ${pairs.map((pair) => pair[1])}::text[]))`
}

/** Returns the search path a function sets for itself. */
function ownSearchPath(f: { readonly settings: readonly string[] }): string | undefined {
  return f.settings.find((setting) => setting.startsWith('search_path='))?.slice('search_path='.length)
}

async function resolveBodies(
  tx: Transaction,
  raw: RawFunction,
  paths: ReadonlySet<string>,
  known: Pick<FunctionInfo, 'bodies' | 'bodyName' | 'queries'> | undefined,
  locks: Locks,
): Promise<ReadFunction> {
  const { source, standardBody, signature, argTypeNames: _types, named, ...rest } = raw
  if (named) {
    const before = isUnchanged(locks, [`pg_proc ${raw.oid}`, ...named])
      ? locks.earlier?.input.functions.find(({ oid }) => oid === raw.oid)
      : undefined
    return { ...(before ?? { ...rest, bodyName: raw.name, bodies: { '': { error: LOCKED_REASON } }, queries: {} }) }
  }
  /** The earlier result; rethrows if the locked tables are not known yet. */
  const before = (error: unknown): FunctionInfo | undefined => {
    if (sqlstateOf(error) !== SQLSTATE.lockNotAvailable) throw error
    return knownFunction(locks, raw.oid, `${signature} ${source}`, error)
  }
  const own = ownSearchPath(raw)
  const info = { ...rest, queries: {} }
  if (raw.procedure !== null && raw.schema !== 'pg_catalog') {
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
  const names = bodyNames(raw, known?.bodyName ?? earlierName(locks, raw))
  // Postgres would fold such a literal to the time of this reading.
  if (MOMENT.test(source))
    return { ...info, bodyName: names[0], bodies: { '': { error: 'it reads the clock through a literal' } } }
  let read: ReadFunction | undefined
  for (const bodyName of names) {
    const bodies: Record<string, ResolvedBody> = { ...known?.bodies }
    for (const path of own === undefined ? paths : [own]) {
      const key = own === undefined ? path : ''
      bodies[key] ??= await resolveBody(tx, { ...raw, bodyName }, path).catch(
        (error: unknown) => before(error)?.bodies[key] ?? { error: LOCKED_REASON },
      )
    }
    read ??= { ...info, bodyName, bodies }
    // Under another function's path it may be unresolvable.
    if (Object.values(bodies).some((body) => 'text' in body)) return { ...info, bodyName, bodies }
  }
  return read ?? { ...info, bodyName: names[0], bodies: {} }
}

/** Chooses the temporary function's name: different from the real one, which may also be a table's name in the body, unless arguments are qualified by it. */
function bodyNames({ oid, name, source }: RawFunction, known: string | undefined): readonly [string, ...string[]] {
  if (known !== undefined) return [known]
  const own = `hf_body_${oid}`
  return source.toLowerCase().includes(`${name.toLowerCase()}.`) ? [own, name] : [own]
}

function earlierName({ earlier }: Locks, { oid, hash }: RawFunction): string | undefined {
  return earlier?.input.functions.find((one) => one.oid === oid && one.hash === hash)?.bodyName
}

/** Lets Postgres resolve the names in a body, as the standard body of a temporary function that is printed and rolled back. */
async function resolveBody(
  tx: Transaction,
  f: RawFunction & { readonly bodyName: string },
  path: string,
): Promise<ResolvedBody> {
  try {
    const { bodyName: name, signature, result, source } = f
    const printed = { name, signature: `(${signature}) returns ${result}`, statements: source }
    const text = await printBody(tx, printed, path)
    return text === undefined ? { error: 'the function made of it is not there' } : { text }
  } catch (error) {
    if (sqlstateOf(error) === SQLSTATE.lockNotAvailable) throw error
    return { error: `Postgres cannot resolve its body: ${errorMessage(error)}` }
  }
}
