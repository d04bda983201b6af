import type { FunctionInfo } from '../catalog/policy-input.ts'
import { Refusal } from '../refusal.ts'
import { qualify } from '../syntax/collect-names.ts'
import { nameParts } from '../syntax/names.ts'
import { parseFunctionBody } from '../syntax/parse.ts'
import { lookAtProcedure, type ProcedureLook } from '../syntax/plpgsql.ts'

type Declared = Pick<FunctionInfo, 'schema' | 'name' | 'language' | 'volatility' | 'procedure' | 'bodies'>

/**
 * Corrects the volatility of PL/pgSQL functions declared immutable although they read tables, claims, settings, random values or the clock: treated as stable,
 * or refused. Postgres calls them per row anyway, but the change stream would evaluate them without the user. The same applies to functions running dynamic
 * SQL, whose reads are unknown.
 *
 * The declaration is trusted for functions that call only system formatting functions, such as `to_char`.
 */
export function withTrueVolatility<F extends Declared>(functions: readonly F[]): F[] {
  const more = readingMore(functions)
  return functions.map((f) =>
    more.has(f) && f.language === 'plpgsql' && f.volatility === 'i' ? { ...f, volatility: 's' } : f,
  )
}

/** An operator or cast. */
interface Coded {
  readonly volatility: string
  /** Underlying function. */
  readonly code: { readonly schema: string; readonly name: string } | null
}

/** Corrects operators and casts as {@link withTrueVolatility} does functions. Overloads are not distinguished. */
export function withTrueCode<C extends Coded>(coded: readonly C[], functions: readonly Declared[]): C[] {
  if (coded.every(({ code }) => code === null)) return [...coded]
  const more = new Set([...readingMore(functions)].map(({ schema, name }) => JSON.stringify([schema, name])))
  return coded.map((one) =>
    one.code && one.volatility === 'i' && more.has(JSON.stringify([one.code.schema, one.code.name]))
      ? { ...one, volatility: 's' }
      : one,
  )
}

/** Returns functions that read more than their arguments, directly or through calls. */
function readingMore<F extends Declared>(functions: readonly F[]): ReadonlySet<F> {
  const all = functions.map((f) => ({ f, seen: lookAt(f) }))
  const more = new Set<F>()
  const names = new Set<string>()
  for (let left = all, before = -1; left.length !== before;) {
    before = left.length
    for (const { f, seen } of left) {
      if (!seen.isMore && !seen.called.some((name) => names.has(name))) continue
      more.add(f)
      for (const name of namesOf(f)) names.add(name)
    }
    left = left.filter(({ f }) => !more.has(f))
  }
  return more
}

/** Returns the names under which a function body may call a function. Unqualified calls are recorded under `pg_catalog`; they match a function of that name in any schema. */
function namesOf({ schema, name }: Declared): readonly string[] {
  return [schema, 'pg_catalog'].map((one) => JSON.stringify([one, name]))
}

interface Look {
  /** It directly reads more than its arguments. */
  readonly isMore: boolean
  /** Called functions, each as JSON of `[schema, name]`. */
  readonly called: readonly string[]
}

/** System functions that are not volatile but read the clock, settings, rights, or tables named in text. */
const READS_MORE =
  /^(now|(transaction|statement)_timestamp|current_\w+|has_\w+_privilege|pg_has_role|row_security_active|to_reg\w+|(query|cursor|table|schema|database)_to_xml\w*|txid_\w+|pg_current_\w+|inet_\w+)$/

/** Parsed bodies, cached per reading of the catalog. */
const looks = new WeakMap<Declared, Look>()

function lookAt(f: Declared): Look {
  const known = looks.get(f) ?? look(f)
  looks.set(f, known)
  return known
}

function look(f: Declared): Look {
  const called: string[] = []
  if (f.schema === 'pg_catalog') return { isMore: f.volatility === 'v' || READS_MORE.test(f.name), called }
  if (f.language !== 'sql' && f.language !== 'plpgsql') return { isMore: f.volatility !== 'i', called }
  const { nodes, isOpaque } = f.procedure === null ? lookAtBodies(f.bodies) : lookAtProcedure(f.procedure)
  let isMore = isOpaque
  const walk = (tree: unknown): void => {
    if (Array.isArray(tree)) for (const item of tree) walk(item)
    if (Array.isArray(tree) || typeof tree !== 'object' || tree === null) return
    for (const [key, value] of Object.entries(tree)) {
      if (key === 'RangeVar' || key === 'SQLValueFunction') isMore = true
      if (key === 'funcname') {
        const [schema, name] = qualify(nameParts(value))
        if (schema === 'auth') isMore = true
        called.push(JSON.stringify([schema, name]))
      }
      walk(value)
    }
  }
  walk(nodes)
  return { isMore, called }
}

/** Analyzes the readable bodies of an SQL function; each call is analyzed again. */
function lookAtBodies(bodies: Declared['bodies']): ProcedureLook {
  try {
    const nodes = Object.values(bodies).flatMap((body) => ('text' in body ? parseFunctionBody(body.text) : []))
    return { nodes, isOpaque: false }
  } catch (error) {
    if (error instanceof Refusal) return { nodes: [], isOpaque: true }
    throw error
  }
}
