import type { FunctionInfo } from '../catalog/policy-input.ts'
import { Refusal } from '../refusal.ts'
import { qualify } from '../syntax/collect-names.ts'
import { nameParts } from '../syntax/names.ts'
import { parseFunctionBody } from '../syntax/parse.ts'
import { lookAtProcedure, type ProcedureLook } from '../syntax/plpgsql.ts'

type Declared = Pick<FunctionInfo, 'schema' | 'name' | 'language' | 'volatility' | 'procedure' | 'bodies'>

/**
 * A function in PL/pgSQL that is declared immutable although it reads tables, claims, settings, chance or the clock is stable in what it does, and is followed, or
 * refused, as that. Postgres calls it for each row all the same; who reads the change stream would call it without the person. So is one whose reads cannot be
 * known, because it runs text that it makes itself.
 *
 * The author's word is taken for functions of the system that only format, such as `to_char`.
 */
export function withTrueVolatility<F extends Declared>(functions: readonly F[]): F[] {
  const more = readingMore(functions)
  return functions.map((f) =>
    more.has(f) && f.language === 'plpgsql' && f.volatility === 'i' ? { ...f, volatility: 's' } : f,
  )
}

/** An operator or a cast. */
interface Coded {
  readonly volatility: string
  /** The function behind it. */
  readonly code: { readonly schema: string; readonly name: string } | null
}

/** Operators and casts whose function is declared immutable and reads more than its arguments are stable, as in {@link withTrueVolatility}. Overloads count as one. */
export function withTrueCode<C extends Coded>(coded: readonly C[], functions: readonly Declared[]): C[] {
  if (coded.every(({ code }) => code === null)) return [...coded]
  const more = new Set([...readingMore(functions)].map(({ schema, name }) => JSON.stringify([schema, name])))
  return coded.map((one) =>
    one.code && one.volatility === 'i' && more.has(JSON.stringify([one.code.schema, one.code.name]))
      ? { ...one, volatility: 's' }
      : one,
  )
}

/** Functions that read more than their arguments, by themselves or through what they call. */
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

/** How bodies may name a function. Of a name without a schema, the search path of the moment would tell which function it is: any that it may be counts. */
function namesOf({ schema, name }: Declared): readonly string[] {
  return [schema, 'pg_catalog'].map((one) => JSON.stringify([one, name]))
}

interface Look {
  /** By itself it reads more than its arguments. */
  readonly isMore: boolean
  /** What it calls, each as the JSON of `[schema, name]`. */
  readonly called: readonly string[]
}

/** Functions of the system that are not volatile, and read the clock, settings, rights, or tables that are named in text. */
const READS_MORE =
  /^(now|(transaction|statement)_timestamp|current_\w+|has_\w+_privilege|pg_has_role|row_security_active|to_reg\w+|(query|cursor|table|schema|database)_to_xml\w*|txid_\w+|pg_current_\w+|inet_\w+)$/

/** Bodies are parsed once for each reading of the catalog. */
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

/** The bodies of a function in SQL, as far as they can be read: it is looked at again where it is called. */
function lookAtBodies(bodies: Declared['bodies']): ProcedureLook {
  try {
    const nodes = Object.values(bodies).flatMap((body) => ('text' in body ? parseFunctionBody(body.text) : []))
    return { nodes, isOpaque: false }
  } catch (error) {
    if (error instanceof Refusal) return { nodes: [], isOpaque: true }
    throw error
  }
}
